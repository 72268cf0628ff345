//! Text as it is compared: lower case, no accents, words parted by one space.
//!
//! Place names and the text of adverts go through the same function, so that what a person types finds what a publisher
//! wrote. It is not for display, and it reduces no word endings: [`crate::words`] does.

/// Folds a text: `L'Haÿ-les-Roses` → `l hay les roses`, `Cœur  d’Œuvre` → `coeur d oeuvre`, `75 m²` → `75 m2`.
///
/// Everything that is neither letter nor digit parts words. Letters without a plain form (Greek, Cyrillic) stay, in
/// lower case.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_into(text, &mut folded);
    folded
}

/// Appends the folded text to `folded`; for callers that fold thousands of texts into one buffer.
pub fn fold_into(text: &str, folded: &mut String) {
    let start = folded.len();
    let mut between_words = false;
    for letter in text.chars() {
        if is_combining_mark(letter) {
            // An accent written as a character of its own, as file names of some systems have them.
            continue;
        }
        if !letter.is_alphanumeric() {
            between_words = true;
            continue;
        }
        if between_words && folded.len() > start {
            folded.push(' ');
        }
        between_words = false;
        if letter.is_ascii() {
            folded.push(letter.to_ascii_lowercase());
            continue;
        }
        for lower in letter.to_lowercase() {
            match plain(lower) {
                Some(letters) => folded.push_str(letters),
                // Lower-casing İ leaves a combining dot behind.
                None if is_combining_mark(lower) => {}
                None => folded.push(lower),
            }
        }
    }
}

fn is_combining_mark(letter: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&letter)
}

/// The plain letters for a Latin letter with a mark, a ligature or a raised digit.
fn plain(letter: char) -> Option<&'static str> {
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
        // Raised letters of ordinals: 1ᵉʳ, 2ⁿᵈ, 11ᵉ.
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
    fn text_is_compared_without_case_accents_and_punctuation() {
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
    fn folding_twice_changes_nothing_more() {
        for text in ["Saint-Étienne", "ÇA ET LÀ", "Œ", "ß", "1ᵉʳ étage"] {
            assert_eq!(fold(&fold(text)), fold(text));
        }
    }

    #[test]
    fn a_shared_buffer_keeps_texts_apart() {
        let mut buffer = String::from("paris");
        fold_into("-Lyon", &mut buffer);
        assert_eq!(buffer, "parislyon");
    }
}
