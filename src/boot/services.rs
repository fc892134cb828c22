//! The rooms and what they depend on, opened in the same way for a server and for a tool that works
//! on the data of a stopped one.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};

use crate::admin::{Administration, ForwardedCommands};
use crate::boot::data_dir::DataDir;
use crate::boot::nodes::Joined;
use crate::boot::storage::{BeforeJournal, StartError, Storage};
use crate::config::Options;
use crate::http::connections::{Connections, IDLE_WITHIN, SENT_WITHIN};
use crate::http::counts::RequestCounts;
use crate::http::to_leader::ForwardedRequests;
use actors::directory::Directory;
use actors::drain::Drain;
use actors::id_generator::CountingIdGenerator;
use actors::idle::LOOK_EVERY;
use actors::names::Names;
use actors::node_link::NodeLink;
use actors::operator_rules::SharedOperatorRules;
use actors::room_context::{self, RoomContext};
use actors::topic_parents::TopicParents;
use actors::write_limits::WriteLimits;
use auth::accounts::Accounts;
use auth::keyring::{Keyring, KeyringFollower};
use auth::oidc::flow::Flows;
use auth::oidc::{Provider, ProviderLogIns};
use auth::password::{PasswordCost, Passwords};
use auth::seal::SealKey;
use auth::secrets::SecretsKey;
use auth::throttle::Rate;
use base::bounds::places::Places;
use base::clock::disciplined::DisciplinedClock;
use base::clock::{Clock, SystemClock};
use base::descriptors::PassedSockets;
use base::metrics::exposition::{Exposition, MetricKind};
use base::metrics::{Metrics, process};
use base::space::{Space, Watch};
use cluster::bus::Bus;
use cluster::membership::Membership;
use domain::group::AddressTrust;
use index::applier::BrokenChains;
use index::archive::Archive;
use index::indexer::Indexer;
use journal::own::OwnJournal;
use journal::status::JournalCounts;
use journal::{Cursor, JournalFault};
use notify::mail::MailServer;
use notify::sms::{Gateway, GatewayAccount};
use notify::vapid::VapidKey;
use notify::web_push::WebPush;
use outgoing::Outgoing;
use outgoing::network::Network;
use outgoing::resolver::{Resolve, SystemResolver};
use subscribers::Timeouts;
use subscribers::live_feed::Feeds;
use wire::instance::Instance;

/// The number of passwords that are hashed at the same time.
const HASHES_AT_ONCE: usize = 2;

/// The foundation of storage and rooms; tests replace it.
pub(crate) struct CoreSettings {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) before_journal: BeforeJournal,
    /// How often an idle room checks whether it was asked.
    pub(crate) look_every: Duration,
    /// The cost of hashing a password.
    pub(crate) password_cost: PasswordCost,
    /// The registry of bounded places.
    pub(crate) places: Places,
}

impl CoreSettings {
    /// The machine's clock, the default settings, and nothing in front of the journal.
    pub(crate) fn machine() -> Self {
        let clock = Arc::new(SystemClock::new());
        let before_journal = Arc::new(|journal| journal);
        Self {
            clock,
            before_journal,
            look_every: LOOK_EVERY,
            password_cost: PasswordCost::default(),
            places: Places::default(),
        }
    }
}

