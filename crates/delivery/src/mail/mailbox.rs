//! The sender of e-mails: a display name and an address. Also converts addresses to ASCII.

use domain::EmailAddress;

use super::format;

/// A sender: `Vigie <alertes@exemple.fr>`, or only an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mailbox {
    name: String,
    address: EmailAddress,
}

/// The text is neither an address nor `Name <address>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected an e-mail address, alone or as `Name <name@host>`")]
pub struct MailboxError;

impl Mailbox {
    /// Maximum length of the display name.
    const NAME_CHARACTERS_MAX: usize = 100;

    pub fn new(name: &str, address: EmailAddress) -> Self {
        Self { name: format::header_safe(&format::single_line(name, Self::NAME_CHARACTERS_MAX)), address }
    }

    pub fn parse(text: &str) -> Result<Self, MailboxError> {
        let (name, address) = match text.trim().strip_suffix('>') {
            Some(text) => text.rsplit_once('<').ok_or(MailboxError)?,
            None => ("", text),
        };
        let address = EmailAddress::parse(address).map_err(|_| MailboxError)?;
        let name = name.trim();
        let name = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name);
        Ok(Self::new(name, address))
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn address(&self) -> &EmailAddress {
        &self.address
    }

    pub(super) fn ascii_address(&self) -> String {
        ascii_address(&self.address)
    }
}

/// Returns an address with its host in ASCII (IDNA). The local part may still contain non-ASCII characters, which
/// servers with SMTPUTF8 accept.
pub(super) fn ascii_address(address: &EmailAddress) -> String {
    let text = address.as_str();
    let Some((name, host)) = text.rsplit_once('@') else { return text.to_owned() };
    match url::Host::parse(host) {
        Ok(url::Host::Domain(host)) => format!("{name}@{host}"),
        // Not a valid mail host. The mail server will reject it.
        Ok(url::Host::Ipv4(_) | url::Host::Ipv6(_)) | Err(_) => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mailboxes_parse() {
        let check = |text: &str, name: &str, address: &str| {
            let mailbox = Mailbox::parse(text).unwrap();
            assert_eq!((mailbox.name(), mailbox.address().as_str()), (name, address), "{text}");
        };
        check("alertes@exemple.fr", "", "alertes@exemple.fr");
        check("Vigie <alertes@exemple.fr>", "Vigie", "alertes@exemple.fr");
        check("\"Vigie, Lyon\" <alertes@exemple.fr>", "Vigie, Lyon", "alertes@exemple.fr");
        check("<alertes@exemple.fr>", "", "alertes@exemple.fr");
        check("=?utf-8?Q?a?= <alertes@exemple.fr>", "= ?utf-8?Q?a?=", "alertes@exemple.fr");
        check("Vigie\r\nBcc: x@y.fr <alertes@exemple.fr>", "Vigie Bcc: x@y.fr", "alertes@exemple.fr");
        for wrong in ["", "Vigie", "Vigie <>", "a@b.fr>", "<a@b.fr> x", "a@b.fr, c@d.fr"] {
            assert_eq!(Mailbox::parse(wrong), Err(MailboxError), "{wrong}");
        }
    }

    #[test]
    fn hosts_are_converted_to_ascii() {
        let ascii = |text| ascii_address(&EmailAddress::parse(text).unwrap());
        assert_eq!(ascii("a@exemple.fr"), "a@exemple.fr");
        assert_eq!(ascii("a@été.fr"), "a@xn--t-9fab.fr");
        assert_eq!(ascii("é@Exemple.fr"), "é@exemple.fr");
    }
}
