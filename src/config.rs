//! Options: the command line, `COTERIE_*` variables, defaults. The only file that reads
//! the process environment.

pub mod values;

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::{Parser, ValueEnum};

use crate::cluster::living::NodeName;
use crate::config::values::{Bytes, DmLimit, Networks, PublicUrl, RateLimit, SmsUrl, Span};
use crate::log::LogFormat;
use crate::outgoing::network::Network;

/// A message for stderr: one line, then exit code 2.
#[derive(Debug)]
pub struct UsageError(String);

impl fmt::Display for UsageError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// An open, self-hosted group-messaging server.
#[derive(Debug, Clone, Parser)]
#[command(name = "coterie", version, about)]
pub struct Options {
    /// Address to listen on; port 0 picks a free one
    #[arg(long, env = "COTERIE_LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,

    /// Where everything lies that must survive
    #[arg(long, env = "COTERIE_DATA_DIR", default_value = "./data")]
    pub data_dir: PathBuf,

    /// Prefix of share URLs, image URLs and redirects; the listening address if absent
    #[arg(long, env = "COTERIE_PUBLIC_URL")]
    pub public_url: Option<PublicUrl>,

    /// Whether strangers may register
    #[arg(long, env = "COTERIE_REGISTRATION", value_enum, default_value = "open")]
    pub registration: RegistrationPolicy,

    /// Private networks that callbacks and image imports may reach, like 10.0.0.0/8, or
    /// none; this machine itself if absent and the server listens on loopback without a
    /// public URL
    #[arg(long, env = "COTERIE_CALLBACK_ALLOW")]
    pub callback_allow: Option<Networks>,

    /// Networks of proxies that are believed about who asks, like 172.16.0.0/12, or none;
    /// this machine itself if absent and there is a public URL
    #[arg(long, env = "COTERIE_TRUST_PROXY")]
    pub trust_proxy: Option<Networks>,

    /// How long tokens live, like 90d or 12h; for ever if absent
    #[arg(long, env = "COTERIE_TOKEN_TTL")]
    pub token_ttl: Option<Span>,

    /// Requests per token, like 1000/s, or off
    #[arg(long, env = "COTERIE_RATE_LIMIT", default_value = "1000/s")]
    pub rate_limit: RateLimit,

