//! Options: the command line, `COTERIE_*` variables, defaults. The only file that reads the process
//! environment.

pub mod oidc;
pub mod values;

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::builder::ArgPredicate;
use clap::{ArgGroup, Args, Parser, ValueEnum};

use crate::admin::protocol::{BackupSchedule, ServerSettings};
use crate::config::oidc::OidcOptions;
use crate::config::values::{
    Binding, Bytes, DirectoryUrl, DmLimit, Domain, EmailAddress, NatsAddresses, Networks,
    PublicUrl, RateLimit, RedirectAddress, SmsUrl, Span, WriteLimit,
};
use crate::http::acme::{AcmeSettings, LETS_ENCRYPT};
use crate::http::certificate::CertificateFiles;
use crate::log::LogFormat;
use backup::bucket::Credentials;
use backup::encryption::BackupKey;
use backup::place::BackupPlace;
use backup::schedule::{Access, BackupSettings};
use cluster::liveness::NodeName;
use domain::instance::{FixedSettings, SettingSource, SignUp, SourcedValue};
use domain::registration::RegistrationDomains;
use notify::mail::{MailSender, SmtpUrl};
use outgoing::network::Network;

/// A mistake in the options: one line for stderr; the exit code is 2.
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
#[command(group = ArgGroup::new("https").args(["domain", "tls_cert"]))]
#[command(group = ArgGroup::new("log_servers").args(["nats", "nats_file"]))]
#[command(group = ArgGroup::new("mail_server").args(["smtp_url", "smtp_url_file"]))]
#[command(group = ArgGroup::new("oidc_password").args(["oidc_secret", "oidc_secret_file"]))]
#[command(group = ArgGroup::new("sms_password").args(["sms_secret", "sms_secret_file"]))]
pub struct Options {
    /// IP address and port to listen on; port 0 picks a free one; [::]:443 with --domain
    #[arg(
        long,
        env = "COTERIE_LISTEN",
        default_value = "127.0.0.1:8080",
        default_value_if("domain", ArgPredicate::IsPresent, "[::]:443"),
        value_parser = values::listening_address
    )]
    pub listen: SocketAddr,

    /// Directory with all data of the server
    #[arg(long, env = "COTERIE_DATA_DIR", default_value = "./data")]
    pub data_dir: PathBuf,

    /// Base URL of share links, image URLs and redirects, like https://chat.example.org; the
    /// listening address if absent, or the first of --domain
    #[arg(long, env = "COTERIE_PUBLIC_URL")]
    pub public_url: Option<PublicUrl>,

    /// Names of the server, like chat.example.org,www.example.org: it orders a certificate for them
    /// by ACME, renews it, and speaks HTTPS alone. This accepts the terms of the authority
    #[arg(
        long,
        env = "COTERIE_DOMAIN",
        value_delimiter = ',',
        conflicts_with_all = ["log_servers", "node"]
    )]
    pub domain: Vec<Domain>,

    /// URL of the directory of the certificate authority
    #[arg(long, env = "COTERIE_ACME_DIRECTORY", default_value = LETS_ENCRYPT, requires = "domain")]
    pub acme_directory: DirectoryUrl,

    /// Email address to which the authority writes about the account
    #[arg(long, env = "COTERIE_ACME_EMAIL", requires = "domain")]
    pub acme_email: Option<EmailAddress>,

    /// Key identifier and key, like KID:KEY, from an authority that wants its customers to have an
    /// account (external account binding)
    #[arg(long, env = "COTERIE_ACME_EAB", hide_env_values = true, requires = "domain")]
    pub acme_eab: Option<Binding>,

    /// File with KID:KEY, in place of --acme-eab
    #[arg(long, env = "COTERIE_ACME_EAB_FILE", requires = "domain", conflicts_with = "acme_eab")]
    pub acme_eab_file: Option<PathBuf>,

    /// PEM file with the certificates that sign that of the authority's own server; those that
    /// browsers trust if absent
    #[arg(long, env = "COTERIE_ACME_CA", requires = "domain")]
    pub acme_ca: Option<PathBuf>,

    /// PEM file with the server's certificate, followed by those that sign it: the server then
    /// speaks HTTPS alone, and reads the file again when it changes
    #[arg(long, env = "COTERIE_TLS_CERT", requires_all = ["tls_key", "public_url"])]
    pub tls_cert: Option<PathBuf>,

    /// PEM file with the private key of that certificate, without a password
    #[arg(long, env = "COTERIE_TLS_KEY", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,

    /// IP address and port where HTTP without TLS redirects to the public URL, like 0.0.0.0:80, or
    /// none; if absent, port 80 with --domain, if that can be bound
    #[arg(long, env = "COTERIE_HTTP_REDIRECT", requires = "https")]
    pub http_redirect: Option<RedirectAddress>,

    /// Who may register an account: open, closed, or domain:example.org,… for who confirms an address
    /// of these domains, which needs --smtp-url; approval: whom operators approve; if absent, what
    /// an admin set, or else anybody
    #[arg(long, env = "COTERIE_REGISTRATION")]
    pub registration: Option<RegistrationPolicy>,

    /// Private networks that callbacks, image imports and push notices may reach, like 10.0.0.0/8,
    /// or none; if absent, this machine itself while the server listens on loopback without a
    /// public URL
    #[arg(long, env = "COTERIE_CALLBACK_ALLOW")]
    pub callback_allow: Option<Networks>,

    /// Networks of proxies that may state the client's address, like 172.16.0.0/12, or none; if
    /// absent, this machine itself if there is a public URL and neither --domain nor --tls-cert
    #[arg(long, env = "COTERIE_TRUST_PROXY")]
    pub trust_proxy: Option<Networks>,

    /// Lifetime of tokens, like 90d or 12h; unlimited if absent
    #[arg(long, env = "COTERIE_TOKEN_TTL")]
    pub token_ttl: Option<Span>,

    /// Requests per token, like 1000/s or 600/m, or off; bursts may be five times as large
    #[arg(long, env = "COTERIE_RATE_LIMIT", default_value = "1000/s")]
    pub rate_limit: RateLimit,

    /// Bytes that a user may write per second and in 24 hours, like 1MiB/s,1GiB/d, or off; bursts may
    /// be thirty times as large
    #[arg(long, env = "COTERIE_WRITE_LIMIT", default_value = "1MiB/s,1GiB/d")]
    pub write_limit: WriteLimit,

    /// Host names whose requests get answers in the compatibility format
    #[arg(
        long,
        env = "COTERIE_COMPAT_HOST",
        default_value = "api.groupme.com,v2.groupme.com,file.groupme.com,image.groupme.com,push.groupme.com,\
                         i.groupme.com,m.groupme.com",
        value_delimiter = ','
    )]
    pub compat_host: Vec<String>,

    /// Direct messages per time, and strangers written to per time; exceeding either bans a user
    /// from direct messages for ten minutes
    #[arg(long, env = "COTERIE_DM_LIMIT", default_value = "300/1m,50/10m")]
    pub dm_limit: DmLimit,

    /// Memory for the index, like 128MiB; at least 1MiB
    #[arg(
        long,
        env = "COTERIE_INDEX_CACHE",
        default_value = "128MiB",
        value_parser = Bytes::of_cache
    )]
    pub index_cache: Bytes,

    /// Allow huge pages for memory: the server takes more memory, and posts cost less CPU
    #[arg(long, env = "COTERIE_HUGE_PAGES")]
    pub huge_pages: bool,

    /// Maximum size of one file, like 100MiB
    #[arg(long, env = "COTERIE_FILE_LIMIT", default_value = "100MiB")]
    pub file_limit: Bytes,

    /// Maximum size of all files of one user together, like 10GiB
    #[arg(long, env = "COTERIE_FILE_QUOTA", default_value = "1GiB")]
    pub file_quota: Bytes,

    /// Fetch the pages to which messages link, and add their title, description and picture to the
    /// message
    #[arg(long, env = "COTERIE_LINK_PREVIEWS")]
    pub link_previews: bool,

    /// Addresses of the servers of the log that several nodes share, like
    /// nats://user:password@10.0.0.1:4222,nats://10.0.0.2:4222, or tls://… with TLS
    #[arg(long, env = "COTERIE_NATS", hide_env_values = true, requires = "node")]
    pub nats: Option<NatsAddresses>,

    /// File with those addresses, in place of --nats
    #[arg(long, env = "COTERIE_NATS_FILE", requires = "node")]
    pub nats_file: Option<PathBuf>,

    /// PEM file with the certificates that sign those of the servers of the log; those that the
    /// system trusts if absent
    #[arg(long, env = "COTERIE_NATS_CA", requires = "log_servers")]
    pub nats_ca: Option<PathBuf>,

    /// File with the key of the installation, the same at every node; installation.key in the data
    /// directory if absent
    #[arg(long, env = "COTERIE_CLUSTER_KEY_FILE", requires = "log_servers")]
    pub cluster_key_file: Option<PathBuf>,

    /// Start although a server of the log accepts clients without a login
    #[arg(long, env = "COTERIE_ALLOW_OPEN_LOG", requires = "log_servers")]
    pub allow_open_log: bool,

    /// Start although no server of the log reports whether it syncs before it acknowledges
    #[arg(long, env = "COTERIE_ALLOW_UNKNOWN_SYNC", requires = "log_servers")]
    pub allow_unknown_sync: bool,

    /// Name of this node among the nodes, like a
    #[arg(long, env = "COTERIE_NODE", requires = "log_servers", value_parser = NodeName::parse)]
    pub node: Option<NodeName>,

    /// Number of those servers that keep the log; 1 is for trials
    #[arg(long, env = "COTERIE_REPLICAS", default_value = "3", value_parser = ["1", "3", "5"])]
    pub replicas: String,

    /// When a node answers a write: once every ready node shows it, or once this node does
    #[arg(
        long,
        env = "COTERIE_ANSWER_WHEN",
        value_enum,
        default_value = "all",
        requires = "log_servers"
    )]
    pub answer_when: AnswerWhen,

    /// Time for which the log keeps messages that all nodes have, like 7d; unlimited if absent
    #[arg(long, env = "COTERIE_LOG_KEEP", requires = "log_servers")]
    pub log_keep: Option<Span>,

    /// Start although the journal is damaged or lost its end or its folder: lost events stay lost,
    /// damaged files are set aside, and clients load everything again
    #[arg(long, env = "COTERIE_ACCEPT_LOST_JOURNAL")]
    pub accept_lost_journal: bool,

    /// URL of the SMS gateway, like https://api.twilio.com; without one, SMS are written to the log
    #[arg(long, env = "COTERIE_SMS_URL", requires_all = ["sms_account", "sms_password", "sms_from"])]
    pub sms_url: Option<SmsUrl>,

    /// Account at the SMS gateway
    #[arg(long, env = "COTERIE_SMS_ACCOUNT")]
    pub sms_account: Option<String>,

    /// Password of that account
    #[arg(long, env = "COTERIE_SMS_SECRET", hide_env_values = true)]
    pub sms_secret: Option<String>,

    /// File with that password, in place of --sms-secret
    #[arg(long, env = "COTERIE_SMS_SECRET_FILE")]
    pub sms_secret_file: Option<PathBuf>,

    /// Phone number from which SMS are sent
    #[arg(long, env = "COTERIE_SMS_FROM")]
    pub sms_from: Option<String>,

    /// URL of the mail server, like smtps://user:password@mail.example.org, or smtp://… with
    /// ?tls=required for STARTTLS; without one, the server sends no mail
    #[arg(long, env = "COTERIE_SMTP_URL", hide_env_values = true, requires = "mail_from")]
    pub smtp_url: Option<SmtpUrl>,

    /// File with that URL, in place of --smtp-url
    #[arg(long, env = "COTERIE_SMTP_URL_FILE", requires = "mail_from")]
    pub smtp_url_file: Option<PathBuf>,

    /// Sender of all mails, like chat@example.org or Chat <chat@example.org>
    #[arg(long, env = "COTERIE_MAIL_FROM", requires = "mail_server")]
    pub mail_from: Option<MailSender>,

    /// PEM file with certificates that sign the mail server's, beside those that browsers trust
    #[arg(long, env = "COTERIE_MAIL_CA", requires = "mail_server")]
    pub mail_ca: Option<PathBuf>,

    /// Whom users ask for help when they cannot log in, like admin@example.org or a URL
    #[arg(long, env = "COTERIE_CONTACT")]
    pub contact: Option<String>,

    /// Log-in with OpenID Connect
    #[command(flatten)]
    pub oidc: OidcOptions,

    /// Bearer token that lets other machines read /metrics; if absent, only this machine may
    #[arg(long, env = "COTERIE_METRICS_TOKEN", hide_env_values = true)]
    pub metrics_token: Option<String>,

    /// File with that token, in place of --metrics-token
    #[arg(long, env = "COTERIE_METRICS_TOKEN_FILE", conflicts_with = "metrics_token")]
    pub metrics_token_file: Option<PathBuf>,

    /// Place of scheduled backups: a directory on another disk, or
    /// s3://bucket/prefix?endpoint=https://…&region=…
    #[arg(long, env = "COTERIE_BACKUP_TO", conflicts_with_all = ["log_servers", "node"])]
    pub backup_to: Option<BackupPlace>,

    /// Time between two backups, like 24h
    #[arg(long, env = "COTERIE_BACKUP_EVERY", default_value = "24h", requires = "backup_to")]
    pub backup_every: Span,

    /// Number of backups that stay; older ones are removed
    #[arg(
        long,
        env = "COTERIE_BACKUP_KEEP",
        default_value = "14",
        requires = "backup_to",
        value_parser = clap::value_parser!(u16).range(1..)
    )]
    pub backup_keep: u16,

    /// Key and credentials of backups
    #[command(flatten)]
    pub backup_access: BackupAccess,

    /// Email address of the first admin, whose account is created if there is no account yet
    #[arg(long, env = "COTERIE_ADMIN_EMAIL", requires = "admin_password_file")]
    pub admin_email: Option<String>,

    /// File with the password of the first admin
    #[arg(long, env = "COTERIE_ADMIN_PASSWORD_FILE", requires = "admin_email")]
    pub admin_password_file: Option<PathBuf>,

    /// The password in that file
    #[arg(skip)]
    pub admin_password: Option<String>,

    /// Filter of the log on stderr, like info or coterie=debug
    #[arg(long, env = "COTERIE_LOG", default_value = "info")]
    pub log: String,

    /// Format of the log lines
    #[arg(long, env = "COTERIE_LOG_FORMAT", value_enum, default_value = "text")]
    pub log_format: LogFormat,

    /// The address on which this process listened before it restarted itself; set then, nothing is
    /// printed on stdout
    #[arg(long, hide = true, overrides_with = "again")]
    pub again: Option<SocketAddr>,
}

