//! One group with many sockets, on the server or on the raw broadcaster.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use super::{RunError, say};
use crate::cli::Common;
use crate::cli::sizes::Crowd;
use crate::http::request::{PostTarget, PostTemplate};
use crate::load::audience::{Audience, Verdict};
use crate::load::closed_loop::LoadError;
use crate::load::delivery_tracker::DeliveryTracker;
use crate::load::meter::{Meter, Phase, Window};
use crate::load::pace;
use crate::load::poster::Poster;
use crate::load::watched_poster::WatchedPoster;
use crate::process::target::{Target, node_of};
use crate::report::Report;
use crate::world::listing;
use crate::world::people::World;
use crate::world::rest::Api;

/// The most sockets of one user that the server keeps open; it closes any more.
pub const SOCKETS_PER_PERSON: usize = 100;

/// Sizes of a crowd, checked against each other.
#[derive(Debug, Clone, Copy)]
pub struct CrowdSize {
    pub sockets: usize,
    pub members: usize,
}

impl CrowdSize {
    pub fn of(options: &Common, crowd: &Crowd, full: usize) -> Result<Self, RunError> {
        let sockets = options.size(crowd.sockets, full, 20);
        let members = options.size(crowd.members, 20, 4);
        if sockets > members * SOCKETS_PER_PERSON {
            return Err(RunError::Size(format!(
                "{sockets} sockets need {} --members: the server allows {SOCKETS_PER_PERSON} sockets of one user",
                sockets.div_ceil(SOCKETS_PER_PERSON)
            )));
        }
        Ok(Self { sockets, members })
    }
}

/// The users who may post and listen.
#[derive(Debug)]
pub struct Cast {
    /// One post target for each member.
    pub post_targets: Vec<PostTarget>,
}

impl Cast {
    /// Creates one group with its members on the server, and waits until all nodes know it.
    pub async fn on_server(
        nodes: &[SocketAddr],
        run: u32,
        size: CrowdSize,
    ) -> Result<Self, RunError> {
        let mut api = Api::new(nodes[0]);
        let world = World::build(&mut api, run, size.members, 1, size.members).await?;
        for node in &nodes[1..] {
            world.known_at(*node).await?;
        }
        Ok(Self {
            post_targets: (0..size.members).map(|sender| world.post_target(sender)).collect(),
        })
    }

    /// The broadcaster does not check who anybody is.
    pub fn on_broadcaster() -> Self {
        Self { post_targets: vec![PostTarget { group_id: "1".to_owned(), token: String::new() }] }
    }

    /// Returns the post target of a member; numbers go round the members.
    pub fn post_target(&self, number: usize) -> &PostTarget {
        &self.post_targets[number % self.post_targets.len()]
    }
}

/// The size of a stage.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    pub run: u32,
    pub sockets: usize,
    pub senders: usize,
    pub text_bytes: usize,
    pub patience: Duration,
}

/// How the senders post: in `teams` teams, each of which sends `posts` posts at once.
#[derive(Debug, Clone, Copy)]
pub struct Formation {
    pub teams: usize,
    pub posts: usize,
}

/// A group with its sockets and all senders that post into it.
#[derive(Debug)]
pub struct Stage {
    target: Target,
    plan: Plan,
    delivery_tracker: Arc<DeliveryTracker>,
    audience: Audience,
    posters: Vec<Poster>,
}

impl Stage {
    /// Opens the sockets and creates the posters, both spread over the nodes, of which `target` is
    /// the first.
    pub async fn open(
        target: Target,
        nodes: &[SocketAddr],
        cast: &Cast,
        plan: Plan,
    ) -> Result<Self, RunError> {
        let delivery_tracker =
            Arc::new(DeliveryTracker::new(plan.run, plan.senders, plan.sockets as u32));
        let socket = |socket| (node_of(nodes, socket), cast.post_target(socket).token.clone());
        let sockets = (0..plan.sockets).map(socket).collect();
        let audience = Audience::open(sockets, Arc::clone(&delivery_tracker)).await?;
        let poster = |sender: u16| {
            let post_target = cast.post_target(sender.into());
            let addr = node_of(nodes, sender.into());
            let template = PostTemplate::new(addr, post_target, plan.text_bytes);
            Poster::new(addr, template, plan.run, sender)
        };
        let posters = (0..plan.senders as u16).map(poster).collect();
        Ok(Self { target, plan, delivery_tracker, audience, posters })
    }

