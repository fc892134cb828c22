//! The composition root: opens storage, puts the layers together, and listens. The only place that
//! sees every layer.

use std::sync::Arc;
use std::time::Duration;

use actix_web::web;

use crate::admin::Administration;
use crate::admin::media::MediaStores;
use crate::admin::protocol::{AdminCommand, AdminReply, NewUser};
use crate::admin::socket::AdminSocket;
use crate::boot::data_dir::DataDir;
use crate::boot::nodes::Joined;
use crate::boot::server::{Dispatchers, Doors, Running, ServeOptions};
use crate::boot::services::{CoreServices, Surroundings, gateway, mail_server, outgoing, web_push};
use crate::boot::storage::StartError;
use crate::config::Options;
use crate::http::acme::renewal::{Renewal, RenewalContext, RenewalThread};
use crate::http::acme::store::AcmeStore;
use crate::http::app_state::AppState;
use crate::http::client_address::TrustedProxies;
use crate::http::connections::Connections;
use crate::http::counts::RequestCounts;
use crate::http::deadlines::SKIPPED_BODIES;
use crate::http::recovery::RECOVERIES;
use crate::http::{body, routes, unread};
use actors::directory::Directory;
use actors::room_context::RoomContext;
use actors::token_use::note_tokens;
use auth::browser_sessions::BrowserSessions;
use auth::codes::Codes;
use auth::first_answers::FirstAnswers;
use auth::logging_in::LogIns;
use auth::operators::Operators;
use auth::passkeys::PasskeyCeremonies;
use auth::password::Passwords;
use auth::setup::FirstStart;
use auth::throttle::{Buckets, Rate};
use backup::schedule::{BackupContext, BackupThread, Backups};
use base::bounds::Budget;
use base::bounds::places::Places;
use base::bounds::turns::{TurnLimits, Turns};
use base::descriptors::Descriptors;
use base::metrics::Metrics;
use base::metrics::exposition::Exposition;
use base::threads::Threads;
use cluster::objects::SharedObjects;
use domain::audit::Operator;
use domain::client_network::ClientNetwork;
use domain::ids::UserId;
use domain::operators::OperatorRole;
use media::files::replication::FileSharing;
use media::files::{FileLimits, FileSources, Files};
use media::{ImageSources, Images};
use outgoing::Outgoing;
use outgoing::network::Network;
use search::Search;
use search::indexer::SearchIndexer;
use subscribers::alarms::Alarms;
use subscribers::bayeux::sessions::Sessions;
use subscribers::broadcast::Broadcast;
use subscribers::callbacks::Callbacks;
use subscribers::ephemeral_queue::EphemeralQueue;
use subscribers::live_feed::{Feeds, LiveFeedFollower};
use subscribers::mail::Mails;
use subscribers::notices::{self, Notices};
use subscribers::presence::Presence;
use subscribers::previews::{PreviewBounds, Previews};
use subscribers::reader_counts::ReaderCounts;
use subscribers::reconciler::Reconciler;
use subscribers::replayed_frames::ReplayedFrames;
use subscribers::waiting_accounts::WaitingAccounts;
use subscribers::{SubscriberContext, Timeouts, ephemeral_exchange};
use wire::instance::Instance;

pub mod data_dir;
mod node_link;
pub mod nodes;
pub mod server;
pub mod services;
pub mod storage;

/// The beginning of the compatibility host where images are found.
const PICTURE_HOST: &str = "i.";
/// The rate of registrations from one network address.
const REGISTRATIONS: Rate = Rate { per_second: 20.0, burst: 200.0 };

/// Starts what is due at a set time, beside mails.
fn start_due_work(services: &CoreServices) {
    Alarms::start(services.directory.clone());
    WaitingAccounts::start(services.directory.clone());
}