/// The key of backups, and the credentials of a bucket; also options of the tools.
#[derive(Debug, Clone, Default, Args)]
pub struct BackupAccess {
    /// File with the key that encrypts backups: 32 random bytes in base64, like the output of
    /// openssl rand -base64 32. Without it, backups are not encrypted
    #[arg(long, env = "COTERIE_BACKUP_KEY_FILE")]
    pub backup_key_file: Option<PathBuf>,

    /// Id of the access key for the bucket of backups
    #[arg(long, env = "AWS_ACCESS_KEY_ID", hide_env_values = true)]
    pub aws_access_key_id: Option<String>,

    /// Secret access key for that bucket
    #[arg(long, env = "AWS_SECRET_ACCESS_KEY", hide_env_values = true)]
    pub aws_secret_access_key: Option<String>,

    /// File with that secret, in place of --aws-secret-access-key
    #[arg(long, env = "AWS_SECRET_ACCESS_KEY_FILE")]
    pub aws_secret_access_key_file: Option<PathBuf>,
}

impl BackupAccess {
    /// Reads the files, for backups at this place.
    ///
    /// # Errors
    /// If a file cannot be used, or a bucket has no credentials.
    pub fn read(&self, place: &BackupPlace) -> Result<Access, UsageError> {
        let key = self.backup_key_file.as_ref().map(|path| {
            let read = BackupKey::read(path);
            read.map_err(|error| unusable("--backup-key-file", path, &error.to_string()))
        });
        let secret = match &self.aws_secret_access_key_file {
            Some(path) => Some(secret("--aws-secret-access-key-file", path)?),
            None => self.aws_secret_access_key.clone(),
        };
        let credentials = self.aws_access_key_id.clone().zip(secret);
        if credentials.is_none() && matches!(place, BackupPlace::Bucket(_)) {
            let missing = "a bucket needs --aws-access-key-id and --aws-secret-access-key";
            return Err(UsageError(missing.to_owned()));
        }
        let credentials = credentials.map(|(id, secret)| Credentials { id, secret });
        Ok(Access { key: key.transpose()?, credentials })
    }
}

