//! The options of each scenario: how large, how many, how fast.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::Common;
use crate::peers::Peer;

#[derive(Debug, Args)]
pub struct Posts {
    #[command(flatten)]
    pub common: Common,
    /// Groups that are posted into [default: 100]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub groups: Option<u32>,
    /// Members of each group [default: 10]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub members: Option<u32>,
    /// Registered people, spread over the groups [default: 64]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub people: Option<u32>,
    /// Connections that post, each as soon as its last post is answered [default: 256]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub senders: Option<u32>,
}

#[derive(Debug, Args)]
pub struct PacedPosts {
    #[command(flatten)]
    pub posts: Posts,
    /// Posts per second in an open loop, in which a latency begins when the post was due; nothing
    /// is compared then [default: a closed loop, as fast as posts are answered]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub rate: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Mixed {
    #[command(flatten)]
    pub common: Common,
    /// Groups: the largest has everybody as a member, the second half of them, and so on [default:
    /// 100]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub groups: Option<u32>,
    /// Registered people, all of them in the largest group [default: 250]
    #[arg(long, value_parser = clap::value_parser!(u32).range(4..=10_000))]
    pub members: Option<u32>,
    /// Sockets that listen, at most 100 per person [default: 500]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub sockets: Option<u32>,
    /// Users who post and do the rest, each as soon as the last act is answered [default: 256]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub senders: Option<u32>,
    /// Posts per second of the open loop [default: half of what the closed loop reached]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub rate: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Crowd {
    /// Sockets that listen, at most 100 per member [default: 1000; latency: 100]
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
    /// Senders, each of which posts as soon as its last message has reached every socket [default:
    /// 2]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub senders: Option<u32>,
    /// Posts per second in an open loop, in which a latency begins when the post was due; nothing
    /// is compared then [default: a closed loop, as fast as posts are delivered]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub rate: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Peers {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub crowd: Crowd,
    /// Senders of the fan-out, each of which posts as soon as its last message has reached every
    /// socket [default: 2]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub senders: Option<u32>,
    /// Senders of the posts that no socket listens to [default: 64]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub posters: Option<u32>,
    /// Groups that receive the posts that no socket listens to [default: 100]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub groups: Option<u32>,
    /// The peers to compare with [default: all]
    pub peers: Vec<Peer>,
}

#[derive(Debug, Args)]
pub struct Burst {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub crowd: Crowd,
    /// Senders of the single posts that the bursts are compared with [default: 2]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub senders: Option<u32>,
    /// Posts that are sent at once [default: 50]
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
    /// Sockets that only stay open, 100 per person [default: 10000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub sockets: Option<u32>,
}

#[derive(Debug, Args)]
pub struct History {
    #[command(flatten)]
    pub common: Common,
    /// Messages in the group whose deep pages are read [default: 1000000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1000..=10_000_000))]
    pub messages: Option<u32>,
    /// Groups whose newest page is read [default: 100]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub groups: Option<u32>,
    /// Connections that read [default: 32]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub readers: Option<u32>,
    /// Pages per second in an open loop, in which a latency begins when the request was due;
    /// nothing is compared then [default: a closed loop, as fast as requests are answered]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub rate: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Grow {
    #[command(flatten)]
    pub common: Common,
    /// Messages stored at the end; P8 to P11 are set for 5000000 [default: 1000000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1000..=100_000_000))]
    pub messages: Option<u32>,
    /// Groups stored at the end; P11 is set for 100000 [default: 10000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub groups: Option<u32>,
    /// Groups that are posted into, of ten members each [default: 1000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub active: Option<u32>,
    /// Connections that post, each as soon as its last post is answered [default: 256]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub senders: Option<u32>,
}

