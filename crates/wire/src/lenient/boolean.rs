//! Yes and no: `oui`, `N`, `vrai`, `avec`, `sans ascenseur`, `non meublé`.

use super::{Reading, says_unknown};

/// Reads a yes or a no of the field with this name.
pub fn read(field: &str, text: &str) -> Reading<bool> {
    let text = text.trim();
    // The usual answers need no further look.
    match text {
        "oui" | "Oui" | "OUI" | "true" | "1" => return Reading::Value(true),
        "non" | "Non" | "NON" | "false" | "0" => return Reading::Value(false),
        _ => {}
    }
    if super::is_not_given(text) {
        return Reading::NotGiven;
    }
    if text.chars().nth(40).is_some() {
        return Reading::Unusable("is too long for a yes or a no");
    }
    // Codes such as -1 and 2 mean different things to different senders.
    if text.starts_with('-') {
        return Reading::Unusable(NEITHER);
    }
    match text {
        "✓" | "✔" | "☑" | "✅" | "+" => return Reading::Value(true),
        "✗" | "✘" | "☐" | "❌" => return Reading::Value(false),
        _ => {}
    }
    let cleaned = super::text::clean(text);
    let folded = domain::fold(&cleaned);
    if says_unknown(&folded) {
        return Reading::NotGiven;
    }
    match folded.as_str() {
        // "V" may also stand for a sale, and an advert that counts as expired is gone.
        "v" if field == "expired" => Reading::Unusable(NEITHER),
        "true" | "t" | "1" | "1 0" | "1 00" | "01" | "yes" | "y" | "oui" | "o" | "vrai" | "v" | "on"
        | "x" | "ok" | "avec" | "si" | "present" | "presente" | "checked" | "enabled" | "possede"
        | "inclus" | "existe" => Reading::Value(true),
        "false" | "f" | "0" | "0 0" | "00" | "no" | "n" | "non" | "faux" | "off" | "ko" | "sans"
        | "absent" | "absente" | "aucun" | "aucune" | "pas" | "unchecked" | "disabled" | "jamais"
        | "neant" | "non inclus" => Reading::Value(false),
        phrase => phrase_of_field(field, phrase),
    }
}

const NEITHER: &str = "is neither yes nor no";

/// How texts name the thing that a field is about, folded.
struct Words {
    /// Alone or with a word of consent, they mean yes; with a negation, no.
    things: &'static [&'static str],
    /// Alone, they mean no.
    opposites: &'static [&'static str],
}

impl Words {
    fn of(field: &str) -> Self {
        let (things, opposites): (&[&str], &[&str]) = match field {
            "elevator" => (&["ascenseur", "ascenseurs", "elevator", "elevators", "lift"], &[]),
            "furnished" => (
                &["meuble", "meublee", "meubles", "meublees", "furnished"],
                &["unfurnished", "vide", "nu", "nue"],
            ),
            "exclusiveMandate" => (
                &["exclusif", "exclusive", "exclusivite", "mandat"],
                &["simple", "mandat simple", "non exclusif"],
            ),
            "occupied" => (
                &["occupe", "occupee", "loue", "louee", "occupied"],
                &["libre", "inoccupe", "inoccupee", "vacant", "vacante", "libre de toute occupation", "vide"],
            ),
            "expired" => (
                &["expire", "expiree", "expired", "vendu", "vendue", "loue", "louee"],
                &["non expire", "en ligne"],
            ),
            _ => (&[], &[]),
        };
        Self { things, opposites }
    }
}

/// Reads a phrase that names the thing itself: `sans ascenseur`, `meublé`, `ascenseur : oui`.
fn phrase_of_field(field: &str, phrase: &str) -> Reading<bool> {
    let Words { things, opposites } = Words::of(field);
    let is_thing = |word: &str| things.contains(&word);
    let words: Vec<&str> = phrase.split(' ').collect();
    let answers = |word: &&&str| matches!(**word, "oui" | "non" | "yes" | "no");
    if words.iter().filter(answers).count() > 1 {
        return Reading::Unusable(NEITHER);
    }
    match words.as_slice() {
        _ if opposites.contains(&phrase) => Reading::Value(false),
        // A mandate alone may be a simple one.
        ["mandat"] => Reading::Unusable(NEITHER),
        ["non" | "sans" | "no" | "not" | "pas" | "aucun" | "aucune", rest @ ..]
            if rest.iter().all(|word| is_thing(word) || matches!(*word, "d" | "de" | "l"))
                && rest.iter().any(|word| is_thing(word)) =>
        {
            Reading::Value(false)
        }
        ["oui" | "yes" | "avec" | "entierement" | "with", rest @ ..]
            if rest.iter().all(|word| is_thing(word)) =>
        {
            Reading::Value(true)
        }
        all if all.iter().all(|word| is_thing(word)) => Reading::Value(true),
        // `2 ascenseurs`.
        [number, thing] if is_thing(thing) && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            Reading::Value(number.bytes().any(|byte| byte != b'0'))
        }
        // `Oui (2 ascenseurs)`, `non, au RDC`: the first word answers, the others comment.
        ["oui" | "yes", ..] => Reading::Value(true),
        ["non" | "no", ..] => Reading::Value(false),
        [thing, "oui" | "yes"] if is_thing(thing) => Reading::Value(true),
        [thing, "non" | "no"] if is_thing(thing) => Reading::Value(false),
        _ => Reading::Unusable(NEITHER),
    }
}
