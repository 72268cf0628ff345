//! A email about new matches: what it says, in text and in HTML, and the headers it travels with.
//!
//! **Invariant:** everything publishers and users wrote goes through [`words`]: as one line of bounded length, escaped where
//! it stands in HTML, linked only if it leads to the web. What it says depends on nothing but the email and its sender,
//! so that another attempt says the same under the same `Message-ID`; only its `Date` is that of the attempt.

use mail_builder::MessageBuilder;
use mail_builder::headers::address::Address;
use mail_builder::headers::content_type::ContentType;
use mail_builder::headers::date::Date;
use mail_builder::headers::raw::Raw;
use mail_builder::mime::MimePart;

use super::mailbox::{Mailbox, ascii_address};
use super::words;
use crate::{Email, ListingSummary};

/// What mail programs show of a subject, and then some.
const TITLE_CHARACTERS_MAX: usize = 100;
/// Titles of adverts are written to fit on a page of results.
const HOME_TITLE_CHARACTERS_MAX: usize = 140;
/// The longest name of a French commune has 45 emails.
const PLACE_CHARACTERS_MAX: usize = 80;
/// In place of a title that is missing or had nothing to read in it.
const UNTITLED: &str = "Sans titre";
const UNTITLED_HOME: &str = "Bien sans titre";

/// A email ready to be handed over.
#[derive(Debug)]
pub struct Composed {
    pub to: String,
    pub bytes: Vec<u8>,
}

pub fn compose(email: &Email, from: &Mailbox) -> Composed {
    let said = Said::of(email);
    let to = ascii_address(&email.to);
    let sender = from.ascii_address();
    let domain = sender.rsplit_once('@').map_or(sender.as_str(), |(_, domain)| domain);
    // A line of quoted-printable never begins like this: it would have written the equals sign otherwise.
    let boundary = format!("=_{}", email.id);
    let parts = vec![
        MimePart::new(ContentType::new("text/plain").attribute("charset", "utf-8"), said.text()),
        MimePart::new(ContentType::new("text/html").attribute("charset", "utf-8"), said.html()),
    ];
    let name = Some(from.name()).filter(|name| !name.is_empty());
    let mut message = MessageBuilder::new()
        .header("From", Address::new_address(name, sender.as_str()))
        .header("To", Address::new_address(None::<&str>, to.as_str()))
        .subject(said.subject())
        .header("Date", Date::new(email.at.as_second()))
        .message_id(format!("{}@{domain}", email.id))
        // Nobody's holiday notice should come back.
        .header("Auto-Submitted", Raw::new("auto-generated"));
    if let Some(unsubscribe) = &said.unsubscribe {
        // Not to be taken for an encoded word. This address is our own, and never means anything by it.
        let unsubscribe = unsubscribe.replace("=?", "%3D?");
        message = message
            .header("List-Unsubscribe", Raw::new(format!("<{unsubscribe}>")))
            .header("List-Unsubscribe-WebhookMessage", Raw::new("List-Unsubscribe=One-Click"));
    }
    let body =
        MimePart::new(ContentType::new("multipart/alternative").attribute("boundary", boundary), parts);
    let mut bytes = Vec::new();
    message.body(body).serialize(&mut bytes);
    Composed { to, bytes }
}

/// What a email says, fit to be read but not yet escaped.
struct Said {
    title: String,
    to: String,
    listings: Vec<SaidHome>,
    total: u64,
    unsubscribe: Option<String>,
}

struct SaidHome {
    title: String,
    /// Price, surface, rooms; those that are known.
    facts: String,
    place: Option<String>,
    picture: Option<String>,
    link: Option<String>,
}

impl Said {
    fn of(email: &Email) -> Self {
        let Email { id: _, to, at: _, title, listings, others, unsubscribe } = email;
        Self {
            title: or(words::line(title, TITLE_CHARACTERS_MAX), UNTITLED),
            to: to.to_string(),
            listings: listings.iter().take(Email::LISTINGS_MAX).map(SaidHome::of).collect(),
            total: (listings.len() as u64).saturating_add(*others),
            unsubscribe: words::link(unsubscribe).map(String::from),
        }
    }

    fn subject(&self) -> String {
        format!("{} : {}", words::new_homes(self.total), words::in_header(&self.title))
    }

    fn unshown(&self) -> Option<String> {
        let unshown = self.total - self.listings.len() as u64;
        (unshown > 0).then(|| words::other_homes(unshown))
    }

