//! Normalisation of text for comparison: lower case, no accents, words separated by a single space.
//!
//! Queries, place names and the text of adverts are folded by the same function. The result is not for display. Word
//! endings are kept: stemming is in [`crate::phrase`], and so is the splitting of numbers and units.

/// Folds a text: `L'Haÿ-les-Roses` → `l hay les roses`, `Cœur  d’Œuvre` → `coeur d oeuvre`, `75 m²` → `75 m2`.
///
/// Every character that is neither a letter nor a digit separates words. Letters without an ASCII form (Greek, Cyrillic)
/// are kept in lower case.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_into(text, &mut folded);
    folded
}

/// Appends the folded text to `folded`, for callers that fold thousands of texts into one buffer.
pub fn fold_into(text: &str, folded: &mut String) {
    fold_words(text, folded, |_, _| {});
}

/// Where a folded word is, and what folding removed from it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FoldedWord {
    /// The offset of its first letter in the folded text. Its last letter is the last one of that text.
    pub start: usize,
    /// The offset of the last "é" of the text so far, which is folded to "e".
    pub acute: Option<usize>,
    /// The offset of the last letter of the text so far from which folding removed any accent.
    pub accent: Option<usize>,
}

/// Folds like [`fold_into`], and calls `end_word` at the end of each word. The call may rewrite the word.
pub(crate) fn fold_words(text: &str, folded: &mut String, mut end_word: impl FnMut(&mut String, FoldedWord)) {
    let start = folded.len();
    let mut word = FoldedWord { start, acute: None, accent: None };
    let mut between_words = false;
    for letter in text.chars() {
        if is_combining_mark(letter) {
            // A decomposed accent, as in the file names of some systems.
            if !between_words && folded.len() > word.start {
                word.accent = Some(folded.len() - 1);
                if letter == '\u{301}' && folded.ends_with('e') {
                    word.acute = word.accent;
                }
            }
            continue;
        }
        if !letter.is_alphanumeric() {
            between_words = true;
            continue;
        }
        if between_words && folded.len() > start {
            end_word(folded, word);
            folded.push(' ');
            word.start = folded.len();
        }
        between_words = false;
        if letter.is_ascii() {
            folded.push(letter.to_ascii_lowercase());
            continue;
        }
        for lower in letter.to_lowercase() {
            if lower == 'é' {
                word.acute = Some(folded.len());
            }
            match plain_letters(lower) {
                Some(letters) => {
                    word.accent = Some(folded.len());
                    folded.push_str(letters);
                }
                // Lower-casing İ yields a combining dot.
                None if is_combining_mark(lower) => {}
                None => folded.push(lower),
            }
        }
    }
    if folded.len() > word.start {
        end_word(folded, word);
    }
}

pub(crate) fn is_combining_mark(letter: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&letter)
}

/// Returns the ASCII form of a letter with a diacritic, a ligature or a superscript digit.
pub(crate) fn plain_letters(letter: char) -> Option<&'static str> {
    Some(match letter {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ă' | 'ą' | 'ª' => "a",
        'æ' => "ae",
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => "c",
        'ď' | 'đ' | 'ð' => "d",
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => "e",
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => "g",
        'ĥ' | 'ħ' => "h",
        'ì' | 'í' | 'î' | 'ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' => "i",
        'ĳ' => "ij",
        'ĵ' => "j",
        'ķ' => "k",
        'ĺ' | 'ļ' | 'ľ' | 'ŀ' | 'ł' => "l",
        'ñ' | 'ń' | 'ņ' | 'ň' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ō' | 'ŏ' | 'ő' | 'º' => "o",
        'œ' => "oe",
        'ŕ' | 'ŗ' | 'ř' => "r",
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => "s",
        'ß' => "ss",
        'ţ' | 'ť' | 'ŧ' | 'ț' => "t",
        'þ' => "th",
        'ù' | 'ú' | 'û' | 'ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' => "u",
        'ŵ' => "w",
        'ý' | 'ÿ' | 'ŷ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        // Superscript letters of ordinals: 1ᵉʳ, 2ⁿᵈ, 11ᵉ.
        'ᵈ' => "d",
        'ᵉ' => "e",
        'ⁿ' => "n",
        'ʳ' => "r",
        'ﬀ' => "ff",
        'ﬁ' => "fi",
        'ﬂ' => "fl",
        '¹' => "1",
        '²' => "2",
        '³' => "3",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_accents_and_punctuation_are_removed() {
        for (text, expected) in [
            ("L'Haÿ-les-Roses", "l hay les roses"),
            ("L’HAŸ — LES ROSES ", "l hay les roses"),
            ("Cœur d'ŒUVRE", "coeur d oeuvre"),
            ("cafe\u{301}", "cafe"),
            ("  75 m² (loi Carrez)", "75 m2 loi carrez"),
            ("n°12", "n 12"),
            ("Straße", "strasse"),
            ("Paris 1ᵉʳ", "paris 1er"),
            ("İzmir", "izmir"),
            ("Αθήνα", "αθήνα"),
            ("", ""),
            (" - ", ""),
        ] {
            assert_eq!(fold(text), expected, "{text}");
        }
    }

    #[test]
    fn folding_is_idempotent() {
        for text in ["Saint-Étienne", "ÇA ET LÀ", "Œ", "ß", "1ᵉʳ étage"] {
            assert_eq!(fold(&fold(text)), fold(text));
        }
    }

    #[test]
    fn shared_buffer_is_only_appended_to() {
        let mut buffer = String::from("paris");
        fold_into("-Lyon", &mut buffer);
        assert_eq!(buffer, "parislyon");
    }
}
