//! Registration: the domains whose addresses may register, and what a new account waits for.

use serde::{Deserialize, Serialize};

use crate::limits::REGISTRATION_DOMAINS;
use crate::mail::{CONFIRMATION_MILLIS, MailLanguage};
use crate::text::{AboutText, Email};
use crate::time::Timestamp;

/// The domains whose addresses may register.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegistrationDomains {
    /// The domains in their canonical form.
    names: Vec<String>,
    /// Whether people who are not logged in see them.
    pub are_shown: bool,
}

/// Why domains are not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DomainsRefusal {
    /// There are none.
    #[error("must name a domain")]
    None,
    /// There are too many.
    #[error("must name at most {REGISTRATION_DOMAINS} domains")]
    TooMany,
    /// One of them is none.
    #[error("must be domains, like example.org")]
    Form,
}

impl RegistrationDomains {
    /// Reads domains as somebody typed them; repeated ones count once.
    ///
    /// # Errors
    /// If there are none or too many, or one of them is none.
    pub fn parse<'a>(
        typed: impl IntoIterator<Item = &'a str>,
        are_shown: bool,
    ) -> Result<Self, DomainsRefusal> {
        let mut names: Vec<String> = Vec::new();
        for domain in typed {
            let domain = domain.trim();
            let domain = domain.strip_prefix('@').unwrap_or(domain);
            let is_plain =
                !domain.contains([',', ':', '/']) && !domain.contains(char::is_whitespace);
            let address = Email::parse(&format!("a@{domain}")).ok().filter(|_| is_plain);
            let name = domain_of(&address.ok_or(DomainsRefusal::Form)?);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        match names.len() {
            0 => Err(DomainsRefusal::None),
            count if count > REGISTRATION_DOMAINS => Err(DomainsRefusal::TooMany),
            _ => Ok(Self { names, are_shown }),
        }
    }

    /// The domains in their canonical form.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether an address is of one of them. A subdomain is another domain.
    pub fn allow(&self, address: &Email) -> bool {
        self.names.contains(&domain_of(address))
    }
}

/// The domain of an address, in its canonical form.
fn domain_of(address: &Email) -> String {
    let key = address.key();
    key.rsplit_once('@').map_or_else(String::new, |(_, domain)| domain.to_owned())
}

/// What a new account waits for. Until then nobody can log in to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountWait {
    /// What it waits for.
    pub reason: WaitingReason,
    /// When the account ends if it still waits; `None` if it does not.
    pub until: Option<Timestamp>,
}

/// The reason for which a new account waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum WaitingReason {
    /// Its address is to be confirmed.
    Confirmation,
    /// An operator is to approve it.
    Approval {
        /// What its owner says; `None` if the account came by a provider.
        about: Option<AboutText>,
        /// The language of the mail that tells of the approval.
        language: MailLanguage,
    },
}

impl AccountWait {
    /// For the confirmation of the address, as long as the link for it is valid.
    pub fn for_confirmation(now: Timestamp) -> Self {
        let until = Some(now.plus_millis(CONFIRMATION_MILLIS));
        Self { reason: WaitingReason::Confirmation, until }
    }

    /// For the approval of an operator, however long that takes.
    pub const fn for_approval(about: Option<AboutText>, language: MailLanguage) -> Self {
        Self { reason: WaitingReason::Approval { about, language }, until: None }
    }
}

impl WaitingReason {
    /// The name in the API.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Confirmation => "confirmation",
            Self::Approval { .. } => "approval",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(domains: &RegistrationDomains, address: &str) -> bool {
        domains.allow(&Email::parse(address).unwrap())
    }

    #[test]
    fn addresses_of_named_domains_are_allowed_in_any_spelling() {
        let typed = ["Example.org", " @bücher.example ", "example.ORG"];
        let domains = RegistrationDomains::parse(typed, false).unwrap();
        assert_eq!(domains.names(), ["example.org", "bücher.example"]);
        for address in ["ana@EXAMPLE.org", "ana@xn--bcher-kva.example", "a@b@example.org"] {
            let parsed = Email::parse(address);
            assert!(parsed.is_err() || allows(&domains, address), "{address}");
        }
        for address in ["ana@sub.example.org", "ana@example.org.evil.example", "ana@example.com"] {
            assert!(!allows(&domains, address), "{address}");
        }
    }

    #[test]
    fn texts_that_are_no_domains_are_refused() {
        for typed in ["", "@", "a@b", "example.org,example.com", "two words", "https://example.org"]
        {
            let refusal = RegistrationDomains::parse([typed], false);
            assert_eq!(refusal, Err(DomainsRefusal::Form), "{typed:?}");
        }
        assert_eq!(RegistrationDomains::parse([], true), Err(DomainsRefusal::None));
        let many: Vec<String> =
            (0..=REGISTRATION_DOMAINS).map(|it| format!("{it}.example")).collect();
        let many = RegistrationDomains::parse(many.iter().map(String::as_str), true);
        assert_eq!(many, Err(DomainsRefusal::TooMany));
    }
}
