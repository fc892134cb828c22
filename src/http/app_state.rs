//! State that handlers share: the directory of rooms, the keyring, the throttles and other
//! services.

use std::sync::Arc;

use actix_web::web;

use crate::http::client_address::TrustedProxies;
use crate::http::connections::Connections;
use crate::http::counts::RequestCounts;
use actors::directory::Directory;
use actors::names::Names;
use auth::browser_sessions::BrowserSessions;
use auth::codes::Codes;
use auth::first_answers::FirstAnswers;
use auth::keyring::Keyring;
use auth::logging_in::LogIns;
use auth::oidc::ProviderLogIns;
use auth::operators::Operators;
use auth::passkeys::PasskeyCeremonies;
use auth::password::Passwords;
use auth::secrets::SecretsKey;
use auth::setup::FirstStart;
use auth::throttle::Buckets;
use base::bounds::Budget;
use base::bounds::shares::Shares;
use base::bounds::turns::Turns;
use base::clock::Clock;
use base::metrics::Metrics;
use cluster::membership::Membership;
use domain::client_network::ClientNetwork;
use domain::ids::{TokenId, UserId};
use domain::instance::{FixedSettings, SettingsInEffect};
use domain::time::Timestamp;
use index::IndexFault;
use media::Images;
use media::files::Files;
use outgoing::Outgoing;
use search::Search;
use subscribers::SubscriberContext;
use subscribers::bayeux::sessions::Sessions;
use subscribers::callbacks::Callbacks;
use subscribers::mail::Mails;
use subscribers::previews::Previews;
use subscribers::reconciler::Reconciler;
use wire::instance::Instance;

/// State that every handler on every thread shares.
pub struct AppState {
    /// Finds and starts rooms.
    pub directory: Directory,
    /// Finds callers by their tokens.
    pub keyring: Arc<Keyring>,
    /// Hashes passwords.
    pub passwords: Passwords,
    /// Bytes that the bodies of requests in progress hold together.
    pub bodies: Shares,
    /// Takes the attempts of a user to join groups one after another, so that they are counted.
    pub joins: Turns,
    /// Limits how many bodies of one network are read although their request was refused.
    pub skipped_bodies: Buckets<Option<ClientNetwork>>,
    /// Counts long-polls and streams, which are held until there are events.
    pub held: Budget,
    /// Counts large responses that clients have not read yet.
    pub unread_responses: Shares,
    /// Stores and shows images.
    pub images: Arc<Images>,
    /// Stores and shows files of conversations.
    pub files: Arc<Files>,
    /// Claims email addresses and phone numbers, which only one account may have.
    pub names: Names,
    /// The roles of operators, and the guard of the last admin.
    pub operators: Operators,
    /// Who may make the first admin.
    pub first_start: FirstStart,
    /// Does in groups what follows from changes to an account.
    pub reconciler: Reconciler,
    /// Finds messages by the words in them.
    pub search: Search,
    /// Answers kept under an `Idempotency-Key`.
    pub first_answers: FirstAnswers,
    /// Checks email and password, and limits failed attempts.
    pub log_ins: LogIns,
    /// Browsers that are logged in on the page that asks for consent.
    pub browser_sessions: BrowserSessions,
    /// Log-ins through a provider.
    pub oidc: ProviderLogIns,
    /// Ceremonies of passkeys.
    pub passkeys: PasskeyCeremonies,
    /// Encrypts secrets at rest.
    pub secrets: SecretsKey,
    /// Makes and reads authorization codes.
    pub codes: Codes,
    /// Rate limit of requests, per token; `None` means no limit.
    pub requests: Option<Buckets<TokenId>>,
    /// Rate limit of registrations, per address; `None` means no limit.
    pub registrations: Option<Buckets<ClientNetwork>>,
    /// Rate limit of requests for recovery, per address.
    pub recoveries: Buckets<ClientNetwork>,
    /// Sends mails; `None` if the server sends none.
    pub mails: Option<Mails>,
    /// The settings that options fix.
    pub fixed_settings: FixedSettings,
    /// Rate limit of opening sockets, per address; `None` means no limit.
    pub upgrades: Option<Buckets<ClientNetwork>>,
    /// The addresses of this installation as clients on a compatibility host see them.
    pub instance_of_existing_clients: Arc<Instance>,
    /// The prefix of image URLs, and the prefix on a compatibility host; `None` if that is the
    /// same.
    pub image_folders: Option<(String, String)>,
    /// Hosts, in lower case, under which the API is served in the compatible dialect.
    pub compat_hosts: Vec<String>,
    /// Whether a proxy on this machine may pass on requests of others.
    pub is_behind_proxy: bool,
    /// The trusted proxies. Also registered as app data of their own, for code that does not need
    /// the rest.
    pub proxies: web::Data<TrustedProxies>,
    /// Lifetime of new tokens in seconds; `None` means that they do not expire.
    pub token_seconds: Option<u64>,
    /// Sends callbacks to bots, and reads the log of deliveries.
    pub callbacks: Callbacks,
    /// The client for requests to URLs that users name.
    pub outgoing: Outgoing,
    /// Reads pages for previews of links; `None` where the operator does not want them.
    pub previews: Option<Previews>,
    /// The public key of push notices, in the form that browsers take.
    pub push_key: String,
    /// The clock of the node.
    pub clock: Arc<dyn Clock>,
    /// The installation's addresses, for URLs in JSON.
    pub instance: Arc<Instance>,
    /// The open connections.
    pub connections: Connections,
    /// Requests counted by route.
    pub counts: Arc<RequestCounts>,
    /// All metrics.
    pub metrics: Metrics,
    /// The token with which `/metrics` may be read; without one, only this machine may read them.
    pub metrics_token: Option<String>,
    /// State that all subscribers share.
    pub subscribers: Arc<SubscriberContext>,
    /// This node's place among the nodes, if there are several.
    pub membership: Option<Membership>,
    /// The Bayeux sessions of `/faye`.
    pub bayeux: Sessions,
}

impl AppState {
    /// Whether the server sends mail.
    pub fn sends_mail(&self) -> bool {
        self.mails.is_some()
    }

    /// The settings in effect.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub async fn settings(&self) -> Result<SettingsInEffect, IndexFault> {
        let settings = self.directory.context().accounts.place_settings().await?;
        Ok(SettingsInEffect::of(&self.fixed_settings, settings))
    }

    /// Until when a user may go without the second factor that they must have; `None` if they have
    /// one, or need none.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub async fn factor_deadline(&self, user: UserId) -> Result<Option<Timestamp>, IndexFault> {
        let fixed = self.fixed_settings.clone();
        let now = self.clock.now().wall;
        self.directory.context().accounts.factor_deadline(user, fixed, now).await
    }
}
