//! P1m: a realistic day: groups of all sizes, hundreds of sockets, and beside the posts also pages,
//! likes, read marks, typing and direct messages.
//!
//! The cost of a post is what is left of the whole cost when the rest is subtracted: the acts
//! beside it, at what they cost without posts, and its deliveries, at what they cost without the
//! acts. If the rest makes a post more expensive, the difference stays in its cost, which is what
//! the bar is about.

use std::net::SocketAddr;
use std::sync::Arc;

use super::environment::{Environment, OpenFiles};
use super::{RunError, run_id, say};
use crate::cli::sizes::Mixed;
use crate::http::request::{PostTarget, PostTemplate};
use crate::load::closed_loop::LoadError;
use crate::load::day::{Actor, Part, Seat, Unmarked};
use crate::load::listeners::{Listeners, Owed};
use crate::load::meter::{Meter, Phase, Window};
use crate::load::pace;
use crate::load::poster::{Outcome, Poster};
use crate::process::target::{Target, node_of};
use crate::report::bar::{Bar, Bound};
use crate::report::{POSTS, Report};
use crate::scenarios::crowd::SOCKETS_PER_PERSON;
use crate::scenarios::posts;
use crate::stats::median;
use crate::world::listing::{self, Correspondence};
use crate::world::people::World;
use crate::world::rest::Api;

const QUIET: &str = "posts without listeners";
const HEARD: &str = "posts, heard";
const ACTS: &str = "acts beside posts, alone";
const DAY: &str = "posts of a day";
const DAY_ACTS: &str = "its acts beside posts";
const HALF: &str = "posts at half load";
const HALF_ACTS: &str = "half load's acts";

/// Members of each group without sockets, as in P1; also the number of people in these groups.
const QUIET_MEMBERS: usize = 10;
/// Members of the smallest group of the day.
const SMALLEST: usize = 3;

#[derive(Debug, Clone, Copy)]
struct Sizes {
    groups: usize,
    people: usize,
    sockets: usize,
    senders: usize,
    text_bytes: usize,
}

impl Sizes {
    fn of(args: &Mixed) -> Result<Self, RunError> {
        let options = &args.common;
        let sizes = Self {
            groups: options.size(args.groups, 100, 4),
            people: options.size(args.members, 250, 6),
            sockets: options.size(args.sockets, 500, 12),
            senders: options.size(args.senders, 256, 8),
            text_bytes: options.text_bytes(),
        };
        if sizes.sockets > sizes.people * SOCKETS_PER_PERSON {
            let least = sizes.sockets.div_ceil(SOCKETS_PER_PERSON);
            return Err(RunError::Size(format!(
                "{} sockets need {least} --members: the server allows {SOCKETS_PER_PERSON} sockets of one user",
                sizes.sockets
            )));
        }
        Ok(sizes)
    }

    /// Members of each group by Zipf's law: the second has half as many as the first.
    fn members(self) -> impl Iterator<Item = usize> {
        (1..=self.groups).map(move |rank| (self.people / rank).max(SMALLEST))
    }

    fn setting(self, args: &Mixed) -> String {
        let Self { groups, people, sockets, senders, text_bytes } = self;
        format!(
            "{people} people in {groups} groups of {people} to {SMALLEST} members, {sockets} sockets, {senders} \
             senders; to ten posts 5 pages, 5 read marks, 3 likes and 2 times typing, every 20th a direct \
             message; {text_bytes}-byte texts, {} rounds of {} s each; rows of acts count acts",
            args.common.rounds(),
            args.common.turn().as_secs_f64()
        )
    }
}

/// Everything that takes part in the day.
struct Day {
    target: Target,
    world: World,
    listeners: Listeners,
    actors: Vec<Actor>,
    chats: Vec<Correspondence>,
}

/// The result of one window of the day.
struct Lived {
    posts: Phase,
    acts: Phase,
    /// Deliveries per post.
    heard: f64,
}