/// Starts the server. Binds the address before it creates anything, so that a wrong address leaves
/// no trace.
///
/// # Errors
/// If the address, the data directory or its content cannot be used.
pub fn start(options: &Options, surroundings: Surroundings) -> Result<Running, StartError> {
    let threads = surroundings.threads.unwrap_or_else(server::threads);
    let per_thread = Descriptors::raise()?.connections(threads);
    let mail_server = mail_server(options).map_err(StartError::Mail)?;
    let doors = Doors::open(options, &surroundings)?;
    let addresses = doors.addresses.clone();
    let mut data = take_data(options)?;
    let joined = Joined::join(options, &mut data, &surroundings.clock)?;
    let instance = instance(options, &addresses.url, data.epoch());
    let services =
        CoreServices::open(options, &data, instance, surroundings.core_settings(), joined)?;
    node_link::start(&services, options.answer_when, surroundings.link.clone());
    let broadcast = broadcast(&services);
    let subscribers = listening(&services, surroundings.timeouts, &broadcast);
    let kept = open_media(options, &data, &services, surroundings.images_within)?;
    let images = Arc::clone(&kept.images);
    let outgoing = outgoing(options, &surroundings, &services.places);
    let push_key = start_notices(options, &data, &services, &outgoing, &broadcast)?;
    let renewal = renew(&data, &doors, &outgoing, &surroundings)?;
    let (backups, backup_thread) = backing_up(options, &data, &services, &outgoing)?;
    let callbacks = calling_back(&services, &outgoing, surroundings.chance);
    let previews = previewing(options, &services, &outgoing, &images);
    let (search, search_indexer) = searching(&data, &services)?;
    let mails = mail_server.map(|server| mailing(&services, server));
    let around = HttpServices {
        first_start: first_start(options, &data, &services)?,
        search,
        callbacks: callbacks.clone(),
        images: Arc::clone(&images),
        files: Arc::clone(&kept.files),
        outgoing,
        previews: previews.clone(),
        push_key,
        subscribers: Arc::clone(&subscribers),
        upgrades: surroundings.upgrades,
        connections: surroundings.connections(per_thread.saturating_mul(threads)),
        certificate: doors.metrics(),
        mails: mails.clone(),
        backups,
    };
    start_due_work(&services);
    let app = web::Data::new(app(options, &services, around));
    note_token_uses(&app, surroundings.note_every);
    broadcast.add(callbacks.follower());
    let bayeux = app.bayeux.clone();
    let serving = ServeOptions { threads, per_thread, forwarded: services.forwarded.clone() };
    let server = server::serve(doors, app, serving)?;
    // Every follower of the journal is registered by now.
    node_link::serve(&services, options.log_keep.map(|age| Duration::from_secs(age.0)));
    let settings = Some(options.settings_at(addresses.listen));
    let by_data = services.administration(data.epoch());
    let all = Administration { media: Some(kept), mails, settings, ..by_data };
    let (administration, admin) = open_admin(options, &services, all);
    let CoreServices { indexer, journal, membership, drain, stopped, watch: _watch, .. } = services;
    Ok(Running {
        addresses,
        server,
        subscribers,
        bayeux,
        images,
        dispatchers: dispatching(callbacks, previews.as_ref(), renewal, backup_thread),
        indexer,
        search_indexer,
        admin,
        administration,
        journal,
        membership,
        drain,
        stopped,
        _watch,
        _data: data,
    })
}

/// Starts to send mails.
fn mailing(services: &CoreServices, server: notify::mail::MailServer) -> Mails {
    let keyring = Arc::clone(&services.keyring);
    let secrets = services.secrets.clone();
    Mails::start(services.directory.clone(), server, keyring, secrets, &services.places)
}

/// Takes the data directory, and moves damaged files aside if the operator accepts their loss.
fn take_data(options: &Options) -> Result<DataDir, StartError> {
    let mut data = DataDir::take(&options.data_dir)?;
    if options.accept_lost_journal {
        storage::accept_lost_journal(&mut data, options.index_cache.0)?;
    }
    Ok(data)
}

/// Starts to write down which tokens are in use.
fn note_token_uses(app: &AppState, every: Duration) {
    let keyring = Arc::clone(&app.keyring);
    let directory = app.directory.clone();
    actix::spawn(note_tokens(keyring, directory, every));
}

/// Prepares the first start, and logs its code where a browser needs it.
fn first_start(
    options: &Options,
    data: &DataDir,
    services: &CoreServices,
) -> Result<FirstStart, StartError> {
    let accounts = services.directory.context().accounts.clone();
    let path = data.path();
    let is_local = options.is_local();
    let first = FirstStart::begin(accounts, &services.archive.index, path, is_local)?;
    if let Some(code) = first.code().filter(|_| !is_local) {
        tracing::info!(
            url = %format!("{}/setup", services.instance.public_url()), code,
            "there is no admin yet: open the URL and enter the code"
        );
    }
    Ok(first)
}

