//! Other software that one could build a chat on, under the same load in the same run: posts that
//! are delivered to many sockets, and posts that no socket listens to.
//!
//! Each server is addressed as its own clients do: Coterie over HTTP and its push protocol,
//! socket.io with acknowledged events, Faye with publications, all on loopback. A peer is one
//! process, started as its documentation says. No peer stores anything, and the report says so.

mod stage;

use super::crowd::{self, Cast, CrowdSize, Formation, Plan, Stage};
use super::environment::{Environment, OpenFiles};
use super::{RunError, environment, posts, run_id, say};
use crate::cli::sizes::Peers;
use crate::load::meter::{Phase, Window};
use crate::load::poster::Poster;
use crate::peers::Peer;
use crate::peers::install::Installed;
use crate::process::server::ServerProcess;
use crate::report::bar::{Bar, Bound};
use crate::report::{DELIVERIES, POSTS, Report};
use crate::stats::median_ratio;
use crate::world::listing;
use crate::world::people::World;
use crate::world::rest::Api;
use stage::PeerStage;

const SERVER: &str = "coterie";
/// What Coterie has done with a message when it answers the sender.
const DURABLE: &str = "on disk before the answer";

/// The server, and the peers that run beside it.
struct Beside {
    environment: Environment,
    peers: Vec<(Peer, ServerProcess)>,
}

/// Runs the comparison. There are two reports, since deliveries and posts are two units.
///
/// # Errors
/// If Node.js or npm is missing, and as in every scenario.
pub async fn run(args: &Peers) -> Result<[Report; 2], RunError> {
    let size = CrowdSize::of(&args.common, &args.crowd, 1000)?;
    let wanted = |peer: &Peer| args.peers.is_empty() || args.peers.contains(peer);
    let peers: Vec<Peer> = Peer::ALL.into_iter().filter(wanted).collect();
    let files = OpenFiles::sides(size.sockets, peers.len() + 1);
    say("installing the peers with npm, unless they are there");
    let work_dir = environment::work_dir(&args.common)?;
    let installed = tokio::task::spawn_blocking(move || Installed::below(&work_dir));
    let installed = installed.await.map_err(std::io::Error::other)??;
    let environment = Environment::open_nodes(&args.common, files)?;
    let started = peers.into_iter().map(|peer| Ok((peer, installed.start(peer)?)));
    let beside = Beside { environment, peers: started.collect::<Result<_, RunError>>()? };
    Ok([beside.fan_out(args, size).await?, beside.posts(args).await?])
}

impl Beside {
    /// Runs the fan-out, as `fanout` does.
    async fn fan_out(&self, args: &Peers, size: CrowdSize) -> Result<Report, RunError> {
        let (options, run) = (&args.common, run_id());
        let senders = options.size(args.senders, 2, 2);
        say(format_args!("opening {} sockets on each side", size.sockets));
        let nodes = self.environment.nodes();
        let cast = Cast::on_server(nodes, run, size).await?;
        let (text_bytes, patience) = (options.text_bytes(), options.patience());
        let plan = Plan { run, sockets: size.sockets, senders, text_bytes, patience };
        let mut ours = Stage::open(self.environment.target(), nodes, &cast, plan).await?;
        let mut theirs = Vec::new();
        for (peer, process) in &self.peers {
            theirs.push(PeerStage::listening(*peer, process.target(), plan).await?);
        }
        let setting = fan_out_setting(args, plan);
        let mut report = Report::new("peers-fanout", DELIVERIES, options.smoke, setting);
        let (alone, window) = (Formation { teams: senders, posts: 1 }, Window::of(options.turn()));
        for round in 1..=options.rounds() {
            say(format_args!("fan-out: round {round} of {}", options.rounds()));
            report.row(round, SERVER, ours.turn(alone, window).await?);
            for stage in &mut theirs {
                report.row(round, stage.peer().name(), stage.turn(window).await?);
            }
        }
        for stage in theirs {
            stage.close(&mut report).await;
        }
        crowd::check(&mut report, nodes, ours, &cast).await?;
        self.tell(&mut report);
        self.bar(&mut report);
        Ok(report)
    }