/// When a node answers a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AnswerWhen {
    /// Once this node shows the write
    Node,
    /// Once every ready node shows the write, or a quarter of a second has passed
    All,
}

/// Who may register an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistrationPolicy {
    /// The mode.
    pub mode: SignUp,
    /// The domains whose addresses may register; none in other modes.
    pub domains: RegistrationDomains,
}

impl FromStr for RegistrationPolicy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (mode, domains) = match text.split_once(':') {
            Some(("domain", names)) => {
                let domains = RegistrationDomains::parse(names.split(','), false);
                (SignUp::Domain, domains.map_err(|refusal| format!("domain: {refusal}"))?)
            }
            _ => match SignUp::named(text) {
                Some(
                    mode @ (SignUp::Open | SignUp::Closed | SignUp::Approval | SignUp::Invite),
                ) => (mode, RegistrationDomains::default()),
                Some(SignUp::Domain) | None => {
                    return Err(
                        "must be open, closed, approval, invite or domain:example.org,…".to_owned()
                    );
                }
            },
        };
        Ok(Self { mode, domains })
    }
}

/// Reads the command line and the environment into `C`.
///
/// # Errors
/// If an argument or a variable is unknown or invalid. `--help` and `--version` print and exit
/// here.
pub fn read<C: Parser>() -> Result<C, UsageError> {
    let read = C::try_parse().map_err(|error| {
        if error.use_stderr() { UsageError(one_line(&error.to_string())) } else { error.exit() }
    })?;
    refuse_unknown_variables(&C::command())?;
    Ok(read)
}