/// The opened services. Rooms can be asked once the directory has a thread for them.
pub(crate) struct CoreServices {
    pub(crate) archive: Archive,
    pub(crate) directory: Directory,
    pub(crate) keyring: Arc<Keyring>,
    pub(crate) passwords: Passwords,
    pub(crate) names: Names,
    pub(crate) instance: Arc<Instance>,
    pub(crate) clock: Arc<dyn Clock>,
    /// The same clock, with what operators may do to it.
    pub(crate) discipline: Arc<DisciplinedClock>,
    pub(crate) counts: Arc<JournalCounts>,
    pub(crate) broken_chains: Arc<BrokenChains>,
    /// Keeps the index current until the very end.
    pub(crate) indexer: Indexer,
    /// The journal itself, to be closed at the end.
    pub(crate) journal: OwnJournal,
    pub(crate) space: Space,
    /// Set when the journal stops for good.
    pub(crate) stopped: watch::Receiver<Option<JournalFault>>,
    /// The thread that watches the free space of the disk.
    pub(crate) watch: Watch,
    /// The registry of bounded places.
    pub(crate) places: Places,
    /// The server's place among the nodes; `None` if it is alone.
    pub(crate) membership: Option<Membership>,
    /// The bus over which pictures and files are shared, and the number of the installation; `None`
    /// if the server is alone.
    pub(crate) sharing: Option<(Arc<Bus>, u64)>,
    /// The key that seals values which clients bring back. On a single machine it is new at each
    /// start.
    pub(crate) seal: SealKey,
    /// The key that encrypts secrets at rest.
    pub(crate) secrets: SecretsKey,
    /// Notified when an operator wants the server to end.
    pub(crate) drain: Arc<Notify>,
    /// Carries out requests that other nodes forward.
    pub(crate) forwarded: ForwardedRequests,
    /// Carries out commands of operators that other nodes forward.
    pub(crate) commands: ForwardedCommands,
}

/// How far addresses are trusted: none can be confirmed yet.
fn address_trust(options: &Options) -> AddressTrust {
    match options.is_local() {
        true => AddressTrust::Trusted,
        false => AddressTrust::Unconfirmed,
    }
}

/// How much users and bots may write.
fn write_limits(options: &Options, places: &Places) -> WriteLimits {
    match options.rate_limit.0 {
        Some(_) => WriteLimits::new(options.write_limit.0, places),
        None => WriteLimits::off(),
    }
}

/// Reads or makes the key that encrypts secrets at rest.
fn secrets_key(data: &DataDir) -> Result<SecretsKey, StartError> {
    let path = data.secrets_key();
    SecretsKey::read_or_make(&path)
        .map_err(|error| StartError::System(format!("{}: {error}", path.display())))
}

impl CoreServices {
    /// Opens storage and the rooms; of a node, with the journal that it has already opened.
    ///
    /// # Errors
    /// If the journal or the index cannot be opened.
    pub(crate) fn open(
        options: &Options,
        data: &DataDir,
        instance: Instance,
        core_settings: CoreSettings,
        joined: Joined,
    ) -> Result<Self, StartError> {
        let Joined { shared, membership, sharing, seal, discipline } = joined;
        let CoreSettings { clock, before_journal, look_every, password_cost, places } =
            core_settings;
        let discipline = discipline.unwrap_or_else(|| Arc::new(DisciplinedClock::over(clock)));
        let clock: Arc<dyn Clock> = Arc::<DisciplinedClock>::clone(&discipline);
        let Storage {
            archive,
            highs,
            indexer,
            counts,
            journal,
            space,
            stopped,
            watch,
            broken_chains,
        } = Storage::open(data, options, &before_journal, shared)?;
        let secrets = secrets_key(data)?;
        let instance = Arc::new(instance);
        let context = RoomContext {
            accounts: Accounts::new(Arc::clone(&archive.index)),
            archive: archive.clone(),
            clock: Arc::clone(&clock),
            id_generator: Arc::new(CountingIdGenerator::after(highs)),
            instance: Arc::clone(&instance),
            undurable: room_context::undurable(&places),
            rules_memory: room_context::rules_memory(&places),
            operator_rules: SharedOperatorRules::following(&*archive.journal),
            drain: Drain::default(),
            look_every,
            flood_limits: options.dm_limit.0,
            address_trust: address_trust(options),
            topic_parents: TopicParents::default(),
            write_limits: write_limits(options, &places),
        };
        let keyring = Arc::new(Keyring::new(Arc::clone(&archive.index), Arc::clone(&clock)));
        archive.journal.follow(Box::new(KeyringFollower(Arc::clone(&keyring))));
        let directory = Directory::new(context);
        archive.journal.follow(directory.follower());
        let asked = directory.clone();
        let waiting = journal.clone();
        archive.register(&places);
        places.add("mailboxes", move || asked.mailboxes());
        places.add("journal_queue", move || waiting.fullness());
        Ok(Self {
            keyring,
            passwords: Passwords::new(HASHES_AT_ONCE, password_cost)
                .map_err(|error| StartError::System(error.to_string()))?,
            names: Names::new(directory.clone()),
            directory,
            archive,
            instance,
            clock,
            discipline,
            counts,
            broken_chains,
            indexer,
            journal,
            space,
            stopped,
            watch,
            places,
            membership,
            sharing,
            seal: seal.unwrap_or_else(SealKey::fresh),
            secrets,
            drain: Arc::default(),
            forwarded: ForwardedRequests::default(),
            commands: ForwardedCommands::default(),
        })
    }

