//! Who emails come from: a name to be shown and an address; and how addresses are written where only ASCII is understood.

use domain::EmailAddress;

use super::words;

/// `Vigie <alertes@exemple.fr>`, or an address alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mailbox {
    name: String,
    address: EmailAddress,
}

/// Says that a text is neither an address nor a name with an address in angle brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected an e-mail address, alone or as `Name <name@host>`")]
pub struct NotAMailbox;

impl Mailbox {
    /// As much as mail programs show.
    const NAME_CHARACTERS_MAX: usize = 100;

    pub fn new(name: &str, address: EmailAddress) -> Self {
        Self { name: words::in_header(&words::line(name, Self::NAME_CHARACTERS_MAX)), address }
    }

    pub fn parse(text: &str) -> Result<Self, NotAMailbox> {
        let (name, address) = match text.trim().strip_suffix('>') {
            Some(text) => text.rsplit_once('<').ok_or(NotAMailbox)?,
            None => ("", text),
        };
        let address = EmailAddress::parse(address).map_err(|_| NotAMailbox)?;
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

/// With the host as it stands in the domain name system. The name before it may still have emails beyond ASCII; servers that take
/// those say so.
pub(super) fn ascii_address(address: &EmailAddress) -> String {
    let text = address.as_str();
    let Some((name, host)) = text.rsplit_once('@') else { return text.to_owned() };
    match url::Host::parse(host) {
        Ok(url::Host::Domain(host)) => format!("{name}@{host}"),
        // Such a host was not accepted as one; whoever is asked to send there will say so.
        Ok(url::Host::Ipv4(_) | url::Host::Ipv6(_)) | Err(_) => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mailbox_has_a_name_or_none() {
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
            assert_eq!(Mailbox::parse(wrong), Err(NotAMailbox), "{wrong}");
        }
    }

    #[test]
    fn hosts_are_written_as_they_are_looked_up() {
        let ascii = |text| ascii_address(&EmailAddress::parse(text).unwrap());
        assert_eq!(ascii("a@exemple.fr"), "a@exemple.fr");
        assert_eq!(ascii("a@été.fr"), "a@xn--t-9fab.fr");
        assert_eq!(ascii("é@Exemple.fr"), "é@exemple.fr");
    }
}