/// A kind of act whose cost is followed over sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Act {
    /// P20: a read mark, over messages stored in its group
    Marks,
    /// P21: a post, over members of its group
    Posts,
    /// P22: a like or its withdrawal, over likers of the message
    Likes,
    /// P23: a join by the share link, over members of the group
    Joins,
    /// P24: alarms that are due at the same time, over their number
    Alarms,
    /// P25: the first post in a group after a start, over its old polls and events
    Cold,
    /// P26: indexing a post, over read marks and drafts per second beside it
    Beside,
    /// Memory of idle sockets, over their number
    Sockets,
}

#[derive(Debug, Args)]
pub struct Growth {
    #[command(flatten)]
    pub common: Common,
    /// Acts to measure, separated by commas [default: all]
    #[arg(long, value_delimiter = ',')]
    pub only: Vec<Act>,
    /// Members of a group, smallest first [default: 10,100,1000,5000,10000]
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(10..=10_000))]
    pub members: Vec<u32>,
    /// Likers of a message [default: 10,100,1000,10000]
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(4..=10_000))]
    pub likers: Vec<u32>,
    /// Messages in the group of the read marks [default: 1000,10000,100000]
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(20..=10_000_000))]
    pub history: Vec<u32>,
    /// Old polls and events of a cold group, half of each; the largest group also has --messages
    /// messages, the others in proportion [default: 10,500,5000]
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub old: Vec<u32>,
    /// Messages in the largest cold group [default: 1000000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(20..=10_000_000))]
    pub messages: Option<u32>,
    /// Mutes, polls and reminders that are due at the same time [default: 100,1000,10000]
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(30..=100_000))]
    pub due: Vec<u32>,
    /// Read marks and drafts per second beside the posts, the first of them 0 [default: 0,100,400]
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub beside: Vec<u32>,
    /// Idle sockets [default: 1000,10000]
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub sockets: Vec<u32>,
    /// Acts in each measurement of posts, likes and read marks [default: 4000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(10..=1_000_000))]
    pub acts: Option<u32>,
    /// A file with the people of earlier runs against the same --url; people who are missing are
    /// registered and added, since each registration costs a password hash
    #[arg(long, requires = "url")]
    pub people: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Search {
    #[command(flatten)]
    pub common: Common,
    /// Messages that are searched [default: 1000000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(500..=100_000_000))]
    pub messages: Option<u32>,
    /// Groups that contain these messages [default: 100]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub groups: Option<u32>,
    /// Connections that search [default: 4]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub readers: Option<u32>,
    /// Searches per second in an open loop, in which a latency begins when the search was due;
    /// nothing is compared then [default: a closed loop, as fast as searches are answered]
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
    /// Approximate size of each photo, in bytes [default: 2000000]
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
    /// Members of each group [default: 10]
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
    /// Senders, each of which posts as soon as its last message has reached every socket that reads
    /// [default: 2]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub senders: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Reconnect {
    #[command(flatten)]
    pub common: Common,
    /// Sockets that are disconnected, 100 per person [default: 5000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub sockets: Option<u32>,
    /// Events that each of these sockets misses [default: 50]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=5000))]
    pub missed: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Bots {
    #[command(flatten)]
    pub common: Common,
    /// Bots, in groups of a hundred; every tenth of them fails [default: 1000]
    #[arg(long, value_parser = clap::value_parser!(u32).range(40..=10_000))]
    pub bots: Option<u32>,
    /// Posts per second of the open loop; each is delivered to every bot of its group [default: 5]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rate: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Soak {
    #[command(flatten)]
    pub common: Common,
    /// Groups that are posted into [default: 8]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub groups: Option<u32>,
    /// Members of each group; twice as many people are registered [default: 10]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub members: Option<u32>,
    /// Users who post [default: 8]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub senders: Option<u32>,
    /// Posts per second of all users together, in an open loop [default: 300]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub rate: Option<u32>,
}

#[derive(Debug, Args)]
pub struct Abuse {
    #[command(flatten)]
    pub common: Common,
    /// Abusive connections at the same time [default: 500]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub connections: Option<u32>,
    /// Only the kinds of abuse whose name in the report contains this text
    #[arg(long)]
    pub only: Option<String>,
}