    /// The executor of operators' commands on these services.
    pub(crate) fn administration(&self, history: u32) -> Administration {
        Administration {
            directory: self.directory.clone(),
            passwords: self.passwords.clone(),
            names: self.names.clone(),
            clock: Arc::clone(&self.discipline),
            history,
            membership: self.membership.clone(),
            drain: Arc::clone(&self.drain),
            media: None,
            mails: None,
            settings: None,
        }
    }
}

/// Makes the client for requests that leave the server. Logs that local mode opens loopback
/// addresses: an operator who puts such a server behind a tunnel has to know.
pub(crate) fn outgoing(
    options: &Options,
    surroundings: &Surroundings,
    places: &Places,
) -> Outgoing {
    if options.callback_allow.is_none() && options.is_local() {
        tracing::info!(
            "local mode: callbacks and image imports may reach the loopback addresses of this \
             machine; forbid it with --callback-allow none"
        );
    }
    let resolver = Arc::clone(&surroundings.resolver);
    let outgoing = Outgoing::new(options.open_networks(), resolver, places);
    match surroundings.callback_time {
        Some(time) => outgoing.posting_within(time),
        None => outgoing,
    }
}

/// Makes the client that sends notices to browsers, with the key that push services know.
pub(crate) fn web_push(
    data: &DataDir,
    outgoing: Outgoing,
    services: &CoreServices,
) -> Result<WebPush, StartError> {
    let path = data.vapid_key();
    let key = VapidKey::read_or_make(&path)
        .map_err(|error| StartError::System(format!("{}: {error}", path.display())))?;
    let contact = services.instance.public_url().to_owned();
    Ok(WebPush { outgoing, key, contact, clock: Arc::clone(&services.clock) })
}

/// Makes the mail server's client; `None` if the server sends no mail.
///
/// # Errors
/// If the certificates of `--mail-ca` cannot be used; the reason.
pub(crate) fn mail_server(options: &Options) -> Result<Option<MailServer>, String> {
    let (Some(url), Some(sender)) = (&options.smtp_url, &options.mail_from) else {
        return Ok(None);
    };
    let authorities = options
        .mail_ca
        .as_ref()
        .map(|path| std::fs::read(path).map_err(|error| format!("{}: {error}", path.display())));
    let authorities = authorities.transpose()?;
    MailServer::new(url, sender, authorities.as_deref()).map(Some)
}

/// Makes the client of the provider with whose accounts people log in, if there is one.
pub(crate) fn oidc(
    options: &Options,
    outgoing: &Outgoing,
    services: &CoreServices,
) -> ProviderLogIns {
    let clock = || Arc::clone(&services.clock);
    let provider = options.oidc.provider().map(|it| Provider::new(it, outgoing, clock()));
    let flows = Flows::new(clock(), services.seal.clone(), services.secrets.clone());
    ProviderLogIns { provider, flows }
}