    /// The title within other words.
    fn quoted(&self) -> String {
        format!("«\u{a0}{}\u{a0}»", self.title)
    }

    fn why(&self) -> String {
        format!(
            "Vous recevez ce message parce que la recherche {} signale ses nouveaux biens à {}.",
            self.quoted(),
            self.to
        )
    }

    fn text(&self) -> String {
        let mut text = format!("{} pour votre recherche {}\n", words::new_homes(self.total), self.quoted());
        for listing in &self.listings {
            text.push_str(&format!("\n* {}\n", listing.title));
            let lines = [
                Some(&listing.facts).filter(|facts| !facts.is_empty()),
                listing.place.as_ref(),
                listing.link.as_ref(),
            ];
            lines.into_iter().flatten().for_each(|line| text.push_str(&format!("  {line}\n")));
        }
        if let Some(unshown) = self.unshown() {
            text.push_str(&format!("\n… {unshown}\n"));
        }
        text.push_str(&format!("\n-- \n{}\n", self.why()));
        if let Some(unsubscribe) = &self.unsubscribe {
            text.push_str(&format!("Pour ne plus en recevoir : {unsubscribe}\n"));
        }
        text
    }

    /// Tables and styles beside the elements, since that is what mail programs understand.
    fn html(&self) -> String {
        let title = words::escaped(&self.title);
        let mut html = format!(
            "<!DOCTYPE html>\n<html lang=\"fr\">\n<head><meta charset=\"utf-8\"><title>{title}</title></head>\n\
             <body style=\"margin:0;padding:16px;font-family:sans-serif;color:#222;\">\n\
             <h1 style=\"font-size:20px;\">{} pour votre recherche {}</h1>\n",
            words::new_homes(self.total),
            words::escaped(&self.quoted()),
        );
        self.listings.iter().for_each(|listing| html.push_str(&listing.html()));
        if let Some(unshown) = self.unshown() {
            html.push_str(&format!("<p>… {unshown}</p>\n"));
        }
        html.push_str(&format!(
            "<p style=\"margin-top:24px;border-top:1px solid #ccc;padding-top:8px;font-size:12px;color:#666;\">{}",
            words::escaped(&self.why()),
        ));
        if let Some(unsubscribe) = &self.unsubscribe {
            html.push_str(&format!(
                "<br>\n<a href=\"{}\">Ne plus recevoir ces messages</a>",
                words::escaped(unsubscribe)
            ));
        }
        html.push_str("</p>\n</body>\n</html>\n");
        html
    }
}

impl SaidHome {
    fn of(listing: &ListingSummary) -> Self {
        let ListingSummary { title, transaction, price, surface, rooms, place, picture, link } = listing;
        let facts = [
            price.map(|price| words::price(price, *transaction)),
            surface.map(words::surface),
            rooms.map(words::rooms),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        let title = title.as_deref().unwrap_or_default();
        let place = place.as_deref().map(|place| words::line(place, PLACE_CHARACTERS_MAX));
        Self {
            title: or(words::line(title, HOME_TITLE_CHARACTERS_MAX), UNTITLED_HOME),
            facts: facts.join(" · "),
            place: place.filter(|place| !place.is_empty()),
            picture: picture.as_ref().and_then(words::picture).map(String::from),
            link: link.as_ref().and_then(words::link).map(String::from),
        }
    }

    fn html(&self) -> String {
        let mut title = words::escaped(&self.title);
        if let Some(link) = &self.link {
            title = format!("<a href=\"{}\" style=\"color:#0b5394;\">{title}</a>", words::escaped(link));
        }
        let picture = self.picture.as_ref().map(|picture| {
            format!(
                "<img src=\"{}\" alt=\"\" width=\"160\" style=\"display:block;\">",
                words::escaped(picture)
            )
        });
        let mut lines = vec![format!("<strong>{title}</strong>")];
        lines.extend(Some(&self.facts).filter(|facts| !facts.is_empty()).map(|facts| words::escaped(facts)));
        lines.extend(self.place.as_deref().map(words::escaped));
        format!(
            "<table role=\"presentation\" style=\"margin:0 0 16px;\"><tr>\n\
             <td style=\"width:176px;vertical-align:top;\">{}</td>\n\
             <td style=\"vertical-align:top;\">{}</td>\n</tr></table>\n",
            picture.unwrap_or_default(),
            lines.join("<br>\n"),
        )
    }
}

fn or(text: String, instead: &str) -> String {
    if text.is_empty() { instead.to_owned() } else { text }
}

#[cfg(test)]
mod tests;