/// Creates the account of the first admin that the options name, if there is no account yet.
fn add_first_admin(options: &Options, administration: &Arc<Administration>) {
    let (Some(email), Some(password)) = (&options.admin_email, &options.admin_password) else {
        return;
    };
    let (name, _) = email.split_once('@').unwrap_or((email, ""));
    let command = AdminCommand::AddUser(NewUser {
        name: name.to_owned(),
        email: email.clone(),
        phone_number: None,
        password: password.clone(),
        operator: Some(OperatorRole::Admin.as_str().to_owned()),
    });
    let by = Operator::of_uid(rustix::process::getuid().as_raw());
    let administration = Arc::clone(administration);
    actix::spawn(async move {
        let accounts = &administration.directory.context().accounts;
        match accounts.users_after(UserId::new(0), 1).await {
            Ok(first) if first.is_empty() => {}
            Ok(_) => return,
            Err(fault) => {
                tracing::error!(%fault, "looking for the first account failed");
                return;
            }
        }
        match administration.fulfil(command, by).await {
            AdminReply::Done(_) => tracing::info!("the account of the first admin is created"),
            AdminReply::Refused(reason) | AdminReply::Failed(reason) => {
                tracing::error!(reason, "creating the account of the first admin failed");
            }
        }
    });
}

/// The addresses of this installation.
fn instance(options: &Options, listen_url: &str, epoch: u32) -> Instance {
    let picture_host = options.compat_hosts().find(|host| host.starts_with(PICTURE_HOST));
    let instance = Instance::new(&public_url(options, listen_url), listen_url, epoch);
    instance.with_picture_host(picture_host.as_deref())
}

/// Starts to send notices; returns the key that browsers need.
fn start_notices(
    options: &Options,
    data: &DataDir,
    services: &CoreServices,
    outgoing: &Outgoing,
    broadcast: &Broadcast,
) -> Result<String, StartError> {
    let web_push = web_push(data, outgoing.clone(), services)?;
    let push_key = web_push.key.public();
    let notices = Notices {
        archive: services.archive.clone(),
        directory: services.directory.clone(),
        clock: Arc::clone(&services.clock),
        gateway: gateway(options, outgoing, &services.clock),
        web_push,
        budget: notices::budget(&services.places),
    };
    notices.start(broadcast)?;
    Ok(push_key)
}

fn passkeys(services: &CoreServices) -> PasskeyCeremonies {
    let clock = Arc::clone(&services.clock);
    PasskeyCeremonies::new(clock, services.seal.clone(), services.instance.public_url())
}

fn calling_back(services: &CoreServices, outgoing: &Outgoing, chance: fn() -> f64) -> Callbacks {
    Callbacks::new(services.directory.clone(), outgoing.clone(), chance, &services.places)
}

/// The public URL of the server. Logs that the web client cannot live under a path.
fn public_url(options: &Options, listen_url: &str) -> String {
    let Some(url) = options.public_url() else { return listen_url.to_owned() };
    if url.has_path() {
        tracing::warn!(
            public_url = url.0,
            "the public URL has a path, so the web client does not work; the API does"
        );
    }
    url.0
}

/// Serves the stored certificate by ACME, and starts the thread that orders the next ones, if the
/// server has domains.
fn renew(
    data: &DataDir,
    doors: &Doors,
    outgoing: &Outgoing,
    surroundings: &Surroundings,
) -> Result<Option<RenewalThread>, StartError> {
    let Some(acme) = &doors.acme else { return Ok(None) };
    // The operator named the authority, which may be in their own network.
    let outgoing = outgoing.reaching(Network::all());
    let context = RenewalContext {
        outgoing: match acme.roots.clone() {
            Some(roots) => outgoing.trusting(roots),
            None => outgoing,
        },
        clock: Arc::clone(&surroundings.clock),
        chance: surroundings.chance,
        look_every: surroundings.certificate_every,
        has_http: doors.addresses.redirect.is_some(),
    };
    let certificate = Arc::clone(&acme.certificate);
    let store = AcmeStore::of(data.path());
    let renewal = Renewal::open(certificate, acme.settings.clone(), store, context)?;
    Ok(Some(renewal.start()))
}

