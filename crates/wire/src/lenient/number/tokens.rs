//! Splits a text into numbers, words and symbols. What they mean together is decided by the kind of the field.

use super::vocabulary::HOME_TYPES;
use crate::lenient::text;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Number(Literal),
    /// Letters in lower case without accents. `m2` and `co2` include their digit.
    Word(String),
    Symbol(char),
}

impl Token {
    /// Returns `true` if a number behind it may belong to a label: a type of home, a lot, or anything with `n°`.
    fn begins_label(&self) -> bool {
        match self {
            Self::Word(word) => HOME_TYPES.contains(&word.as_str()) || word == "lot",
            Self::Symbol(symbol) => *symbol == '°',
            Self::Number(_) => false,
        }
    }
}

/// A number as written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Literal {
    negative: bool,
    /// A dash stands right before the digits, with a space before it. It may be a sign.
    dashed: bool,
    /// Digits before the first point or comma; groups separated by spaces are joined.
    whole: String,
    spaced: bool,
    /// Digits after each point or comma.
    marked: Vec<(char, String)>,
}

/// Billions. More groups of three digits are two numbers with only a space between them.
const SPACED_DIGITS_MAX: usize = 10;

impl Literal {
    pub(super) const fn is_dashed(&self) -> bool {
        self.dashed
    }

    /// Returns `true` for one digit and three decimals, which may be thousands.
    pub(super) fn may_be_thousands(&self) -> bool {
        matches!(self.marked.as_slice(), [(_, digits)] if digits.len() == 3) && self.whole.len() == 1
    }

    /// Returns the number. `thousands`: whether three digits after a single mark are thousands.
    fn number(&self, thousands: bool) -> Option<f64> {
        let Self { negative, dashed: _, whole, spaced, marked } = self;
        if *spaced && whole.len() > SPACED_DIGITS_MAX {
            return None;
        }
        let grouped = |marks: &[(char, String)]| {
            !spaced
                && (1..=3).contains(&whole.len())
                && marks.iter().all(|(mark, digits)| *mark == marks[0].0 && digits.len() == 3)
        };
        let join = |marks: &[(char, String)]| {
            marks.iter().fold(whole.clone(), |joined, (_, digits)| joined + digits)
        };
        let plain = match marked.as_slice() {
            [] => whole.clone(),
            [(_, digits)] if thousands && grouped(marked) && !whole.starts_with('0') && digits.len() == 3 => {
                join(marked)
            }
            [(_, digits)] => format!("{whole}.{digits}"),
            // `1.250.000`, or `1.250.000,50` with another mark for the decimals.
            [first, .., last] if first.0 == last.0 && grouped(marked) => join(marked),
            [head @ .., last] if head[0].0 != last.0 && grouped(head) => format!("{}.{}", join(head), last.1),
            _ => return None,
        };
        let number: f64 = plain.parse().ok()?;
        Some(if *negative { -number } else { number })
    }
}

/// A text, split.
pub(super) struct Tokens(pub(super) Vec<Token>);

impl Tokens {
    /// Splits a text. `None` if a number has too many digits.
    pub(super) fn of(text: &str) -> Option<Self> {
        let mut characters: Vec<char> = text.chars().filter_map(plain_character).collect();
        characters.dedup_by(|next, before| *next == ' ' && *before == ' ');
        let mut tokens = Vec::new();
        let mut at = 0;
        while let Some(&c) = characters.get(at) {
            let next = characters.get(at + 1).copied().unwrap_or(' ');
            let before = if at == 0 { ' ' } else { characters[at - 1] };
            if matches!(c, ' ' | NOISE) {
                at += 1;
            } else if c.is_ascii_digit() {
                at = Self::number(&characters, at, false, &mut tokens)?;
            } else if c == '-' && next.is_ascii_digit() && begins_number(&characters[..at]) {
                at = Self::number(&characters, at + 1, true, &mut tokens)?;
            } else if matches!(c, '.' | ',') && next.is_ascii_digit() && !before.is_alphanumeric() {
                // `.5` has no digit before the point.
                let (digits, end) = digits(&characters, at + 1);
                tokens.push(Token::Number(Literal {
                    negative: false,
                    dashed: false,
                    whole: "0".to_owned(),
                    spaced: false,
                    marked: vec![(c, digits)],
                }));
                at = end;
            } else if c == '€' {
                tokens.push(Token::Word("eur".to_owned()));
                at += 1;
            } else if c.is_alphabetic() {
                let end = characters[at..]
                    .iter()
                    .position(|c| !c.is_alphabetic())
                    .map_or(characters.len(), |n| at + n);
                let word: String = characters[at..end].iter().collect();
                let mut word = domain::fold(&word);
                at = end;
                let unit = matches!(word.as_str(), "m" | "cm" | "dm" | "km" | "ft") || word.ends_with("co");
                let power = characters.get(at).copied().filter(|c| matches!(c, '2' | '3' | '²' | '³'));
                if let Some(power) = power.filter(|_| unit)
                    && !characters.get(at + 1).is_some_and(char::is_ascii_digit)
                {
                    word.push(if matches!(power, '2' | '²') { '2' } else { '3' });
                    at += 1;
                }
                tokens.push(Token::Word(word));
            } else {
                tokens.push(Token::Symbol(c));
                at += 1;
            }
        }
        Some(Self(tokens))
    }