pub async fn run(args: &Mixed) -> Result<Report, RunError> {
    let (options, sizes) = (&args.common, Sizes::of(args)?);
    // Every sender has one connection for posts, one for direct messages and one for the other
    // acts.
    let files = OpenFiles::one_side(sizes.sockets + 3 * sizes.senders);
    let environment = Environment::open_nodes(options, files)?;
    let (target, run) = (environment.target(), run_id());
    say(format_args!("registering {} people, opening {} sockets", sizes.people, sizes.sockets));
    let mut api = Api::new(target.addr);
    let nobody =
        World::build(&mut api, run + 1, QUIET_MEMBERS, sizes.groups, QUIET_MEMBERS).await?;
    posts::everywhere(&environment, &nobody).await?;
    let quiet_places: Vec<PostTarget> =
        (0..sizes.senders).map(|sender| nobody.post_target(sender)).collect();
    let mut quiet = posts::posters(environment.nodes(), &quiet_places, run + 1, sizes.text_bytes);
    let mut day = Day::begins(&environment, run, sizes).await?;
    let mut report = Report::new("mixed", POSTS, options.smoke, sizes.setting(args));
    let window = Window::of(options.turn());
    let mut costs = Vec::new();
    for round in 1..=options.rounds() {
        say(format_args!("round {round} of {}", options.rounds()));
        let alone;
        (quiet, alone) = posts::turn(quiet, target, window).await?;
        let heard = day.lives(Part::Posts, None, window).await?;
        let beside = day.lives(Part::Beside, None, window).await?;
        let whole = day.lives(Part::Whole, None, window).await?;
        let rate = args.rate.map_or(whole.posts.per_second / 2.0, f64::from);
        let half = day.lives(Part::Whole, Some(rate), window).await?;
        costs.extend(Costs::of(&alone, &heard, &beside.acts, &whole));
        for (what, phase) in [
            (QUIET, alone),
            (HEARD, heard.posts),
            (ACTS, beside.acts),
            (DAY, whole.posts),
            (DAY_ACTS, whole.acts),
            (HALF, half.posts),
            (HALF_ACTS, half.acts),
        ] {
            report.row(round, what, phase);
        }
    }
    bars(&mut report, &costs);
    check(&mut report, environment.nodes(), (&quiet_places, &quiet), day, options.patience())
        .await?;
    Ok(report)
}

