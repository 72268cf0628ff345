//! Composes the e-mail that asks a recipient for confirmation.
//!
//! **Invariant:** it contains no text of a user. Otherwise this e-mail, which goes to addresses that have not agreed to anything, could
//! be used to send messages to strangers.

use mail_builder::MessageBuilder;
use mail_builder::headers::address::Address;
use mail_builder::headers::date::Date;
use mail_builder::headers::raw::Raw;

use super::email::ComposedEmail;
use super::mailbox::{Mailbox, ascii_address};
use crate::ConfirmationEmail;

pub fn compose(email: &ConfirmationEmail, from: &Mailbox) -> ComposedEmail {
    let ConfirmationEmail { id, to, at, link } = email;
    let (to, sender) = (ascii_address(to), from.ascii_address());
    let domain = sender.rsplit_once('@').map_or(sender.as_str(), |(_, domain)| domain);
    let name = Some(from.name()).filter(|name| !name.is_empty());
    let text = format!(
        "Bonjour,\n\nQuelqu'un souhaite envoyer à cette adresse des alertes immobilières.\n\
         Pour les recevoir, confirmez-le ici dans les sept jours :\n\n{}\n\n\
         Si vous n'êtes pas concerné, ignorez ce message : aucune alerte ne sera envoyée.\n",
        link.as_str()
    );
    let mut bytes = Vec::new();
    MessageBuilder::new()
        .header("From", Address::new_address(name, sender.as_str()))
        .header("To", Address::new_address(None::<&str>, to.as_str()))
        .subject("Confirmez votre adresse pour recevoir des alertes")
        .header("Date", Date::new(at.as_second()))
        .message_id(format!("{id}@{domain}"))
        .header("Auto-Submitted", Raw::new("auto-generated"))
        .text_body(text)
        .serialize(&mut bytes);
    ComposedEmail { id: *id, at: *at, to, bytes }
}
