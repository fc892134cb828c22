//! What can be asked of each scenario: how large, how many, how fast.

use clap::Args;

use crate::cli::Common;
use crate::peers::Peer;

#[derive(Debug, Args)]
pub struct Posts {
    #[command(flatten)]
    pub common: Common,
    /// [default: 100]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub groups: Option<u32>,
    /// Members of each group [default: 10]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub members: Option<u32>,
    /// Registered people, spread over the groups [default: 64]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub people: Option<u32>,
    /// Connections that post, each when its last post is answered [default: 256]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub senders: Option<u32>,
}

#[derive(Debug, Args)]
pub struct PacedPosts {
    #[command(flatten)]
    pub posts: Posts,
    /// So many posts a second in an open loop, whose latencies begin when they were due; nothing is
    /// compared then [default: as fast as they are answered]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub rate: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Mixed {
    #[command(flatten)]
    pub common: Common,
    /// Groups, the largest of everybody, the second of half of them, and so on [default: 100]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub groups: Option<u32>,
    /// Registered people, all of them in the largest group [default: 250]
    #[arg(long, value_parser = clap::value_parser!(u32).range(4..=10_000))]
    pub members: Option<u32>,
    /// Sockets that listen, at most 100 of each person [default: 500]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub sockets: Option<u32>,
    /// Those who post and do the rest, each when its last act is answered [default: 256]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub senders: Option<u32>,
    /// Posts per second of the open loop [default: half of what the closed one reached]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub rate: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Crowd {
    /// Sockets that listen, at most 100 of each member [default: 1000; latency: 100]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub sockets: Option<u32>,
    /// Members of the group, who share the sockets [default: 20]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub members: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Fanout {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub crowd: Crowd,
    /// Senders, each of which posts when its last message has reached every socket [default: 2]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub senders: Option<u32>,
    /// So many posts a second in an open loop, whose latencies begin when they were due; nothing is
    /// compared then [default: as fast as they are answered]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub rate: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Peers {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub crowd: Crowd,
    /// Senders of the fan-out, each of which posts when its last message has reached every
    /// socket [default: 2]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub senders: Option<u32>,
    /// Senders of the posts that nobody listens to [default: 64]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub posters: Option<u32>,
    /// Groups that these post into [default: 100]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub groups: Option<u32>,
    /// Beside which [default: all]
    pub peers: Vec<Peer>,
}

#[derive(Debug, Args)]
pub struct Burst {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub crowd: Crowd,
    /// Senders of the single posts that bursts are compared with [default: 2]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub senders: Option<u32>,
    /// Posts at once [default: 50]
    #[arg(long, value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub posts: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Latency {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub crowd: Crowd,
    /// Posts per second of the open loop [default: 100]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub rate: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Idle {
    #[command(flatten)]
    pub common: Common,
    /// Sockets that only stay open, 100 of each person [default: 10000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub sockets: Option<u32>,
}

#[derive(Debug, Args)]
pub struct History {
    #[command(flatten)]
    pub common: Common,
    /// Messages in the deep group [default: 1000000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1000..=10_000_000))]
    pub messages: Option<u32>,
    /// Groups whose newest page is read [default: 100]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub groups: Option<u32>,
    /// Connections that read [default: 32]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub readers: Option<u32>,
    /// So many pages a second in an open loop, whose latencies begin when they were due; nothing is
    /// compared then [default: as fast as they are answered]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub rate: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Grow {
    #[command(flatten)]
    pub common: Common,
    /// Messages that are stored when it is full; P8 to P11 are set for 5000000 [default: 1000000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1000..=100_000_000))]
    pub messages: Option<u32>,
    /// Groups that there are then; P11 is set for 100000 [default: 10000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub groups: Option<u32>,
    /// Those of them that are posted into, of ten members [default: 1000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub active: Option<u32>,
    /// Connections that post, each when its last post is answered [default: 256]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub senders: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Search {
    #[command(flatten)]
    pub common: Common,
    /// Messages among which words are looked for [default: 1000000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(500..=100_000_000))]
    pub messages: Option<u32>,
    /// Groups that they are in [default: 100]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub groups: Option<u32>,
    /// Connections that look for words [default: 4]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub readers: Option<u32>,
    /// So many searches a second in an open loop, whose latencies begin when they were due; nothing is
    /// compared then [default: as fast as they are answered]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub rate: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Images {
    #[command(flatten)]
    pub posts: Posts,
    /// Uploads per second, in an open loop [default: 50]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rate: Option<u32>,
    /// Bytes of each photo, about [default: 2000000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(2000..=10_000_000))]
    pub photo_bytes: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Groups {
    #[command(flatten)]
    pub common: Common,
    /// Groups that one user is in, at most one page [default: 500]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=500))]
    pub groups: Option<u32>,
    /// Members of each [default: 10]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub members: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Stalled {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub crowd: Crowd,
    /// Sockets that read nothing [default: 1000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub stalled: Option<u32>,
    /// Senders, each of which posts when its last message has reached every reader [default: 2]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub senders: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Reconnect {
    #[command(flatten)]
    pub common: Common,
    /// Sockets that are cut, 100 of each person [default: 5000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub sockets: Option<u32>,
    /// Events that each of them misses [default: 50]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=5000))]
    pub missed: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Bots {
    #[command(flatten)]
    pub common: Common,
    /// Bots in groups of a hundred, every tenth of them failing [default: 1000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(40..=10_000))]
    pub bots: Option<u32>,
    /// Posts per second of the open loop; each is delivered to every bot of a group [default: 5]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rate: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Soak {
    #[command(flatten)]
    pub common: Common,
    /// [default: 8]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub groups: Option<u32>,
    /// Members of each group; twice as many people are registered [default: 10]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub members: Option<u32>,
    /// Those who post [default: 8]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub senders: Option<u32>,
    /// Posts a second of all of them, in an open loop [default: 300]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub rate: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Abuse {
    #[command(flatten)]
    pub common: Common,
    /// Connections that do harm at once [default: 500]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub connections: Option<u32>,
}
