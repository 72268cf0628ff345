//! Composes an e-mail about new matches: text part, HTML part and headers.
//!
//! **Invariant:** all text from publishers and users goes through [`mod@format`]: reduced to one line of bounded
//! length, escaped in HTML, and linked only if it is a web page. The content depends only on the e-mail and its
//! sender, so a retry sends the same content under the same `Message-ID`; only `Date` differs.

use domain::Timestamp;
use mail_builder::MessageBuilder;
use mail_builder::headers::address::Address;
use mail_builder::headers::content_type::ContentType;
use mail_builder::headers::date::Date;
use mail_builder::headers::raw::Raw;
use mail_builder::mime::MimePart;

use super::format;
use super::mailbox::{Mailbox, ascii_address};
use crate::{Email, EmailId, ListingSummary};

/// Maximum length of the search title, somewhat more than mail programs show of a subject.
const TITLE_CHARACTERS_MAX: usize = 100;
/// Maximum length of a listing's title. Adverts keep theirs short enough for result pages.
const LISTING_TITLE_CHARACTERS_MAX: usize = 140;
/// Maximum length of a place. The longest name of a French commune has 45 characters.
const PLACE_CHARACTERS_MAX: usize = 80;
/// Shown instead of an empty title.
const UNTITLED: &str = "Sans titre";
const UNTITLED_LISTING: &str = "Annonce sans titre";

/// A composed e-mail.
#[derive(Debug)]
pub struct ComposedEmail {
    pub id: EmailId,
    pub at: Timestamp,
    pub to: String,
    pub bytes: Vec<u8>,
}

pub fn compose(email: &Email, from: &Mailbox) -> ComposedEmail {
    let content = EmailContent::of(email);
    let to = ascii_address(&email.to);
    let sender = from.ascii_address();
    let domain = sender.rsplit_once('@').map_or(sender.as_str(), |(_, domain)| domain);
    // Quoted-printable encodes equals signs, so no line can begin like this.
    let boundary = format!("=_{}", email.id);
    let parts = vec![
        MimePart::new(ContentType::new("text/plain").attribute("charset", "utf-8"), content.text()),
        MimePart::new(ContentType::new("text/html").attribute("charset", "utf-8"), content.html()),
    ];
    let name = Some(from.name()).filter(|name| !name.is_empty());
    let mut message = MessageBuilder::new()
        .header("From", Address::new_address(name, sender.as_str()))
        .header("To", Address::new_address(None::<&str>, to.as_str()))
        .subject(content.subject())
        .header("Date", Date::new(email.at.as_second()))
        .message_id(format!("{}@{domain}", email.id))
        // Prevents automatic replies.
        .header("Auto-Submitted", Raw::new("auto-generated"));
    if let Some(unsubscribe) = &content.unsubscribe {
        // Must not look like an encoded word. The URL is ours and its meaning does not change.
        let unsubscribe = unsubscribe.replace("=?", "%3D?");
        message = message
            .header("List-Unsubscribe", Raw::new(format!("<{unsubscribe}>")))
            .header("List-Unsubscribe-Post", Raw::new("List-Unsubscribe=One-Click"));
    }
    let body =
        MimePart::new(ContentType::new("multipart/alternative").attribute("boundary", boundary), parts);
    let mut bytes = Vec::new();
    message.body(body).serialize(&mut bytes);
    ComposedEmail { id: email.id, at: email.at, to, bytes }
}

/// The sanitised content of an e-mail, not escaped yet.
struct EmailContent {
    title: String,
    to: String,
    listings: Vec<ListingContent>,
    total: u64,
    unsubscribe: Option<String>,
}

struct ListingContent {
    title: String,
    /// Price, surface and rooms, as far as they are known.
    facts: String,
    place: Option<String>,
    picture: Option<String>,
    link: Option<String>,
}

impl EmailContent {
    fn of(email: &Email) -> Self {
        let Email { id: _, to, at: _, title, listings, others, unsubscribe } = email;
        Self {
            title: or_default(format::single_line(title, TITLE_CHARACTERS_MAX), UNTITLED),
            to: to.to_string(),
            listings: listings.iter().take(Email::LISTINGS_MAX).map(ListingContent::of).collect(),
            total: (listings.len() as u64).saturating_add(*others),
            unsubscribe: format::safe_link(unsubscribe).map(String::from),
        }
    }

    fn subject(&self) -> String {
        format!("{} : {}", format::new_listings(self.total), format::header_safe(&self.title))
    }

    fn remaining(&self) -> Option<String> {
        let remaining = self.total - self.listings.len() as u64;
        (remaining > 0).then(|| format::other_listings(remaining))
    }