impl Day {
    async fn begins(environment: &Environment, run: u32, sizes: Sizes) -> Result<Self, RunError> {
        let (target, nodes) = (environment.target(), environment.nodes());
        let mut api = Api::new(target.addr);
        let world = World::of_sizes(&mut api, run, sizes.people, sizes.members()).await?;
        posts::everywhere(environment, &world).await?;
        let tokens: Vec<&str> = world.people.iter().map(|person| person.token.as_str()).collect();
        let listeners = Listeners::open(nodes, run, &tokens, sizes.sockets).await?;
        // Typing is sent to those who have the conversation open; here every socket opens one.
        let open = |socket: usize| {
            let person = socket % world.people.len();
            let mut own = world.groups.iter().filter(|group| group.members.contains(&person));
            let group = own.nth(socket / world.people.len()).unwrap_or(&world.groups[0]);
            format!(r#"{{"t":"sub","conv":["g:{}"]}}"#, group.id)
        };
        listeners.each_says(open).await;
        let unmarked: Vec<Arc<Unmarked>> = world.groups.iter().map(|_| Arc::default()).collect();
        let (mut actors, mut chats) = (Vec::new(), Vec::new());
        for place in 0..sizes.senders {
            let addr = node_of(nodes, place);
            let (group, person) = world.seat(place);
            let members = &world.groups[group].members;
            let seat = members.iter().position(|it| *it == person).unwrap_or_default();
            let other = &world.people[members[(seat + 1) % members.len()]];
            let (who, post_target) = (&world.people[person], world.post_target(place));
            let letter = PostTemplate::direct(addr, &other.id, &who.token, sizes.text_bytes);
            let post = PostTemplate::new(addr, &post_target, sizes.text_bytes);
            let letters = (sizes.senders + place) as u16;
            let turn = place / world.groups.len();
            // A person without a socket borrows one of the first person, so that somebody types.
            let outbox = listeners.outbox(person, turn).or_else(|| listeners.outbox(0, turn));
            let seat = Seat {
                addr,
                group_id: post_target.group_id,
                token: post_target.token,
                unmarked: Arc::clone(&unmarked[group]),
                outbox: outbox.ok_or(LoadError::Stuck)?,
            };
            let posts = Poster::new(addr, post, run, place as u16);
            let letters = Poster::new(addr, letter, run, letters);
            actors.push(Actor::new(place, posts, letters, seat));
            let (from, to, token) = (who.id.clone(), other.id.clone(), who.token.clone());
            chats.push(Correspondence { from, to, token });
        }
        Ok(Self { target, world, listeners, actors, chats })
    }

    /// Runs one window: as fast as posts are answered, or with `rate` posts a second.
    async fn lives(
        &mut self,
        part: Part,
        rate: Option<f64>,
        window: Window,
    ) -> Result<Lived, RunError> {
        let beside = Arc::new(Meter::default());
        let mut actors = std::mem::take(&mut self.actors);
        for actor in &mut actors {
            actor.begin(part, &beside).await?;
        }
        let (before, pid) = (self.listeners.messages(), self.target.pid);
        let acts = beside.observe(window, pid);
        let posts = pace::run(actors, rate, Meter::default(), window, pid);
        let (posts, acts) = tokio::join!(posts, acts);
        let (actors, posts) = posts?;
        self.actors = actors;
        // The load of the warm-up is like that of the rest, so deliveries are counted over both.
        let share =
            window.measured.as_secs_f64() / (window.warm_up + window.measured).as_secs_f64();
        let heard = (self.listeners.messages() - before) as f64 * share / posts.units.max(1) as f64;
        Ok(Lived { posts, acts: acts.map_err(LoadError::from)?, heard })
    }

    /// Returns how many messages every person's sockets must have received, and how many they may
    /// have.
    fn owed(&self) -> Vec<Owed> {
        let mut owed = vec![Owed::default(); self.world.people.len()];
        let mut add = |person: usize, poster: &Poster| {
            let count =
                |wanted| poster.outcomes().iter().filter(|it| **it == wanted).count() as u64;
            let sure = count(Outcome::Acknowledged);
            owed[person].least += sure;
            owed[person].most += sure + count(Outcome::Unknown);
        };
        for (place, (actor, chat)) in self.actors.iter().zip(&self.chats).enumerate() {
            let (group, _) = self.world.seat(place);
            self.world.groups[group].members.iter().for_each(|it| add(*it, &actor.posts));
            let of_chat = |id: &str| id == chat.from || id == chat.to;
            let people = self.world.people.iter().enumerate();
            let both = people.filter(|(_, person)| of_chat(&person.id));
            both.for_each(|(person, _)| add(person, &actor.letters));
        }
        owed
    }
}

/// The costs found in one round, in microseconds of server CPU.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Costs {
    /// A post that no socket receives.
    quiet: f64,
    delivery: f64,
    act: f64,
    /// A post of the day, without its deliveries and the acts.
    post: f64,
    /// The number of deliveries per post.
    heard: f64,
}

impl Costs {
    /// Computes the costs; `None` if the server's process is unknown.
    fn of(alone: &Phase, heard: &Lived, beside: &Phase, whole: &Lived) -> Option<Self> {
        let quiet = alone.server_us_per_unit?;
        let loud = heard.posts.server_us_per_unit?;
        let delivery = ((loud - quiet) / heard.heard.max(f64::MIN_POSITIVE)).max(0.0);
        let act = beside.server_us_per_unit?;
        let acts = whole.acts.units as f64 / whole.posts.units.max(1) as f64;
        let all = whole.posts.server_us_per_unit?;
        let post = all - acts * act - whole.heard * delivery;
        Some(Self { quiet, delivery, act, post, heard: whole.heard })
    }
}

