//! Yes and no: `oui`, `N`, `vrai`, `avec`, `sans ascenseur`, `non meublé`.

use super::{Reading, says_unknown};

/// Reads a yes or a no.
pub fn read(text: &str) -> Reading<bool> {
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
        return Reading::Unusable("is neither yes nor no");
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
        "true" | "t" | "1" | "1 0" | "01" | "yes" | "y" | "oui" | "o" | "vrai" | "v" | "on" | "x" | "ok"
        | "avec" | "si" | "present" | "presente" | "checked" | "enabled" | "possede" | "inclus"
        | "existe" => Reading::Value(true),
        "false" | "f" | "0" | "0 0" | "00" | "no" | "n" | "non" | "faux" | "off" | "ko" | "sans"
        | "absent" | "absente" | "aucun" | "aucune" | "pas" | "unchecked" | "disabled" | "jamais"
        | "neant" | "vide" | "nu" | "non inclus" => Reading::Value(false),
        phrase => phrase_of_field(phrase),
    }
}

/// Reads a phrase that names the thing itself: `sans ascenseur`, `meublé`.
fn phrase_of_field(phrase: &str) -> Reading<bool> {
    const THINGS: &[&str] = &[
        "ascenseur",
        "meuble",
        "meublee",
        "meubles",
        "elevator",
        "lift",
        "furnished",
        "exclusif",
        "exclusive",
        "exclusivite",
        "mandat",
        "occupe",
        "occupee",
        "loue",
        "louee",
        "expire",
        "expiree",
        "expired",
        "vendu",
        "vendue",
    ];
    let thing = |word: &str| THINGS.contains(&word);
    let words: Vec<&str> = phrase.split(' ').collect();
    let answers = |word: &&&str| matches!(**word, "oui" | "non" | "yes" | "no");
    if words.iter().filter(answers).count() > 1 {
        return Reading::Unusable("is neither yes nor no");
    }
    match words.as_slice() {
        ["unfurnished" | "libre"] => Reading::Value(false),
        ["non" | "sans" | "no" | "not" | "pas", rest @ ..]
            if rest.iter().all(|word| thing(word) || matches!(*word, "d" | "de" | "l"))
                && rest.iter().any(|word| thing(word)) =>
        {
            Reading::Value(false)
        }
        ["oui" | "yes" | "avec" | "entierement" | "with", rest @ ..]
            if rest.iter().all(|word| thing(word)) =>
        {
            Reading::Value(true)
        }
        all if all.iter().all(|word| thing(word)) => Reading::Value(true),
        // `Oui (2 ascenseurs)`, `non, au RDC`: the first word answers, the others comment.
        ["oui" | "yes", ..] => Reading::Value(true),
        ["non" | "no", ..] => Reading::Value(false),
        _ => Reading::Unusable("is neither yes nor no"),
    }
}