    /// Returns the title in quotes.
    fn quoted(&self) -> String {
        format!("«\u{a0}{}\u{a0}»", self.title)
    }

    fn footer(&self) -> String {
        format!(
            "Vous recevez ce message parce que les alertes de votre recherche {} sont envoyées à {}.",
            self.quoted(),
            self.to
        )
    }

    fn text(&self) -> String {
        let mut text =
            format!("{} pour votre recherche {}\n", format::new_listings(self.total), self.quoted());
        for listing in &self.listings {
            text.push_str(&format!("\n* {}\n", listing.title));
            let lines = [
                Some(&listing.facts).filter(|facts| !facts.is_empty()),
                listing.place.as_ref(),
                listing.link.as_ref(),
            ];
            lines.into_iter().flatten().for_each(|line| text.push_str(&format!("  {line}\n")));
        }
        if let Some(remaining) = self.remaining() {
            text.push_str(&format!("\n… {remaining}\n"));
        }
        text.push_str(&format!("\n-- \n{}\n", self.footer()));
        if let Some(unsubscribe) = &self.unsubscribe {
            text.push_str(&format!("Pour ne plus recevoir ces alertes : {unsubscribe}\n"));
        }
        text
    }

    /// Uses tables and inline styles, since mail programs support little else.
    fn html(&self) -> String {
        let title = format::escape_html(&self.title);
        let mut html = format!(
            "<!DOCTYPE html>\n<html lang=\"fr\">\n<head><meta charset=\"utf-8\"><title>{title}</title></head>\n\
             <body style=\"margin:0;padding:16px;font-family:sans-serif;color:#222;\">\n\
             <h1 style=\"font-size:20px;\">{} pour votre recherche {}</h1>\n",
            format::new_listings(self.total),
            format::escape_html(&self.quoted()),
        );
        self.listings.iter().for_each(|listing| html.push_str(&listing.html()));
        if let Some(remaining) = self.remaining() {
            html.push_str(&format!("<p>… {remaining}</p>\n"));
        }
        html.push_str(&format!(
            "<p style=\"margin-top:24px;border-top:1px solid #ccc;padding-top:8px;font-size:12px;color:#666;\">{}",
            format::escape_html(&self.footer()),
        ));
        if let Some(unsubscribe) = &self.unsubscribe {
            html.push_str(&format!(
                "<br>\n<a href=\"{}\">Ne plus recevoir ces alertes</a>",
                format::escape_html(unsubscribe)
            ));
        }
        html.push_str("</p>\n</body>\n</html>\n");
        html
    }
}

impl ListingContent {
    fn of(listing: &ListingSummary) -> Self {
        let ListingSummary { title, transaction, price, surface, rooms, place, picture, link } = listing;
        let facts = [
            price.map(|price| format::price(price, *transaction)),
            surface.map(format::surface),
            rooms.map(format::rooms),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        let title = title.as_deref().unwrap_or_default();
        let place = place.as_deref().map(|place| format::single_line(place, PLACE_CHARACTERS_MAX));
        Self {
            title: or_default(format::single_line(title, LISTING_TITLE_CHARACTERS_MAX), UNTITLED_LISTING),
            facts: facts.join(" · "),
            place: place.filter(|place| !place.is_empty()),
            picture: picture.as_ref().and_then(format::safe_picture).map(String::from),
            link: link.as_ref().and_then(format::safe_link).map(String::from),
        }
    }

    fn html(&self) -> String {
        let mut title = format::escape_html(&self.title);
        if let Some(link) = &self.link {
            title = format!("<a href=\"{}\" style=\"color:#0b5394;\">{title}</a>", format::escape_html(link));
        }
        let picture = self.picture.as_ref().map(|picture| {
            format!(
                "<img src=\"{}\" alt=\"\" width=\"160\" style=\"display:block;\">",
                format::escape_html(picture)
            )
        });
        let mut lines = vec![format!("<strong>{title}</strong>")];
        lines.extend(
            Some(&self.facts).filter(|facts| !facts.is_empty()).map(|facts| format::escape_html(facts)),
        );
        lines.extend(self.place.as_deref().map(format::escape_html));
        format!(
            "<table role=\"presentation\" style=\"margin:0 0 16px;\"><tr>\n\
             <td style=\"width:176px;vertical-align:top;\">{}</td>\n\
             <td style=\"vertical-align:top;\">{}</td>\n</tr></table>\n",
            picture.unwrap_or_default(),
            lines.join("<br>\n"),
        )
    }
}

fn or_default(text: String, default: &str) -> String {
    if text.is_empty() { default.to_owned() } else { text }
}

#[cfg(test)]
mod tests;