    /// Hosts whose requests get the compatibility answers
    #[arg(
        long,
        env = "COTERIE_COMPAT_HOST",
        default_value = "api.groupme.com,v2.groupme.com,file.groupme.com,image.groupme.com,push.groupme.com",
        value_delimiter = ','
    )]
    pub compat_host: Vec<String>,

    /// Direct messages per time, strangers per time, before a ban of ten minutes
    #[arg(long, env = "COTERIE_DM_LIMIT", default_value = "300/1m,50/10m")]
    pub dm_limit: DmLimit,

    /// Memory for the index, like 128MiB
    #[arg(long, env = "COTERIE_INDEX_CACHE", default_value = "128MiB")]
    pub index_cache: Bytes,

    /// Bytes of one file, like 100MiB
    #[arg(long, env = "COTERIE_FILE_LIMIT", default_value = "100MiB")]
    pub file_limit: Bytes,

    /// Bytes of all files of one user, like 10GiB
    #[arg(long, env = "COTERIE_FILE_QUOTA", default_value = "1GiB")]
    pub file_quota: Bytes,

    /// Have the server fetch the pages to which messages link, and show beside the message what
    /// they say of themselves
    #[arg(long, env = "COTERIE_LINK_PREVIEWS")]
    pub link_previews: bool,

    /// Servers of the log that several nodes share, like nats://10.0.0.1:4222,nats://10.0.0.2:4222
    #[arg(long, env = "COTERIE_NATS", hide_env_values = true, requires = "node")]
    pub nats: Option<String>,

    /// What this node is called among them, like a
    #[arg(long, env = "COTERIE_NODE", requires = "nats", value_parser = NodeName::parse)]
    pub node: Option<NodeName>,

    /// On how many of those servers the log is kept; 1 is for trying out
    #[arg(long, env = "COTERIE_REPLICAS", default_value = "3", value_parser = ["1", "3", "5"])]
    pub replicas: String,

    /// When a node answers what was written: once every node that is ready shows it, or once
    /// this one does
    #[arg(long, env = "COTERIE_ANSWER_WHEN", value_enum, default_value = "all", requires = "nats")]
    pub answer_when: AnswerWhen,

    /// For how long the log of several nodes keeps what all of them have, like 7d; for ever if
    /// absent
    #[arg(long, env = "COTERIE_LOG_KEEP", requires = "nats")]
    pub log_keep: Option<Span>,

    /// Go on although the journal lost its end or its folder: what is lost stays lost, and
    /// clients begin anew where the journal ends now
    #[arg(long, env = "COTERIE_ACCEPT_LOST_JOURNAL")]
    pub accept_lost_journal: bool,

    /// The SMS gateway, like https://api.twilio.com; without one, SMS are logged
    #[arg(long, env = "COTERIE_SMS_URL", requires_all = ["sms_account", "sms_secret", "sms_from"])]
    pub sms_url: Option<SmsUrl>,

    /// The account with the SMS gateway
    #[arg(long, env = "COTERIE_SMS_ACCOUNT")]
    pub sms_account: Option<String>,

    /// The password of that account
    #[arg(long, env = "COTERIE_SMS_SECRET", hide_env_values = true)]
    pub sms_secret: Option<String>,

    /// The number that SMS come from
    #[arg(long, env = "COTERIE_SMS_FROM")]
    pub sms_from: Option<String>,

    /// Who shows this token may read /metrics from elsewhere; only this machine if absent
    #[arg(long, env = "COTERIE_METRICS_TOKEN", hide_env_values = true)]
    pub metrics_token: Option<String>,

    /// Filter of the log on stderr
    #[arg(long, env = "COTERIE_LOG", default_value = "info")]
    pub log: String,

    /// How a line of the log looks
    #[arg(long, env = "COTERIE_LOG_FORMAT", value_enum, default_value = "text")]
    pub log_format: LogFormat,

    /// Where it listened before it started itself again; then it says nothing on stdout
    #[arg(long, hide = true, overrides_with = "again")]
    pub again: Option<SocketAddr>,
}

/// Who shows what was written before it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AnswerWhen {
    /// This node
    Node,
    /// Every node that is ready, as long as that takes no quarter of a second
    All,
}

/// Whether strangers may register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RegistrationPolicy {
    /// Anybody
    Open,
    /// Nobody
    Closed,
}

/// Reads a command line of this form, and the environment.
///
/// # Errors
/// When something in them is unknown or makes no sense. `--help` and `--version` print and
/// exit here.
pub fn read<C: Parser>() -> Result<C, UsageError> {
    let read = C::try_parse().map_err(|error| {
        if error.use_stderr() { UsageError(one_line(&error.to_string())) } else { error.exit() }
    })?;
    refuse_unknown_variables(&C::command())?;
    Ok(read)
}

impl Options {
    /// As a server would have them for this data directory.
    ///
    /// # Errors
    /// When a variable makes no sense.
    pub fn of(data_dir: &Path) -> Result<Self, UsageError> {
        let read = Self::try_parse_from(["coterie"]);
        let options = read.map_err(|error| UsageError(one_line(&error.to_string())))?;
        Ok(Self { data_dir: data_dir.to_owned(), ..options })
    }

    /// Whether this server can serve nobody but its own machine.
    pub fn is_local(&self) -> bool {
        self.listen.ip().is_loopback() && self.public_url.is_none()
    }

    /// The networks of proxies that are believed about who asks.
    pub fn trusted_networks(&self) -> Vec<Network> {
        match &self.trust_proxy {
            Some(Networks(named)) => named.clone(),
            None if self.public_url.is_some() => Network::loopback(),
            None => Vec::new(),
        }
    }

    /// Whether somebody on this machine may ask for others.
    pub fn is_behind_proxy(&self) -> bool {
        let is_local = |network: &Network| Network::loopback().iter().any(|it| it.meets(network));
        self.public_url.is_some() || self.trusted_networks().iter().any(is_local)
    }

