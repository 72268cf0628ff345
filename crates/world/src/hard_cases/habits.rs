//! What portals do to every advert: references and telephone numbers they hide, texts they cut.

use domain::{AdvertDraft, Contact, FieldUpdate, SiteKey};

use super::scene::{AgencyReference, known, long_text};
use crate::random::Random;

struct Habits {
    domain: &'static str,
    /// The percentage of adverts that show the reference of the agency.
    shows_reference: f64,
    /// The percentage of adverts that show the telephone number before a click.
    shows_phone: f64,
    /// The longest description, in characters.
    description_max: Option<usize>,
    /// Whether a description keeps its lines.
    lines: Lines,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lines {
    Kept,
    Joined,
}

#[rustfmt::skip]
const HABITS: &[Habits] = &[
    Habits { domain: "toits-et-murs.example", shows_reference: 90.0, shows_phone: 0.0, description_max: None, lines: Lines::Kept },
    Habits { domain: "cles-en-poche.example", shows_reference: 85.0, shows_phone: 70.0, description_max: None, lines: Lines::Joined },
    Habits { domain: "le-coin-des-logis.example", shows_reference: 45.0, shows_phone: 20.0, description_max: None, lines: Lines::Kept },
    Habits { domain: "belles-pierres.example", shows_reference: 95.0, shows_phone: 0.0, description_max: None, lines: Lines::Kept },
    Habits { domain: "boussole-immobiliere.example", shows_reference: 70.0, shows_phone: 80.0, description_max: Some(420), lines: Lines::Joined },
    Habits { domain: "logis-du-clocher.example", shows_reference: 60.0, shows_phone: 90.0, description_max: None, lines: Lines::Joined },
    Habits { domain: "de-voisin-a-voisin.example", shows_reference: 0.0, shows_phone: 85.0, description_max: None, lines: Lines::Kept },
    Habits { domain: "quatre-facades.example", shows_reference: 80.0, shows_phone: 50.0, description_max: Some(900), lines: Lines::Kept },
];

/// Few portals show an address for e-mails; most have a form.
const SHOWS_EMAIL: f64 = 12.0;

/// Changes a draft as its portal would.
pub(super) fn apply(random: &mut Random, reference: AgencyReference, draft: &mut AdvertDraft) {
    // Always make every draw, whatever the portal.
    let [reference_drawn, phone_drawn, email_drawn] = [(); 3].map(|()| random.unit() * 100.0);
    let site = draft.patch.site.value().and_then(Option::as_ref);
    let Some(habits) = site.and_then(of_site) else { return };
    if let FieldUpdate::Set(contact) = &mut draft.patch.contact {
        let Contact { email, fax, phone, reference: agency_reference, .. } = contact;
        if reference_drawn >= habits.shows_reference && reference == AgencyReference::AsUsual {
            *agency_reference = None;
        }
        if phone_drawn >= habits.shows_phone {
            (*phone, *fax) = (None, None);
        }
        if email_drawn >= SHOWS_EMAIL {
            *email = None;
        }
    }
    if let Some(text) = draft.patch.description.value().and_then(Option::as_ref) {
        let mut text = text.as_str().to_owned();
        if habits.lines == Lines::Joined {
            text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        }
        if let Some(limit) = habits.description_max {
            text = shortened(text, limit);
        }
        draft.patch.description = known(long_text(&text));
    }
}

fn of_site(site: &SiteKey) -> Option<&'static Habits> {
    HABITS.iter().find(|habits| habits.domain == site.as_str())
}

/// Cuts a text at the end of a word.
fn shortened(text: String, limit: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(limit) else { return text };
    let cut = text[..end].rfind(char::is_whitespace).unwrap_or(end);
    format!("{}…", text[..cut].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::portal_domains;

    #[test]
    fn every_portal_has_habits() {
        assert!(portal_domains().eq(HABITS.iter().map(|habits| habits.domain)));
    }

    #[test]
    fn texts_are_cut_between_words() {
        assert_eq!(shortened("Séjour lumineux et calme".to_owned(), 12), "Séjour…");
        assert_eq!(shortened("Séjour".to_owned(), 12), "Séjour");
    }
}