/// Starts the thread that makes backups, if there is a schedule.
fn backing_up(
    options: &Options,
    data: &DataDir,
    services: &CoreServices,
    outgoing: &Outgoing,
) -> Result<(Option<Backups>, Option<BackupThread>), StartError> {
    let settings = options.backups().map_err(|error| StartError::Backups(error.to_string()))?;
    let started = settings.map(|settings| {
        let context = BackupContext {
            data: data.path().to_owned(),
            history: data.epoch(),
            journal: Arc::clone(&services.archive.journal),
            clock: Arc::clone(&services.clock),
            outgoing: outgoing.clone(),
        };
        Backups::start(settings, context)
    });
    Ok(started.unzip())
}

/// Opens images and files.
fn open_media(
    options: &Options,
    data: &DataDir,
    services: &CoreServices,
    within: Duration,
) -> Result<MediaStores, StartError> {
    let images = open_images(data, services, within)?;
    Ok(MediaStores { images, files: open_files(options, data, services)? })
}

/// Opens the images, shares them with the other nodes if there are any, and starts the tasks that
/// keep them shared and swept.
fn open_images(
    data: &DataDir,
    services: &CoreServices,
    within: Duration,
) -> Result<Arc<Images>, StartError> {
    let bus = services.membership.as_ref().map(|it| Arc::clone(it.bus()));
    let sources = ImageSources {
        archive: services.archive.clone(),
        clock: Arc::clone(&services.clock),
        shared: bus.map(SharedObjects::over),
        within,
    };
    let images = Images::open(&data.images(), decoders(), &services.places, sources);
    let refused = |source| StartError::Images { folder: data.images(), source };
    let images = images.map(Arc::new).map_err(refused)?;
    if let Some((_, installation)) = &services.sharing {
        images.keep_shared(*installation);
    }
    images.keep_swept();
    Ok(images)
}

/// Opens search, and starts the thread that indexes new messages.
fn searching(
    data: &DataDir,
    services: &CoreServices,
) -> Result<(Search, SearchIndexer), StartError> {
    let search = Search::over(services.archive.clone(), &services.places);
    let folder = data.search();
    let space = services.space.clone();
    let indexer = SearchIndexer::start(&search, folder, data.epoch(), space, &Threads::System)
        .map_err(|error| {
            StartError::System(format!("starting the search thread failed: {error}"))
        })?;
    Ok((search, indexer))
}

/// Prepares link previews, if the operator enabled them.
fn previewing(
    options: &Options,
    services: &CoreServices,
    outgoing: &Outgoing,
    images: &Arc<Images>,
) -> Option<Previews> {
    let bounds = PreviewBounds::new(&services.places);
    options.link_previews.then(|| {
        let directory = services.directory.clone();
        let images = Arc::clone(images);
        Previews::new(directory, outgoing.clone(), images, bounds)
    })
}

/// Starts callbacks and previews on a thread each, so that they delay nothing else.
fn dispatching(
    callbacks: Callbacks,
    previews: Option<&Previews>,
    renewal: Option<RenewalThread>,
    backups: Option<BackupThread>,
) -> Dispatchers {
    let arbiter = actix::Arbiter::new();
    let starting = callbacks.clone();
    arbiter.spawn_fn(move || starting.start_here());
    Dispatchers { callbacks, arbiter, previews: previews.map(Previews::start), renewal, backups }
}

/// The services of the HTTP layer beside the core services.
struct HttpServices {
    first_start: FirstStart,
    search: Search,
    images: Arc<Images>,
    files: Arc<Files>,
    outgoing: Outgoing,
    previews: Option<Previews>,
    push_key: String,
    subscribers: Arc<SubscriberContext>,
    upgrades: Rate,
    callbacks: Callbacks,
    connections: Connections,
    /// Writes the metrics of the certificate.
    certificate: Box<dyn Fn(&mut Exposition) + Send + Sync>,
    mails: Option<Mails>,
    backups: Option<Backups>,
}