    /// Posts for one window in a closed loop; the units are deliveries.
    pub async fn turn(&mut self, formation: Formation, window: Window) -> Result<Phase, RunError> {
        self.turn_at(formation, None, window).await
    }

    /// Like [`turn`](Self::turn), or, with a rate, in an open loop: all teams together begin `rate`
    /// steps per second, in each of which a team sends its posts at once.
    pub async fn turn_at(
        &mut self,
        formation: Formation,
        rate: Option<f64>,
        window: Window,
    ) -> Result<Phase, RunError> {
        let meter = Meter::counting(self.delivery_tracker.deliveries());
        let teams = self.teams(formation).await?;
        let (teams, phase) = pace::run(teams, rate, meter, window, self.target.pid).await?;
        self.rest(teams);
        Ok(phase)
    }

    /// Posts for one window in an open loop: `rate` posts per second, however slow the server is.
    /// The units are posts.
    pub async fn beat(&mut self, rate: usize, window: Window) -> Result<Phase, RunError> {
        let all = Formation { teams: self.posters.len(), posts: 1 };
        let teams = self.teams(all).await?;
        let teams = teams.into_iter().map(WatchedPoster::counting_posts).collect();
        let (rate, meter) = (Some(rate as f64), Meter::default());
        let (teams, phase) = pace::run(teams, rate, meter, window, self.target.pid).await?;
        self.rest(teams);
        Ok(phase)
    }

    /// Forms the teams. Their connections are new in every turn, since servers close idle ones.
    async fn teams(&mut self, formation: Formation) -> Result<Vec<WatchedPoster>, LoadError> {
        let count = formation.teams * formation.posts;
        let mut posters = self.posters.drain(..count.min(self.posters.len()));
        let mut teams = Vec::with_capacity(formation.teams);
        for _ in 0..formation.teams {
            let mut team: Vec<Poster> = posters.by_ref().take(formation.posts).collect();
            for poster in &mut team {
                poster.connect().await?;
            }
            let delivery_tracker = Arc::clone(&self.delivery_tracker);
            teams.push(WatchedPoster::new(team, delivery_tracker, self.plan.patience));
        }
        Ok(teams)
    }

    fn rest(&mut self, teams: Vec<WatchedPoster>) {
        let mut spoken: Vec<Poster> = teams.into_iter().flat_map(|team| team.posters).collect();
        spoken.iter_mut().for_each(Poster::disconnect);
        self.posters.splice(0..0, spoken);
    }

    /// Returns the verdict on what the sockets received, and closes them.
    pub async fn close(self) -> (Verdict, Vec<Poster>) {
        let posters: Vec<&Poster> = self.posters.iter().collect();
        self.audience.settle(&posters, self.plan.patience).await;
        // A frame that should not come might arrive a little later.
        tokio::time::sleep(Duration::from_millis(100)).await;
        let verdict = self.audience.verdict(&posters).await;
        (verdict, self.posters)
    }
}

/// Closes the stage on the server, and checks what was received and what every node lists.
pub async fn check(
    report: &mut Report,
    nodes: &[SocketAddr],
    stage: Stage,
    cast: &Cast,
) -> Result<(), RunError> {
    say("checking the messages of every socket, and the list");
    let (verdict, posters) = stage.close().await;
    report.check_deliveries(&verdict);
    let posters: Vec<&Poster> = posters.iter().collect();
    for node in nodes {
        let mut api = Api::new(*node);
        let listed = listing::check(&mut api, &cast.post_targets, &posters).await?;
        report.check_listing(&listed.listing);
    }
    for poster in posters {
        report.add_odd_answers(poster.odd_answers());
    }
    Ok(())
}
