//! The command line: scenarios and their options. The defaults are the sizes that the bars are set
//! for, except those of `grow`, which are smaller.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use crate::reference;
use sizes::{
    Abuse, Bots, Burst, Fanout, Groups, Grow, Growth, History, Idle, Images, Latency, Mixed,
    PacedPosts, Peers, Reconnect, Search, Soak, Stalled,
};

mod bars;
pub mod sizes;

#[derive(Debug, Parser)]
#[command(
    name = "loadtest",
    about = "Measures a Coterie server on this machine against references of the same run"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    #[command(flatten)]
    Scenario(Scenario),
    /// All scenarios that have bars, or only those that measure the given bars; prints a line for
    /// each bar
    Bars(Bars),
    /// The fan-out and posts also on socket.io and Faye, which npm installs for this
    Peers(Peers),
    /// What changed from one report to another, and whether the change is more than noise
    Compare(Compare),
    #[command(name = reference::HTTP, hide = true)]
    ReferenceHttp,
    #[command(name = reference::BROADCAST, hide = true)]
    ReferenceBroadcast,
}

#[derive(Debug, Subcommand)]
pub enum Scenario {
    /// P1: durable posts into many groups, against a trivial JSON POST
    Posts(PacedPosts),
    /// P1m: a realistic day: posts, pages, likes, read marks and typing, with many sockets
    Mixed(Mixed),
    /// P3: posts into one group with many sockets, against a raw broadcaster
    Fanout(Fanout),
    /// P4: many posts at once into one group with many sockets, compared with single posts as in P3
    Burst(Burst),
    /// P2 and P5: one sender compared with fdatasync, and steady posts timed to the last of many
    /// sockets
    Latency(Latency),
    /// P6: memory and CPU of idle sockets
    Idle(Idle),
    /// P7: the newest page and deep pages, against a trivial GET
    History(History),
    /// P8 to P11: post rate, start-up time, disk and memory with many messages and groups stored
    Grow(Grow),
    /// P20 to P26: what each kind of act costs as members, likers, history and alarms grow
    Growth(Growth),
    /// P15: posts while photos are uploaded, compared with posts alone
    Images(Images),
    /// P16: the group list of a user in many groups, right after a start and later
    Groups(Groups),
    /// P12: the fan-out of P3 while other sockets read nothing
    Stalled(Stalled),
    /// P13: many sockets disconnected at once, which reconnect and fetch what they missed
    Reconnect(Reconnect),
    /// P14: how soon bots receive a message while a tenth of them fail
    Bots(Bots),
    /// P17: search for messages by three words, the cost of indexing, and posts while searches run
    Search(Search),
    /// All kinds of load at once for ten minutes: whether memory, files, threads and latencies hold
    /// still
    Soak(Soak),
    /// R8: abusive clients while users post
    Abuse(Abuse),
}

impl Scenario {
    fn common_mut(&mut self) -> &mut Common {
        match self {
            Self::Posts(args) => &mut args.posts.common,
            Self::Mixed(args) => &mut args.common,
            Self::Fanout(args) => &mut args.common,
            Self::Burst(args) => &mut args.common,
            Self::Latency(args) => &mut args.common,
            Self::Idle(args) => &mut args.common,
            Self::History(args) => &mut args.common,
            Self::Grow(args) => &mut args.common,
            Self::Growth(args) => &mut args.common,
            Self::Images(args) => &mut args.posts.common,
            Self::Groups(args) => &mut args.common,
            Self::Stalled(args) => &mut args.common,
            Self::Reconnect(args) => &mut args.common,
            Self::Bots(args) => &mut args.common,
            Self::Search(args) => &mut args.common,
            Self::Soak(args) => &mut args.common,
            Self::Abuse(args) => &mut args.common,
        }
    }