fn app(options: &Options, services: &CoreServices, around: HttpServices) -> AppState {
    let HttpServices {
        first_start,
        search,
        images,
        files,
        outgoing,
        previews,
        push_key,
        subscribers,
        upgrades,
        callbacks,
        connections,
        certificate,
        mails,
        backups,
    } = around;
    let counts = Arc::new(RequestCounts::of(routes::names()));
    let places = &services.places;
    let limited = options.rate_limit.0;
    let bayeux = register_places(places, &connections, &subscribers);
    let metrics = metrics(services, &counts, &subscribers.feeds, &connections, &search);
    AppState {
        log_ins: log_ins(&services.directory, &services.passwords, places),
        reconciler: Reconciler::start(services.directory.clone()),
        directory: services.directory.clone(),
        keyring: Arc::clone(&services.keyring),
        passwords: services.passwords.clone(),
        bodies: body::budget(places),
        joins: Turns::new(places, "joins", JOINS),
        held: Budget::new(places, "held_requests", connections.bound()),
        unread_responses: unread::budget(places),
        images,
        files,
        names: services.names.clone(),
        first_start,
        operators: Operators::new(services.directory.context().accounts.clone()),
        first_answers: FirstAnswers::new(services.archive.clone(), Arc::clone(&services.clock)),
        browser_sessions: BrowserSessions::new(Arc::clone(&services.clock), services.seal.clone()),
        oidc: services::oidc(options, &outgoing, services),
        passkeys: passkeys(services),
        secrets: services.secrets.clone(),
        codes: Codes::new(Arc::clone(&services.clock), services.seal.clone()),
        requests: limited.map(|rate| Buckets::new(rate, places, "throttled_tokens")),
        skipped_bodies: Buckets::new(SKIPPED_BODIES, places, "throttled_bodies"),
        registrations: registrations(limited, places),
        upgrades: limited.map(|_| Buckets::new(upgrades, places, "throttled_sockets")),
        recoveries: Buckets::new(RECOVERIES, places, "throttled_recoveries"),
        mails: mails.clone(),
        fixed_settings: options.fixed_settings(),
        compat_hosts: options.compat_hosts().collect(),
        instance_of_existing_clients: Arc::new(services.instance.for_existing_clients()),
        image_folders: services.instance.image_folders(),
        is_behind_proxy: options.is_behind_proxy(),
        proxies: web::Data::new(TrustedProxies(options.trusted_networks())),
        token_seconds: options.token_ttl.map(|span| span.0),
        outgoing,
        previews,
        push_key,
        callbacks,
        clock: Arc::clone(&services.clock),
        instance: Arc::clone(&services.instance),
        metrics: with_mail(metrics.with(certificate), mails, backups),
        search,
        connections,
        metrics_token: options.metrics_token.clone(),
        counts,
        subscribers,
        membership: services.membership.clone(),
        bayeux,
    }
}

/// Attempts to join groups that are under way: one of each user.
const JOINS: TurnLimits = TurnLimits { places: 4096, of_owner: 1, waiting_of_owner: 64 };

/// How often one address may register, if requests are limited at all.
fn registrations(limited: Option<Rate>, places: &Places) -> Option<Buckets<ClientNetwork>> {
    limited.map(|_| Buckets::new(REGISTRATIONS, places, "throttled_registrations"))
}

/// Registers the bounded places of connections and readers, and makes the sessions of Bayeux.
fn register_places(
    places: &Places,
    connections: &Connections,
    subscribers: &SubscriberContext,
) -> Sessions {
    let bayeux = Sessions::default();
    let sessions = bayeux.clone();
    let open = connections.clone();
    let own = connections.clone();
    let slots = subscribers.feeds.clone();
    places.add("connections", move || open.fullness());
    places.add("connections_of_an_address", move || own.fullness_of_an_address());
    places.add("frames_of_a_reader", move || slots.read().fullness());
    let sockets = subscribers.sockets.clone();
    places.add("readers_of_a_user", move || sockets.fullness());
    places.add("bayeux_clients", move || bayeux.fullness());
    sessions
}