    /// Runs the posts, as `posts` does, with fewer senders: Node.js serves no more with more.
    async fn posts(&self, args: &Peers) -> Result<Report, RunError> {
        let (options, run) = (&args.common, run_id());
        let [groups, members, people] =
            [(100, 5), (10, 3), (64, 4)].map(|(full, smoke)| options.size(None, full, smoke));
        let (groups, senders) =
            (options.size(args.groups, groups, groups), options.size(args.posters, 64, 4));
        say(format_args!("registering {people} people, creating {groups} groups"));
        let mut api = Api::new(self.environment.target().addr);
        let world = World::build(&mut api, run, people, groups, members).await?;
        posts::everywhere(&self.environment, &world).await?;
        let places: Vec<_> = (0..senders).map(|sender| world.post_target(sender)).collect();
        let nodes = self.environment.nodes();
        let mut ours = posts::posters(nodes, &places, run, options.text_bytes());
        let mut theirs = Vec::new();
        for (peer, process) in &self.peers {
            let plan = Plan {
                run,
                sockets: groups,
                senders,
                text_bytes: options.text_bytes(),
                patience: options.patience(),
            };
            theirs.push(PeerStage::without_listeners(*peer, process.target(), plan));
        }
        let setting = posts_setting(args, groups, senders);
        let mut report = Report::new("peers-posts", POSTS, options.smoke, setting);
        let window = Window::of(options.turn());
        for round in 1..=options.rounds() {
            say(format_args!("posts: round {round} of {}", options.rounds()));
            let phase;
            (ours, phase) = posts::turn(ours, self.environment.target(), window).await?;
            report.row(round, SERVER, phase);
            for stage in &mut theirs {
                report.row(round, stage.peer().name(), stage.turn(window).await?);
            }
        }
        say("listing everything that was posted");
        let posters: Vec<&Poster> = ours.iter().collect();
        for node in nodes {
            let listed = listing::check(&mut Api::new(*node), &places, &posters).await?;
            report.check_listing(&listed.listing);
        }
        posters.iter().for_each(|poster| report.add_odd_answers(poster.odd_answers()));
        self.tell(&mut report);
        Ok(report)
    }

    /// Adds a line for each server, with what its answer promises.
    fn tell(&self, report: &mut Report) {
        report.side(SERVER, SERVER.to_owned(), DURABLE, SERVER);
        for (peer, _) in &self.peers {
            let name = format!("{} {}", peer.name(), peer.version());
            report.side(peer.name(), name, peer.durability(), SERVER);
        }
    }

    fn bar(&self, report: &mut Report) {
        let Some((peer, _)) = self.peers.iter().find(|(peer, _)| *peer == Peer::SocketIo) else {
            return;
        };
        let rates = |what: &str| report.each(what, |phase: &Phase| phase.per_second);
        let ratio = median_ratio(&rates(SERVER), &rates(peer.name()));
        let bar = Bar::new("peers", "deliveries per socket.io's", ratio, Bound::AtLeast(2.0), "×");
        report.bars.push(bar);
    }
}

fn fan_out_setting(args: &Peers, plan: Plan) -> String {
    let Plan { sockets, senders, text_bytes, .. } = plan;
    format!(
        "one group, {sockets} sockets a side, {senders} messages under way, {text_bytes}-byte texts, {}; latency is \
         from post to last socket",
        rounds(args)
    )
}

fn posts_setting(args: &Peers, groups: usize, senders: usize) -> String {
    let text_bytes = args.common.text_bytes();
    format!(
        "{groups} groups, {senders} senders, {text_bytes}-byte texts, no listeners, {}; latency is from post to answer",
        rounds(args)
    )
}

fn rounds(args: &Peers) -> String {
    let (rounds, turn) = (args.common.rounds(), args.common.turn().as_secs_f64());
    format!("{rounds} rounds of {turn} s a side")
}