/// Whether the value of an option was given on the command line or by the environment.
fn source_of(option: &str, variable: &str) -> SettingSource {
    let is_given = std::env::args().any(|argument| {
        argument.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    });
    match std::env::var_os(variable) {
        Some(_) if !is_given => SettingSource::Environment,
        Some(_) | None => SettingSource::Option,
    }
}

impl Options {
    /// The options from the environment and the defaults, as a server on this data directory would
    /// have them.
    ///
    /// # Errors
    /// If the value of a variable is invalid.
    pub fn of(data_dir: &Path) -> Result<Self, UsageError> {
        let read = Self::try_parse_from(["coterie"]);
        let options = read.map_err(|error| UsageError(one_line(&error.to_string())))?;
        Ok(Self { data_dir: data_dir.to_owned(), ..options })
    }

    /// Reads the secrets that options name by files.
    ///
    /// # Errors
    /// If a file cannot be read, or its content is not a secret on one line.
    pub fn with_secrets(mut self) -> Result<Self, UsageError> {
        if let Some(path) = &self.nats_file {
            self.nats = Some(secret("--nats-file", path)?.into());
        }
        if let Some(path) = &self.sms_secret_file {
            self.sms_secret = Some(secret("--sms-secret-file", path)?);
        }
        if let Some(path) = &self.oidc.oidc_secret_file {
            self.oidc.oidc_secret = Some(secret("--oidc-secret-file", path)?);
        }
        if let Some(path) = &self.smtp_url_file {
            let url = secret("--smtp-url-file", path)?.parse();
            self.smtp_url = Some(url.map_err(|help| unusable("--smtp-url-file", path, help))?);
        }
        if let Some(path) = &self.admin_password_file {
            self.admin_password = Some(secret("--admin-password-file", path)?);
        }
        if let Some(path) = &self.metrics_token_file {
            self.metrics_token = Some(secret("--metrics-token-file", path)?);
        }
        if let Some(path) = &self.acme_eab_file {
            let binding = secret("--acme-eab-file", path)?.parse();
            let invalid = |help| unusable("--acme-eab-file", path, help);
            self.acme_eab = Some(binding.map_err(invalid)?);
        }
        let mode = self.registration.as_ref().map(|policy| policy.mode);
        if mode == Some(SignUp::Domain) && self.smtp_url.is_none() {
            let reason =
                "--registration domain needs --smtp-url: new addresses are confirmed by mail";
            return Err(UsageError(reason.to_owned()));
        }
        // A wrong key must end the start, not the first backup.
        self.backups()?;
        Ok(self)
    }