/// Adds the metrics of mail, if the server sends any, and of scheduled backups, if there are any.
fn with_mail(metrics: Metrics, mails: Option<Mails>, backups: Option<Backups>) -> Metrics {
    let metrics = metrics.with(move |page| mails.iter().for_each(|it| it.write(page)));
    metrics.with(move |page| backups.iter().for_each(|it| it.write(page)))
}

/// The sources of all metrics, with those of search.
fn metrics(
    services: &CoreServices,
    counts: &Arc<RequestCounts>,
    feeds: &Feeds,
    connections: &Connections,
    search: &Search,
) -> Metrics {
    let search = search.clone();
    services::metrics(services, counts, feeds, connections).with(move |page| search.write(page))
}

/// Opens the files of conversations, and starts the tasks that keep them shared and swept.
fn open_files(
    options: &Options,
    data: &DataDir,
    services: &CoreServices,
) -> Result<Arc<Files>, StartError> {
    let limits = FileLimits { file: options.file_limit.0, quota: options.file_quota.0 };
    let nodes = services.sharing.clone().zip(services.membership.clone());
    let sharing = nodes.map(|((bus, installation), membership)| {
        let is_current = Box::new(move || membership.readiness().is_ok());
        FileSharing { bus, is_current, installation }
    });
    let sources = FileSources {
        sharing,
        archive: services.archive.clone(),
        clock: Arc::clone(&services.clock),
        space: services.space.clone(),
    };
    let files = Files::open(&data.files(), limits, sources, &services.places);
    let refused = |source| StartError::Files { folder: data.files(), source };
    let files = files.map_err(refused)?;
    files.keep_shared();
    files.keep_swept();
    Ok(files)
}

/// Opens the admin socket, after it began to make the first admin of the options. If that fails, the
/// server still serves its users.
fn open_admin(
    options: &Options,
    services: &CoreServices,
    administration: Administration,
) -> (Arc<Administration>, Option<AdminSocket>) {
    let administration = Arc::new(administration);
    services.commands.carry_out_by(&administration);
    add_first_admin(options, &administration);
    match AdminSocket::open(&options.data_dir, Arc::clone(&administration)) {
        Ok(socket) => (administration, Some(socket)),
        Err(error) => {
            tracing::warn!(
                %error,
                "opening the admin socket failed; command-line tools need a stopped server"
            );
            (administration, None)
        }
    }
}

/// Starts the one way by which all subscribers hear the journal.
fn broadcast(services: &CoreServices) -> Broadcast {
    let CoreServices { archive, instance, clock, .. } = services;
    Broadcast::start(archive.clone(), Arc::clone(instance), Arc::clone(clock))
}

/// Makes what all readers share, and registers the live feed for commits from now on.
fn listening(
    services: &CoreServices,
    timeouts: Timeouts,
    broadcast: &Broadcast,
) -> Arc<SubscriberContext> {
    let feeds = Feeds::default();
    let clock = Arc::clone(&services.clock);
    broadcast.add(Box::new(LiveFeedFollower::of(feeds.clone(), Arc::clone(&clock))));
    let index = Arc::clone(&services.archive.index);
    let ephemeral_queue = EphemeralQueue::default();
    let presence = Presence::new(index, feeds.clone(), ephemeral_queue.clone());
    if let Some(membership) = services.membership.clone() {
        ephemeral_exchange::share(
            &ephemeral_queue,
            membership,
            clock,
            presence.weak(),
            feeds.clone(),
        );
    }
    Arc::new(SubscriberContext {
        archive: services.archive.clone(),
        keyring: Arc::clone(&services.keyring),
        clock: Arc::clone(&services.clock),
        instance: Arc::clone(&services.instance),
        presence,
        ephemeral_queue,
        feeds,
        replayed_frames: ReplayedFrames::default(),
        sockets: ReaderCounts::default(),
        directory: services.directory.clone(),
        timeouts,
        is_one_of_several: services.membership.is_some(),
    })
}

/// The number of threads that decode images: half of the cores, at most four, to bound memory.
fn decoders() -> usize {
    let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    (cores / 2).clamp(1, 4)
}

fn log_ins(directory: &Directory, passwords: &Passwords, places: &Places) -> LogIns {
    let RoomContext { accounts, clock, .. } = directory.context();
    LogIns::new(accounts.clone(), passwords.clone(), Arc::clone(clock), places)
}