/// Makes the SMS gateway. The options are set together or not at all; without them, SMS are logged.
pub(crate) fn gateway(options: &Options, outgoing: &Outgoing, clock: &Arc<dyn Clock>) -> Gateway {
    let (Some(url), Some(account), Some(secret), Some(from)) =
        (&options.sms_url, &options.sms_account, &options.sms_secret, &options.sms_from)
    else {
        return Gateway::Log;
    };
    Gateway::Http(Box::new(GatewayAccount {
        outgoing: outgoing.reaching(Network::all()),
        clock: Arc::clone(clock),
        url: GatewayAccount::messages_url(&url.0, account),
        account: account.clone(),
        secret: secret.clone(),
        from: from.clone(),
    }))
}

/// The rate of sockets from one address: generous, since a proxy in front is one address too.
const UPGRADES: Rate = Rate { per_second: 200.0, burst: 2000.0 };
/// After how long the kernel cuts a socket whose peer takes no bytes (RFC 5482).
const JAMMED_AFTER: Duration = Duration::from_secs(30);
/// How often the token uses that are due are written down.
const NOTE_EVERY: Duration = Duration::from_secs(60);
/// How often the files with the certificate are looked at: a change counts within seconds, and two
/// small files cost nothing to read.
const CERTIFICATE_EVERY: Duration = Duration::from_secs(10);
/// How long a client waits for an image before it is told to retry.
const IMAGES_WITHIN: Duration = Duration::from_secs(30);

/// Settings that tests choose and operators do not.
pub struct Surroundings {
    /// The machine's clock.
    pub clock: Arc<dyn Clock>,
    /// The timeouts of sockets and streams.
    pub timeouts: Timeouts,
    /// After how long the kernel cuts a socket whose peer takes no bytes.
    pub jammed_after: Duration,
    /// How long a callback may take; `None` is the usual time.
    pub callback_time: Option<Duration>,
    /// Returns random numbers between 0 and 1, which spread what should not happen at the same
    /// time.
    pub chance: fn() -> f64,
    /// Resolves host names.
    pub resolver: Arc<dyn Resolve>,
    /// The rate at which one address may open sockets.
    pub upgrades: Rate,
    /// How often the token uses that are due are written down.
    pub note_every: Duration,
    /// How long clients may take to send a request.
    pub sent_within: Duration,
    /// How long a connection without a request stays open.
    pub idle_within: Duration,
    /// How long a client waits for an image before it is told to retry.
    pub images_within: Duration,
    /// The cost of hashing a password.
    pub password_cost: PasswordCost,
    /// The number of HTTP threads; `None` is the number of cores.
    pub threads: Option<usize>,
    /// Wraps the journal that all others use; usually it does nothing.
    pub before_journal: BeforeJournal,
    /// How often an idle room checks whether it was asked; after some checks it stops.
    pub rooms_look_every: Duration,
    /// How often the files with the certificate are looked at.
    pub certificate_every: Duration,
    /// The link to other nodes over the same journal, if it is not the bus.
    pub link: Option<Arc<dyn NodeLink>>,
    /// The sockets that the service manager opened.
    pub passed: PassedSockets,
}

impl Default for Surroundings {
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock::new()),
            timeouts: Timeouts::default(),
            jammed_after: JAMMED_AFTER,
            callback_time: None,
            chance: actors::id_generator::chance,
            resolver: Arc::new(SystemResolver::default()),
            upgrades: UPGRADES,
            note_every: NOTE_EVERY,
            sent_within: SENT_WITHIN,
            idle_within: IDLE_WITHIN,
            images_within: IMAGES_WITHIN,
            password_cost: PasswordCost::default(),
            threads: None,
            before_journal: Arc::new(|journal| journal),
            rooms_look_every: LOOK_EVERY,
            certificate_every: CERTIFICATE_EVERY,
            link: None,
            passed: PassedSockets::default(),
        }
    }
}

impl Surroundings {
    /// The counter of connections, for at most so many.
    pub(crate) fn connections(&self, places: usize) -> Connections {
        Connections::new(places, self.sent_within, self.idle_within)
    }