    /// Whether the server is reachable only from its own machine: it listens on loopback and has no
    /// public URL.
    pub fn is_local(&self) -> bool {
        self.listen.ip().is_loopback() && self.public_url().is_none()
    }

    /// Whether the server speaks HTTPS.
    pub fn is_https(&self) -> bool {
        self.tls_cert.is_some() || !self.domain.is_empty()
    }

    /// The base URL of links, if there is another than the listening address.
    pub fn public_url(&self) -> Option<PublicUrl> {
        let of_domain = || self.domain.first().map(|it| PublicUrl(format!("https://{}", it.0)));
        self.public_url.clone().or_else(of_domain)
    }

    /// The settings of certificates by ACME, if the server orders them.
    pub fn acme(&self) -> Option<AcmeSettings> {
        let mut domains: Vec<String> = Vec::with_capacity(self.domain.len());
        for Domain(name) in &self.domain {
            if !domains.contains(name) {
                domains.push(name.clone());
            }
        }
        (!domains.is_empty()).then(|| AcmeSettings {
            domains,
            directory: self.acme_directory.0.clone(),
            email: self.acme_email.as_ref().map(|it| it.0.clone()),
            binding: self.acme_eab.as_ref().map(|it| it.0.clone()),
            authority: self.acme_ca.clone(),
        })
    }