    /// The private networks that requests of this server may reach.
    pub fn open_networks(&self) -> Vec<Network> {
        match &self.callback_allow {
            Some(Networks(named)) => named.clone(),
            None if self.is_local() => Network::loopback(),
            None => Vec::new(),
        }
    }
}

/// A misspelt variable would silently leave a default in force.
#[expect(clippy::disallowed_methods, reason = "this is the one file that reads the environment")]
fn refuse_unknown_variables(command: &clap::Command) -> Result<(), UsageError> {
    let known: Vec<String> = command
        .get_arguments()
        .filter_map(|argument| argument.get_env()?.to_str().map(str::to_owned))
        .collect();
    for (name, _) in std::env::vars() {
        if name.starts_with("COTERIE_") && !known.contains(&name) {
            let known = known.join(", ");
            return Err(UsageError(format!("unknown variable {name}; known are {known}")));
        }
    }
    Ok(())
}

/// clap's explanation without its usage text.
fn one_line(text: &str) -> String {
    let said = text.split("\n\n").next().unwrap_or(text);
    let words: Vec<&str> = said.split_whitespace().collect();
    words.join(" ").trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::user::{FloodLimits, Pace};

    #[test]
    fn direct_messages_have_two_limits() {
        let options = Options::try_parse_from(["coterie"]).unwrap();
        let (messages, strangers) =
            (Pace { most: 300, millis: 60_000 }, Pace { most: 50, millis: 600_000 });
        assert_eq!(options.dm_limit, DmLimit(FloodLimits { messages, strangers }));
        for text in ["", "300/1m", "0/1m,50/10m", "300/1m,50", "300/1,50/10m", "x/1m,50/10m"] {
            assert!(text.parse::<DmLimit>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn only_a_server_for_its_own_machine_reaches_its_own_machine() {
        let open = |words: &[&str]| {
            let words = ["coterie"].iter().chain(words);
            Options::try_parse_from(words).unwrap().open_networks()
        };
        assert_eq!(open(&[]), Network::loopback());
        assert_eq!(open(&["--listen", "[::1]:8080"]), Network::loopback());
        assert_eq!(open(&["--listen", "0.0.0.0:8080"]), []);
        assert_eq!(open(&["--public-url", "https://chat.example.org"]), []);
        assert_eq!(open(&["--callback-allow", "none"]), []);
        let named = ["10.0.0.0/8", "fd00::/8"].map(|it| it.parse().unwrap());
        assert_eq!(open(&["--callback-allow", "10.0.0.0/8, fd00::/8"]), named);
        for text in ["", "none,10.0.0.0/8", "10.0.0.0/8,", "localhost"] {
            assert!(text.parse::<Networks>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_proxy_on_this_machine_is_believed_behind_a_public_url() {
        let options = |words: &[&str]| {
            let words = ["coterie"].iter().chain(words);
            Options::try_parse_from(words).unwrap()
        };
        let public = ["--public-url", "https://chat.example.org"];
        assert_eq!(options(&[]).trusted_networks(), []);
        assert_eq!(options(&public).trusted_networks(), Network::loopback());
        let none = options(&[public[0], public[1], "--trust-proxy", "none"]);
        assert_eq!(none.trusted_networks(), []);
        let named = options(&["--trust-proxy", "172.16.0.0/12,fd00::/8"]);
        assert_eq!(named.trusted_networks().len(), 2);
        assert!(!options(&[]).is_behind_proxy() && !named.is_behind_proxy());
        assert!(none.is_behind_proxy() && options(&["--trust-proxy", "::1"]).is_behind_proxy());
        assert!(options(&["--trust-proxy", "0.0.0.0/0"]).is_behind_proxy());
    }

    #[test]
    fn explanations_fit_in_one_line() {
        let error = Options::try_parse_from(["coterie", "--nonsense"]).unwrap_err();
        assert_eq!(one_line(&error.to_string()), "unexpected argument '--nonsense' found");
    }
}