    /// Reads the number that begins at `at` and returns where it ends.
    fn number(characters: &[char], at: usize, negative: bool, tokens: &mut Vec<Token>) -> Option<usize> {
        let dashed = !negative && matches!(&characters[..at], [.., ' ' | NOISE, '-']);
        let (mut whole, mut at) = digits(characters, at);
        let (mut spaced, mut marked) = (false, Vec::new());
        let lead = whole.len();
        // "T3 295 000 €": the first digits belong to the label, and not to the amount.
        let may_be_label = lead <= 2 && tokens.last().is_some_and(Token::begins_label);
        while let Some(&mark) = characters.get(at) {
            let (group, end) = digits(characters, at + 1);
            match mark {
                ' ' | '\'' if !may_be_label && lead <= 3 && marked.is_empty() && group.len() == 3 => {
                    whole.push_str(&group);
                    spaced = true;
                }
                '.' | ',' if !group.is_empty() => marked.push((mark, group)),
                _ => break,
            }
            at = end;
        }
        let length = whole.len() + marked.iter().map(|(_, digits)| digits.len()).sum::<usize>();
        tokens.push(Token::Number(Literal { negative, dashed, whole, spaced, marked }));
        // More digits than any number of an advert: a telephone number, a reference.
        (length <= 20).then_some(at)
    }

    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|token| match token {
            Token::Word(word) => Some(word.as_str()),
            Token::Number(_) | Token::Symbol(_) => None,
        })
    }

    pub(super) fn has_word(&self, list: &[&str]) -> bool {
        self.words().any(|word| list.contains(&word))
    }

    pub(super) fn has_symbol(&self, symbols: &[char]) -> bool {
        self.0.iter().any(|token| matches!(token, Token::Symbol(symbol) if symbols.contains(symbol)))
    }

    pub(super) fn numbers(&self) -> Vec<usize> {
        let number = |(index, token): (usize, &Token)| matches!(token, Token::Number(_)).then_some(index);
        self.0.iter().enumerate().filter_map(number).collect()
    }

    pub(super) fn word_at(&self, index: Option<usize>) -> &str {
        match index.and_then(|index| self.0.get(index)) {
            Some(Token::Word(word)) => word,
            Some(Token::Number(_) | Token::Symbol(_)) | None => "",
        }
    }

    pub(super) fn value_at(&self, index: usize, thousands: bool) -> Option<f64> {
        match &self.0[index] {
            Token::Number(literal) => literal.number(thousands),
            Token::Word(_) | Token::Symbol(_) => None,
        }
    }

    /// Returns `true` if only the ends of a range stand between two of the numbers: `60-65 m²`, `de 2 à 3`.
    pub(super) fn has_range(&self, numbers: &[usize]) -> bool {
        numbers.windows(2).any(|pair| {
            let between = &self.0[pair[0] + 1..pair[1]];
            let joins = |token: &Token| match token {
                Token::Symbol(symbol) => matches!(symbol, '-' | '/' | '>'),
                Token::Word(word) => {
                    matches!(word.as_str(), "a" | "et" | "ou" | "to" | "or" | "and" | "bis" | "jusqu")
                }
                Token::Number(_) => false,
            };
            let fills = |token: &Token| match token {
                Token::Symbol(_) => true,
                Token::Word(word) => {
                    matches!(
                        word.as_str(),
                        "t" | "f" | "eur" | "euros" | "k" | "ke" | "m" | "m2" | "de" | "au"
                    )
                }
                Token::Number(_) => false,
            };
            between.iter().any(joins) && between.iter().all(|token| joins(token) || fills(token))
        })
    }
}

fn digits(characters: &[char], from: usize) -> (String, usize) {
    let digits: String =
        characters.get(from..).unwrap_or_default().iter().take_while(|c| c.is_ascii_digit()).collect();
    let end = from + digits.len();
    (digits, end)
}

/// Returns `true` if a minus sign after these characters belongs to the number, and is no dash.
fn begins_number(before: &[char]) -> bool {
    before
        .iter()
        .rev()
        .find(|c| !matches!(**c, ' ' | NOISE))
        .is_none_or(|c| !c.is_alphanumeric() && !matches!(c, ')' | '€' | '%'))
}

/// Stands for punctuation. It separates numbers, while a space may stand inside one.
const NOISE: char = '\n';

/// Replaces a typographic character by its plain form; removes invisible ones.
fn plain_character(c: char) -> Option<char> {
    Some(match c {
        '\'' | '’' | '‘' | '´' | '`' | '\u{2bc}' => '\'',
        '−' | '–' | '—' | '‐' | '‑' | '‒' => '-',
        '"' | '*' | '~' | '≈' | '±' | '=' | '!' | ':' | ';' | '|' | '(' | ')' | '[' | ']' | '_' | '#' => {
            NOISE
        }
        '₂' => '2',
        // Spaces of every width, and invisible characters.
        c if c.is_whitespace() => ' ',
        c if text::is_invisible(c) => return None,
        c => c.to_lowercase().next().unwrap_or(c),
    })
}