    /// The settings of a server that listens at this address, for `coterie doctor`.
    pub fn settings_at(&self, listen: SocketAddr) -> ServerSettings {
        ServerSettings {
            listen,
            public_url: self.public_url().map(|url| url.0),
            is_registration_open: self
                .registration
                .as_ref()
                .is_none_or(|policy| policy.mode == SignUp::Open),
            is_registration_fixed: self.registration.is_some(),
            is_rate_limited: self.rate_limit.0.is_some(),
            index_cache: self.index_cache.0,
            certificate: self.certificate_files().map(|files| {
                let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
                (absolute(files.certificate), absolute(files.key))
            }),
            domains: self.acme().map_or_else(Vec::new, |it| it.domains),
            backups: self.backups().ok().flatten().map(|backups| BackupSchedule {
                folder: match &backups.place {
                    BackupPlace::Folder(folder) => Some(folder.clone()),
                    BackupPlace::Bucket(_) => None,
                },
                place: backups.place.to_string(),
                every: backups.every,
            }),
        }
    }

    /// The settings of scheduled backups, if there are any.
    ///
    /// # Errors
    /// If the key or the credentials cannot be used.
    pub fn backups(&self) -> Result<Option<BackupSettings>, UsageError> {
        let Some(place) = &self.backup_to else { return Ok(None) };
        // A relative path must not depend on where the server was started.
        let place = match place {
            BackupPlace::Folder(folder) => {
                BackupPlace::Folder(std::path::absolute(folder).unwrap_or_else(|_| folder.clone()))
            }
            BackupPlace::Bucket(_) => place.clone(),
        };
        Ok(Some(BackupSettings {
            access: self.backup_access.read(&place)?,
            place,
            every: self.backup_every.0,
            keep: usize::from(self.backup_keep),
        }))
    }

    /// The settings that options fix, so that admins cannot change them.
    pub fn fixed_settings(&self) -> FixedSettings {
        let registration = self.registration.as_ref();
        FixedSettings {
            contact: self.contact.clone().map(|value| SourcedValue {
                value,
                source: source_of("--contact", "COTERIE_CONTACT"),
            }),
            sign_up: registration.map(|policy| SourcedValue {
                value: policy.mode,
                source: source_of("--registration", "COTERIE_REGISTRATION"),
            }),
            domains: registration.map(|policy| policy.domains.clone()).unwrap_or_default(),
            is_public: self.public_url().is_some(),
        }
    }

    /// The networks of proxies that are trusted about the client's address.
    pub fn trusted_networks(&self) -> Vec<Network> {
        match &self.trust_proxy {
            Some(Networks(named)) => named.clone(),
            None if self.public_url().is_some() && !self.is_https() => Network::loopback(),
            None => Vec::new(),
        }
    }