fn bars(report: &mut Report, costs: &[Costs]) {
    let of = |value: fn(&Costs) -> f64| median(&costs.iter().map(value).collect::<Vec<_>>());
    for (what, value, unit) in [
        ("deliveries of a post", of(|it| it.heard), ""),
        ("server CPU of a post without listeners", of(|it| it.quiet), "µs"),
        ("of a delivery", of(|it| it.delivery), "µs"),
        ("of an act beside posts", of(|it| it.act), "µs"),
        ("of a post of the day, beside its deliveries", of(|it| it.post), "µs"),
    ] {
        report.figure(what, value, unit);
    }
    let ratio = of(|it| it.post / it.quiet);
    let tail = median(&report.each(HALF, |phase| phase.latency.p99_ms));
    report.bars = vec![
        Bar::new("P1m", "CPU of a post beside P1's", ratio, Bound::AtMost(1.3), "×"),
        Bar::new("P1m", "p99 of posts at half load", tail, Bound::AtMost(10.0), "ms"),
    ];
}

async fn check(
    report: &mut Report,
    nodes: &[SocketAddr],
    (places, quiet): (&[PostTarget], &[Poster]),
    day: Day,
    patience: std::time::Duration,
) -> Result<(), RunError> {
    say("checking the messages of every socket, and the lists");
    let owed = day.owed();
    let Day { world, listeners, actors, chats, .. } = day;
    let hearing = listeners.verdict(&owed, patience).await;
    let detail = format!(
        "{} owed to {} sockets; {} missing, {} too many, {} gaps and {} steps back in n, {} sockets ended ({})",
        hearing.owed,
        hearing.sockets,
        hearing.missing,
        hearing.too_many,
        hearing.faults.gaps,
        hearing.faults.out_of_order,
        hearing.ended.len(),
        hearing.ended.first().map_or("none", String::as_str)
    );
    let passed = hearing.is_clean() && hearing.owed > 0;
    report.check("every socket got every acknowledged message once, with n dense", passed, detail);
    let posts = actors.iter().map(|actor| &actor.posts);
    let mut posters: Vec<&Poster> = posts.chain(quiet).collect();
    let mut all: Vec<PostTarget> =
        (0..actors.len()).map(|place| world.post_target(place)).collect();
    all.extend_from_slice(places);
    let letters: Vec<&Poster> = actors.iter().map(|actor| &actor.letters).collect();
    for node in nodes {
        let mut api = Api::new(*node);
        report.check_listing(&listing::check(&mut api, &all, &posters).await?.listing);
        report.check_listing(&listing::check_chats(&mut api, &chats, &letters).await?);
    }
    posters.extend(letters);
    posters.iter().for_each(|poster| report.add_odd_answers(poster.odd_answers()));
    let odd: u64 = actors.iter().flat_map(|actor| actor.odd.values()).sum();
    actors.iter().for_each(|actor| report.add_odd_answers(&actor.odd));
    report.check("every action gets the expected response", odd == 0, format!("{odd} do not"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Percentiles;

    fn phase(units: u64, server: f64) -> Phase {
        Phase {
            units,
            per_second: units as f64,
            server_us_per_unit: Some(server),
            client_us_per_unit: 0.0,
            latency: Percentiles::default(),
            timeline: Vec::new(),
        }
    }

    #[test]
    fn post_cost_excludes_other_work() {
        let heard = Lived { posts: phase(100, 40.0), acts: phase(0, 0.0), heard: 10.0 };
        // 25 for the post, 20 deliveries of 2 each, and 1.5 acts of 30 each.
        let whole = Lived { posts: phase(100, 110.0), acts: phase(150, 0.0), heard: 20.0 };
        let costs = Costs::of(&phase(100, 20.0), &heard, &phase(50, 30.0), &whole);
        let expected = Costs { quiet: 20.0, delivery: 2.0, act: 30.0, post: 25.0, heard: 20.0 };
        assert_eq!(costs, Some(expected));
    }

    #[test]
    fn groups_are_smaller_and_smaller() {
        let sizes = Sizes { groups: 5, people: 12, sockets: 1, senders: 1, text_bytes: 1 };
        assert_eq!(sizes.members().collect::<Vec<_>>(), [12, 6, 4, 3, 3]);
    }
}