    /// The part of these settings on which storage and rooms are built.
    pub(crate) fn core_settings(&self) -> CoreSettings {
        CoreSettings {
            clock: Arc::clone(&self.clock),
            before_journal: Arc::clone(&self.before_journal),
            look_every: self.rooms_look_every,
            password_cost: self.password_cost,
            places: Places::default(),
        }
    }
}

fn write_rooms(page: &mut Exposition, directory: &Directory) {
    let help = "Running actors of groups, chats and accounts, by kind.";
    page.family("coterie_rooms", MetricKind::Gauge, help);
    for (kind, awake) in ["group", "chat", "user"].iter().zip(directory.awake()) {
        page.sample(&[("kind", kind)], awake);
    }
}

/// The sources of all metrics, in the order of the page.
pub(crate) fn metrics(
    services: &CoreServices,
    requests: &Arc<RequestCounts>,
    feeds: &Feeds,
    connections: &Connections,
) -> Metrics {
    let started_at = services.clock.now().wall.seconds();
    let requests = Arc::clone(requests);
    let feeds = feeds.clone();
    let journal = Arc::clone(&services.counts);
    let archive = services.archive.clone();
    let directory = services.directory.clone();
    let connections = connections.clone();
    let space = services.space.clone();
    let places = services.places.clone();
    let clock = Arc::clone(&services.discipline);
    let passwords = services.passwords.clone();
    let log_counts = services.journal.log_counts();
    let membership = services.membership.clone();
    let shared = archive.clone();
    let broken_chains = Arc::clone(&services.broken_chains);
    let storage = move |page: &mut Exposition| {
        journal.write(page);
        let newest = archive.journal.newest().get();
        let applied = archive.index.applied().get();
        let help = "Bytes of the journal up to its end, before compression.";
        let end = archive.journal.end().get();
        page.single("coterie_journal_bytes", MetricKind::Gauge, help, end);
        let help = "Bytes of the journal that the index does not have yet.";
        let lag = newest.saturating_sub(applied);
        page.single("coterie_index_lag_bytes", MetricKind::Gauge, help, lag);
        let help = "Commits that do not follow the end of their stream: run coterie check.";
        let name = "coterie_broken_chains_total";
        page.single(name, MetricKind::Counter, help, broken_chains.count());
    };
    Metrics::default()
        .with(move |page| {
            page.family("coterie_info", MetricKind::Gauge, "The version that runs.");
            page.sample(&[("version", env!("CARGO_PKG_VERSION"))], 1);
        })
        .with(move |page| {
            let help = "Seconds by which the machine's clock jumped, while the server ignores it.";
            let name = "coterie_clock_refused_seconds";
            page.single(name, MetricKind::Gauge, help, clock.refused_seconds().unsigned_abs());
        })
        .with(move |page| {
            let help = "Passwords that were hashed or checked, also for unknown accounts.";
            let name = "coterie_passwords_total";
            page.single(name, MetricKind::Counter, help, passwords.worked_on());
        })
        .with(move |page| requests.write(page))
        .with(move |page| connections.write(page))
        .with(storage)
        .with(move |page| space.write(page))
        .with(move |page| {
            let Some(counts) = &log_counts else { return };
            counts.write(page);
            membership.iter().for_each(|it| it.calls().write(page));
            membership.iter().for_each(|it| it.bus().write(page));
            let end = membership.as_ref().and_then(Membership::farthest).map_or(0, Cursor::get);
            let lag = end.saturating_sub(shared.journal.end().get());
            let help = "Bytes of the journal that another node shows and this one does not have.";
            page.single("coterie_cluster_lag_bytes", MetricKind::Gauge, help, lag);
            let wait_timeouts = membership.as_ref().map_or(0, Membership::wait_timeouts);
            let help = "Responses that waited a quarter of a second for another node in vain.";
            page.single("coterie_cluster_unwaited_total", MetricKind::Counter, help, wait_timeouts);
        })
        .with(move |page| write_rooms(page, &directory))
        .with(move |page| places.write(page))
        .with(move |page| feeds.read().write(page))
        .with(move |page| process::write(page, started_at))
}
