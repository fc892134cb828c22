//! Options of log-in with OpenID Connect.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;

use auth::oidc::ProviderSettings;
use outgoing::network::Network;
use outgoing::target::Target;

/// The provider of the options, in paths like `/auth/oidc/sso/start`.
const ID: &str = "sso";

/// One provider of log-in with OpenID Connect.
#[derive(Debug, Clone, Args)]
pub struct OidcOptions {
    /// Issuer with whose accounts people log in by OpenID Connect, like
    /// https://id.example.org/realms/staff
    #[arg(long, env = "COTERIE_OIDC_ISSUER", requires_all = ["oidc_client", "oidc_password"])]
    pub oidc_issuer: Option<IssuerUrl>,

    /// Name of this server at the issuer (client_id)
    #[arg(long, env = "COTERIE_OIDC_CLIENT", requires = "oidc_issuer")]
    pub oidc_client: Option<String>,

    /// Secret of this server at the issuer (client_secret)
    #[arg(long, env = "COTERIE_OIDC_SECRET", hide_env_values = true, requires = "oidc_issuer")]
    pub oidc_secret: Option<String>,

    /// File with that secret, in place of --oidc-secret
    #[arg(long, env = "COTERIE_OIDC_SECRET_FILE", requires = "oidc_issuer")]
    pub oidc_secret_file: Option<PathBuf>,

    /// Name of the issuer on the page to log in
    #[arg(long, env = "COTERIE_OIDC_NAME", default_value = "single sign-on")]
    pub oidc_name: String,

    /// Scopes to ask the issuer for; some need groups for the groups of a user
    #[arg(long, env = "COTERIE_OIDC_SCOPES", default_value = "openid profile email")]
    pub oidc_scopes: String,

    /// Domains of verified email addresses whose users may log in by the issuer, like
    /// example.org,example.com; all users if absent
    #[arg(
        long,
        env = "COTERIE_OIDC_ALLOW_DOMAINS",
        value_delimiter = ',',
        requires = "oidc_issuer"
    )]
    pub oidc_allow_domains: Vec<String>,

    /// Groups at the issuer whose members may log in, like staff,guests; all users if absent
    #[arg(
        long,
        env = "COTERIE_OIDC_ALLOW_GROUPS",
        value_delimiter = ',',
        requires = "oidc_issuer"
    )]
    pub oidc_allow_groups: Vec<String>,

    /// Group at the issuer whose members become admins at their log-in; others lose that role
    #[arg(long, env = "COTERIE_OIDC_OPERATORS_FROM", requires = "oidc_issuer")]
    pub oidc_operators_from: Option<String>,

    /// Group at the issuer whose members are no guests; everybody else who logs in by the issuer is
    /// one, except operators
    #[arg(long, env = "COTERIE_OIDC_GUEST_UNLESS", requires = "oidc_issuer")]
    pub oidc_guest_unless: Option<String>,

    /// Make an account at a first log-in by the issuer although registration is closed
    #[arg(long, env = "COTERIE_OIDC_CREATE", requires = "oidc_issuer")]
    pub oidc_create: bool,

    /// Trust email addresses that the issuer verified: they count as confirmed, and the user of
    /// the account with that address may link it
    #[arg(long, env = "COTERIE_OIDC_TRUST_EMAIL", requires = "oidc_issuer")]
    pub oidc_trust_email: bool,

    /// Ask for the second factor of this server after a log-in by the issuer, too
    #[arg(long, env = "COTERIE_OIDC_ASK_FACTOR", requires = "oidc_issuer")]
    pub oidc_ask_factor: bool,
}

/// The URL of an issuer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuerUrl(pub String);

impl FromStr for IssuerUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_loopback = |target: &Target| {
            let networks = Network::loopback();
            let address = target.literal();
            target.host() == "localhost"
                || address.is_some_and(|it| networks.iter().any(|network| network.contains(it)))
        };
        let target = Target::parse(text).ok();
        let is_usable = target.is_some_and(|it| it.is_secure() || is_loopback(&it));
        // It is compared as text with what the issuer writes.
        let is_plain = !text.contains(['?', '#']) && text.trim() == text;
        match is_usable && is_plain {
            true => Ok(Self(text.to_owned())),
            false => {
                Err("must be an https:// URL without a query, or an http:// URL of this machine")
            }
        }
    }
}

impl OidcOptions {
    /// The provider, if there is one.
    pub fn provider(&self) -> Option<ProviderSettings> {
        let named = |list: &[String]| {
            let trimmed = list.iter().map(|it| it.trim()).filter(|it| !it.is_empty());
            trimmed.map(str::to_owned).collect::<Vec<_>>()
        };
        let domains = named(&self.oidc_allow_domains);
        Some(ProviderSettings {
            id: ID.to_owned(),
            name: self.oidc_name.clone(),
            issuer: self.oidc_issuer.as_ref()?.0.clone(),
            client: self.oidc_client.clone()?,
            secret: self.oidc_secret.clone()?,
            scopes: self.oidc_scopes.clone(),
            domains: domains.iter().map(|domain| domain.to_ascii_lowercase()).collect(),
            groups: named(&self.oidc_allow_groups),
            operators_from: self.oidc_operators_from.clone(),
            guest_unless: self.oidc_guest_unless.clone(),
            creates: self.oidc_create,
            trusts_email: self.oidc_trust_email,
            asks_factor: self.oidc_ask_factor,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issuer_is_an_https_url_or_on_this_machine() {
        for text in [
            "https://id.example.org/realms/staff",
            "http://127.0.0.1:3000",
            "http://localhost:3000/",
            "http://[::1]:3000",
        ] {
            assert_eq!(text.parse(), Ok(IssuerUrl(text.to_owned())));
        }
        for text in [
            "",
            "id.example.org",
            "http://id.example.org",
            "http://10.0.0.1",
            "https://a:b@id.example.org",
            "https://id.example.org/?a=b",
            " https://id.example.org",
        ] {
            assert!(text.parse::<IssuerUrl>().is_err(), "{text:?}");
        }
    }
}
