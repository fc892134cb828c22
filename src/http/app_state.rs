//! What handlers need: the rooms, the keyring, the throttles.

use std::sync::Arc;

use actix_web::web;

use crate::actors::directory::Directory;
use crate::actors::names::Names;
use crate::auth::browser_sessions::BrowserSessions;
use crate::auth::client_network::ClientNetwork;
use crate::auth::codes::Codes;
use crate::auth::first_answers::FirstAnswers;
use crate::auth::keyring::Keyring;
use crate::auth::logging_in::LogIns;
use crate::auth::password::Passwords;
use crate::auth::throttle::Buckets;
use crate::bounds::Budget;
use crate::clock::Clock;
use crate::cluster::membership::Membership;
use crate::domain::ids::{GroupId, TokenId};
use crate::http::client_address::TrustedProxies;
use crate::http::connections::Connections;
use crate::http::counts::RequestCounts;
use crate::media::Images;
use crate::media::files::Files;
use crate::metrics::Metrics;
use crate::outgoing::Outgoing;
use crate::search::Search;
use crate::subscribers::SubscriberContext;
use crate::subscribers::bayeux::sessions::Sessions;
use crate::subscribers::callbacks::Callbacks;
use crate::subscribers::reconciler::Reconciler;
use crate::wire::instance::Instance;

/// Shared by every handler on every thread.
pub struct AppState {
    /// Finds rooms.
    pub directory: Directory,
    /// Finds callers.
    pub keyring: Arc<Keyring>,
    /// Hashes passwords.
    pub passwords: Passwords,
    /// What bodies of requests under way hold, all together.
    pub bodies: Budget,
    /// Requests that are held until there is something to tell.
    pub held: Budget,
    /// Keeps and shows images.
    pub images: Arc<Images>,
    /// Keeps and shows files of conversations.
    pub files: Arc<Files>,
    /// Takes names that only one account may have.
    pub names: Names,
    /// Carries on what concerns many rooms.
    pub reconciler: Reconciler,
    /// Finds messages by their words.
    pub search: Search,
    /// What was answered under keys.
    pub first_answers: FirstAnswers,
    /// Checks email and password.
    pub log_ins: LogIns,
    /// Browsers that logged in on the page that asks for consent.
    pub browser_sessions: BrowserSessions,
    /// Authorization codes.
    pub codes: Codes,
    /// Requests per token; `None` when there is no limit.
    pub requests: Option<Buckets<TokenId>>,
    /// Registrations per address; `None` when there is no limit.
    pub registrations: Option<Buckets<ClientNetwork>>,
    /// Sockets that are opened, per address; `None` when there is no limit.
    pub upgrades: Option<Buckets<ClientNetwork>>,
    /// Hosts under which the API answers as existing clients want it, in small letters.
    pub compat_hosts: Vec<String>,
    /// Whether strangers may register.
    pub registration_is_open: bool,
    /// Whether a proxy on this machine stands in front.
    pub is_behind_proxy: bool,
    /// The proxies that are believed; every request finds them by themselves, too.
    pub proxies: web::Data<TrustedProxies>,
    /// Seconds after which tokens end, if they do.
    pub token_seconds: Option<u64>,
    /// Posts of the bots of a group; `None` when there is no limit.
    pub bot_posts: Option<Buckets<GroupId>>,
    /// Who carries messages to bots.
    pub callbacks: Callbacks,
    /// The way out, for URLs that people name.
    pub outgoing: Outgoing,
    /// The key with which push notices are signed, as browsers want it.
    pub push_key: String,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// The addresses that JSON contains.
    pub instance: Arc<Instance>,
    /// Who is in.
    pub connections: Connections,
    /// Counts requests.
    pub counts: Arc<RequestCounts>,
    /// Everything that is counted.
    pub metrics: Metrics,
    /// Who knows this may read it from elsewhere.
    pub metrics_token: Option<String>,
    /// Who listens.
    pub subscribers: Arc<SubscriberContext>,
    /// Its place among the nodes, where there are several.
    pub membership: Option<Membership>,
    /// The clients of `/faye`.
    pub bayeux: Sessions,
}