    /// The files for HTTPS, if the server speaks it.
    pub fn certificate_files(&self) -> Option<CertificateFiles> {
        let certificate = self.tls_cert.clone()?;
        let key = self.tls_key.clone()?;
        Some(CertificateFiles { certificate, key })
    }

    /// The compatibility hosts, in lower case.
    pub fn compat_hosts(&self) -> impl Iterator<Item = String> {
        self.compat_host.iter().map(|host| host.trim().to_ascii_lowercase())
    }

    /// Whether a request from this machine may come from a proxy, on behalf of another client.
    pub fn is_behind_proxy(&self) -> bool {
        let is_local = |network: &Network| Network::loopback().iter().any(|it| it.meets(network));
        self.public_url().is_some() || self.trusted_networks().iter().any(is_local)
    }

    /// The private networks that the server's own requests may reach.
    pub fn open_networks(&self) -> Vec<Network> {
        match &self.callback_allow {
            Some(Networks(named)) => named.clone(),
            None if self.is_local() => Network::loopback(),
            None => Vec::new(),
        }
    }
}

/// Reads a secret from a file: one line, whose end does not count.
fn secret(option: &str, path: &Path) -> Result<String, UsageError> {
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|error| unusable(option, path, &error.to_string()))?;
    let secret = text.trim_end_matches(['\r', '\n']);
    if secret.is_empty() || secret.contains('\n') {
        return Err(unusable(option, path, "must be one line with the secret"));
    }
    Ok(secret.to_owned())
}

fn unusable(option: &str, path: &Path, reason: &str) -> UsageError {
    UsageError(format!("the file of {option} cannot be used: {}: {reason}", path.display()))
}

/// Refuses unknown `COTERIE_*` variables: a misspelt one would silently leave a default in force.
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

/// The first paragraph of clap's error message, on one line, without the usage text.
fn one_line(text: &str) -> String {
    let said = text.split("\n\n").next().unwrap_or(text);
    let words: Vec<&str> = said.split_whitespace().collect();
    words.join(" ").trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::user::{FloodLimits, Pace};

    #[test]
    fn direct_messages_have_two_limits() {
        let options = Options::try_parse_from(["coterie"]).unwrap();
        let messages = Pace { most: 300, millis: 60_000 };
        let strangers = Pace { most: 50, millis: 600_000 };
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
    fn domain_decides_the_other_defaults() {
        let options = |words: &[&str]| {
            let words = ["coterie"].iter().chain(words);
            Options::try_parse_from(words).unwrap()
        };
        let chat = options(&["--domain", "Chat.example.org,bücher.example,chat.example.org"]);
        assert_eq!(chat.listen, "[::]:443".parse().unwrap());
        let url = chat.public_url().map(|url| url.0);
        assert_eq!(url.as_deref(), Some("https://chat.example.org"));
        assert!(chat.is_https() && !chat.is_local() && chat.trusted_networks().is_empty());
        let acme = chat.acme().unwrap();
        assert_eq!(acme.domains, ["chat.example.org", "xn--bcher-kva.example"]);
        assert_eq!((acme.directory.as_str(), acme.email), (LETS_ENCRYPT, None));
        let named = ["--listen", "127.0.0.1:8443", "--public-url", "https://chat.example.org:8443"];
        let behind = options(&[&["--domain", "chat.example.org"], &named[..]].concat());
        assert_eq!(behind.listen, "127.0.0.1:8443".parse().unwrap());
        let url = behind.public_url().map(|url| url.0);
        assert_eq!(url.as_deref(), Some("https://chat.example.org:8443"));
        let plain = options(&[]);
        assert!(!plain.is_https() && plain.acme().is_none() && plain.is_local());
        let binding = options(&["--domain", "a.example", "--acme-eab", "kid:c2VjcmV0"]).acme();
        let shown = format!("{:?}", binding.unwrap().binding);
        assert!(shown.contains("kid") && !shown.contains("115"), "{shown}");
    }

    #[test]
    fn explanations_fit_in_one_line() {
        let error = Options::try_parse_from(["coterie", "--nonsense"]).unwrap_err();
        assert_eq!(one_line(&error.to_string()), "unexpected argument '--nonsense' found");
    }
}