    pub fn common(&self) -> &Common {
        match self {
            Self::Posts(args) => &args.posts.common,
            Self::Mixed(args) => &args.common,
            Self::Fanout(args) => &args.common,
            Self::Burst(args) => &args.common,
            Self::Latency(args) => &args.common,
            Self::Idle(args) => &args.common,
            Self::History(args) => &args.common,
            Self::Grow(args) => &args.common,
            Self::Growth(args) => &args.common,
            Self::Images(args) => &args.posts.common,
            Self::Groups(args) => &args.common,
            Self::Stalled(args) => &args.common,
            Self::Reconnect(args) => &args.common,
            Self::Bots(args) => &args.common,
            Self::Search(args) => &args.common,
            Self::Soak(args) => &args.common,
            Self::Abuse(args) => &args.common,
        }
    }
}

/// The options of every scenario.
#[derive(Debug, Clone, Args)]
pub struct Common {
    /// A server that already runs, http://127.0.0.1:PORT; without this option a server is started
    /// and stopped. Give it several times for the nodes of one installation, in posts, fanout,
    /// burst, latency, mixed, peers
    #[arg(long)]
    pub url: Vec<String>,
    /// The process id of the server at --url, to measure its CPU and memory; not with several --url
    #[arg(long, requires = "url")]
    pub pid: Option<u32>,
    /// The server binary to start [default: coterie beside this program]
    #[arg(long, conflicts_with = "url")]
    pub server_bin: Option<PathBuf>,
    /// A directory on a real disk for temporary data [default: loadtest-data beside this program]
    #[arg(long)]
    pub work_dir: Option<PathBuf>,
    /// Also write the report as JSON to this file, or to stdout with -
    #[arg(long)]
    pub json: Option<String>,
    /// Also write report.json and report.html (with curves, one file) into this directory
    #[arg(long)]
    pub report: Option<PathBuf>,
    /// Use small sizes and end within seconds: shows that everything works, measures nothing
    #[arg(long)]
    pub smoke: bool,
    /// End with exit code 3 if a bar is not reached
    #[arg(long)]
    pub strict: bool,
    /// How often reference and server take turns [default: 3]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: Option<u32>,
    /// The measured time of each turn, in seconds [default: 5; idle: 60; soak: 600]
    #[arg(long, visible_alias = "duration", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: Option<u32>,
    /// The length of every text, in bytes [default: 200]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    text_bytes: Option<u32>,
}

impl Common {
    pub fn rounds(&self) -> usize {
        self.size(self.rounds, 3, 2)
    }

    pub fn turn(&self) -> Duration {
        self.turn_or(5)
    }

    pub fn turn_or(&self, full: u64) -> Duration {
        match (self.seconds, self.smoke) {
            (Some(seconds), _) => Duration::from_secs(seconds.into()),
            (None, true) => Duration::from_millis(400),
            (None, false) => Duration::from_secs(full),
        }
    }

    /// How long a delivery may take before it counts as lost.
    pub fn patience(&self) -> Duration {
        Duration::from_secs(if self.smoke { 2 } else { 10 })
    }

    pub fn text_bytes(&self) -> usize {
        self.size(self.text_bytes, 200, 200)
    }

    /// Returns the size that was asked for, else that of a smoke run or the full size, as `smoke`
    /// says.
    pub fn size(&self, asked: Option<u32>, full: usize, smoke: usize) -> usize {
        match (asked, self.smoke) {
            (Some(asked), _) => asked as usize,
            (None, true) => smoke,
            (None, false) => full,
        }
    }
}

#[derive(Debug, Args)]
pub struct Bars {
    #[command(flatten)]
    pub common: Common,
    /// The bars to measure, such as P1 P3 [default: all]
    pub ids: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Compare {
    /// The report.json of the earlier run
    pub before: PathBuf,
    /// The report.json of the later run
    pub after: PathBuf,
}

impl Scenario {
    /// Returns the scenario `name` with its default sizes and these common options.
    fn named(name: &str, common: &Common) -> Self {
        let parsed = Cli::try_parse_from(["loadtest", name]).map(|cli| cli.command);
        let Ok(Command::Scenario(mut scenario)) = parsed else {
            unreachable!("{name} is a scenario, and its defaults are valid");
        };
        scenario.common_mut().clone_from(common);
        scenario
    }
}

#[cfg(test)]
mod tests;
