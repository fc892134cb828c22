//! P8 to P11: a server that stores much. What posts cost before and after, how soon the server
//! starts again, and how much disk and memory it takes.
//!
//! Only a server that this program started can be stopped and killed, and its files examined.

use std::path::Path;
use std::time::{Duration, Instant};

use super::environment::{Environment, OpenFiles};
use super::idle::mebibytes;
use super::posts;
use super::{RunError, run_id, say};
use crate::cli::sizes::Grow;
use crate::http::connection::Connection;
use crate::http::request::{self, PostTarget};
use crate::load::closed_loop::{self, LoadError};
use crate::load::founding::{Founder, found};
use crate::load::meter::{Phase, Window};
use crate::load::poster::Poster;
use crate::load::seeder::Seeder;
use crate::load::words::{Length, Talker};
use crate::process::proc_fs::{at_rest, resident_bytes};
use crate::process::server::{Ending, ServerProcess};
use crate::process::target::Target;
use crate::reference;
use crate::report::bar::{Bar, Bound};
use crate::report::{POSTS, Report};
use crate::stats::{median, median_ratio};
use crate::world::listing;
use crate::world::people::World;
use crate::world::rest::Api;

const TRIVIAL_BEFORE: &str = "trivial POST, before";
const BEFORE: &str = "little stored";
const TRIVIAL_AFTER: &str = "trivial POST, after";
const AFTER: &str = "much stored";

/// Members of each group that is posted into, and the number of registered people.
const MEMBERS: usize = 10;
const PEOPLE: usize = 64;
/// The slowest disk that the run waits for, in posts per second.
const SLOWEST_SEEDING: usize = 500;
/// One message with a realistic text is posted for this many of the others.
const OF_PEOPLE: usize = 2;
/// How often the server is started again after each kind of end.
const STARTS: usize = 3;

#[derive(Debug, Clone, Copy)]
struct Sizes {
    messages: usize,
    groups: usize,
    active: usize,
    senders: usize,
    text_bytes: usize,
}

/// A server with its world, and the posters of the server (`ours`) and of the reference (`theirs`).
struct Growing {
    environment: Environment,
    trivial: ServerProcess,
    world: World,
    places: Vec<PostTarget>,
    ours: Vec<Poster>,
    theirs: Vec<Poster>,
    /// Posters whose turn is over; what they posted is still checked.
    done: Vec<Poster>,
    sizes: Sizes,
}

pub async fn run(args: &Grow) -> Result<Report, RunError> {
    let options = &args.common;
    let groups = options.size(args.groups, 10_000, 40);
    let sizes = Sizes {
        messages: options.size(args.messages, 1_000_000, 1500),
        groups,
        active: options.size(args.active, 1000, 8).min(groups),
        senders: options.size(args.senders, 256, 8),
        text_bytes: options.text_bytes(),
    };
    let mut growing = Growing::begins(args, sizes).await?;
    let mut report = Report::new("grow", POSTS, options.smoke, setting(args, sizes));
    let window = Window::of(options.turn());
    growing.turns((TRIVIAL_BEFORE, BEFORE), options.rounds(), window, &mut report).await?;
    report.figure("messages stored, before", Some(growing.stored() as f64), "");
    growing.grows().await?;
    growing.turns((TRIVIAL_AFTER, AFTER), options.rounds(), window, &mut report).await?;
    report.figure("messages stored, after", Some(growing.stored() as f64), "");
    cost(&mut report);
    memory(&mut report, growing.environment.target()).await?;
    if options.url.is_empty() {
        growing.starts(&mut report).await?;
        growing.texts_of_people(&mut report).await?;
    }
    growing.check(&mut report).await?;
    Ok(report)
}

fn setting(args: &Grow, sizes: Sizes) -> String {
    let Sizes { messages, groups, active, senders, text_bytes } = sizes;
    format!(
        "{messages} messages in {active} of {groups} groups, {senders} senders, {text_bytes}-byte texts, {} rounds of \
         {} s a side before and after",
        args.common.rounds(),
        args.common.turn().as_secs_f64()
    )
}

impl Growing {
    async fn begins(args: &Grow, sizes: Sizes) -> Result<Self, RunError> {
        let environment = Environment::open(&args.common, OpenFiles::one_side(sizes.senders))?;
        let trivial = ServerProcess::reference(reference::HTTP)?;
        let run = run_id();
        say(format_args!("registering {PEOPLE} people, creating {} groups", sizes.active));
        let mut api = Api::new(environment.target().addr);
        let world = World::build(&mut api, run, PEOPLE, sizes.active, MEMBERS).await?;
        let places: Vec<PostTarget> =
            (0..sizes.senders).map(|sender| world.post_target(sender)).collect();
        let ours = posts::posters(environment.nodes(), &places, run, sizes.text_bytes);
        let reference = [trivial.target().addr];
        let theirs = posts::posters(&reference, &places, run + 1, sizes.text_bytes);
        Ok(Self { environment, trivial, world, places, ours, theirs, done: Vec::new(), sizes })
    }

    async fn turns(
        &mut self,
        (trivial, server): (&'static str, &'static str),
        rounds: usize,
        window: Window,
        report: &mut Report,
    ) -> Result<(), RunError> {
        for round in 1..=rounds {
            say(format_args!("{server}: round {round} of {rounds}"));
            let phase;
            let theirs = std::mem::take(&mut self.theirs);
            (self.theirs, phase) = posts::turn(theirs, self.trivial.target(), window).await?;
            report.row(round, trivial, phase);
            let phase;
            let (ours, target) = (std::mem::take(&mut self.ours), self.environment.target());
            (self.ours, phase) = posts::turn(ours, target, window).await?;
            report.row(round, server, phase);
        }
        Ok(())
    }

    fn stored(&self) -> usize {
        self.ours.iter().chain(&self.done).map(|poster| poster.outcomes().len()).sum()
    }

    /// Creates groups in which nobody posts, and posts messages up to the number that was asked
    /// for.
    async fn grows(&mut self) -> Result<(), RunError> {
        let (Sizes { groups, active, messages, senders, .. }, target) =
            (self.sizes, self.environment.target());
        say(format_args!("creating {} groups more", groups - active));
        let token = |place: usize| self.world.people[place % PEOPLE].token.clone();
        let founders = (0..senders).map(|place| {
            let share =
                (groups - active) / senders + usize::from(place < (groups - active) % senders);
            Founder::new(target.addr, token(place), share)
        });
        let patience = Duration::from_secs(60 + (groups / SLOWEST_SEEDING) as u64);
        found(founders.collect(), patience).await?;
        let missing = messages.saturating_sub(self.stored());
        say(format_args!("posting {missing} messages more"));
        let posters = std::mem::take(&mut self.ours).into_iter();
        let seeders = posters.map(|poster| Seeder { poster, left: missing / senders });
        let patience = Duration::from_secs(60 + (missing / SLOWEST_SEEDING) as u64);
        let seeders = closed_loop::run_out(seeders.collect(), patience).await?;
        self.ours = seeders.into_iter().map(|seeder| seeder.poster).collect();
        self.ours.iter_mut().for_each(Poster::disconnect);
        if let Some(pid) = target.pid {
            at_rest(pid).await?;
        }
        Ok(())
    }

    /// Measures starts after a clean end, after kill -9 right after posts, and without the index.
    async fn starts(&mut self, report: &mut Report) -> Result<(), RunError> {
        let (mut clean, mut killed) = (Vec::new(), Vec::new());
        for round in 1..=STARTS {
            say(format_args!("starting again, {round} of {STARTS}"));
            clean.push(self.start(Ending::Clean, |_| Ok(())).await?);
            if round == 1 {
                disk(report, &self.environment.data(), self.stored())?;
            }
            self.posts_again(round).await?;
            killed.push(self.start(Ending::Killed, |_| Ok(())).await?);
        }
        say("rebuilding the index");
        let rebuild =
            self.start(Ending::Clean, |data| std::fs::remove_dir_all(data.join("index"))).await?;
        let millions = self.stored() as f64 / 1e6;
        let most = Bound::AtMost(300.0);
        let starts =
            [("start after a clean end", median(&clean)), ("start after kill -9", median(&killed))];
        for (what, millis) in starts {
            report.bars.push(Bar::new("P9", what, millis, most, "ms"));
        }
        let rebuilt = Some(rebuild / 1e3 / millions);
        report.figure("start without an index", Some(rebuild), "ms");
        report.bars.push(Bar::new(
            "P9",
            "index rebuilt, per 1M",
            rebuilt,
            Bound::AtMost(10.0),
            "s",
        ));
        Ok(())
    }

    /// Measures the disk space of messages whose texts differ as those of people do.
    async fn texts_of_people(&mut self, report: &mut Report) -> Result<(), RunError> {
        let Sizes { messages, senders, text_bytes, .. } = self.sizes;
        let (end, run, addr) = (messages / OF_PEOPLE, run_id(), self.environment.target().addr);
        say(format_args!("posting {end} messages with texts of people"));
        let stored = |data: &Path| -> std::io::Result<u64> {
            Ok(bytes_below(&data.join("journal"))? + bytes_below(&data.join("index"))?)
        };
        let before = stored(&self.environment.data())?;
        let talkers =
            self.places.iter().zip(0..).map(|(place, sender): (&PostTarget, u16)| Talker {
                addr,
                place: place.clone(),
                run,
                sender,
                next: sender.into(),
                step: senders,
                end,
                length: Length::Bytes(text_bytes),
                connection: None,
            });
        let patience = Duration::from_secs(60 + (end / SLOWEST_SEEDING) as u64);
        closed_loop::run_out(talkers.collect(), patience).await?;
        self.start(Ending::Clean, |_| Ok(())).await?;
        let grown = stored(&self.environment.data())?.saturating_sub(before);
        let each = Some(grown as f64 / end as f64);
        let what = "disk for each text of people";
        report.bars.push(Bar::new("P10", what, each, Bound::AtMost(300.0), "B"));
        Ok(())
    }

    /// Posts for a moment, so that a kill hits a server that was busy just before.
    async fn posts_again(&mut self, round: usize) -> Result<(), RunError> {
        let run = run_id() + 2 * round as u32;
        let nodes = self.environment.nodes();
        let posters = posts::posters(nodes, &self.places, run, self.sizes.text_bytes);
        let window = Window::of(Duration::from_millis(300));
        let (posters, _) = posts::turn(posters, self.environment.target(), window).await?;
        self.done.extend(posters);
        Ok(())
    }

    /// Starts the server again; returns the milliseconds until it has answered with a page.
    async fn start(
        &mut self,
        ending: Ending,
        change: impl FnOnce(&Path) -> std::io::Result<()>,
    ) -> Result<f64, RunError> {
        let began = self.environment.start_again(ending, change)?;
        let (addr, place) = (self.environment.target().addr, &self.places[0]);
        let path = format!("/v3/groups/{}/messages", place.group_id);
        let request = request::get(addr, &path, &place.token);
        let mut connection = Connection::open(addr).await.map_err(LoadError::from)?;
        match connection.exchange(&request).await.map_err(LoadError::from)?.status {
            200 => Ok(Instant::now().duration_since(began).as_secs_f64() * 1e3),
            status => Err(LoadError::Status { status, request: format!("GET {path}") }.into()),
        }
    }

    /// Checks that nothing was lost, neither by posts nor by kills.
    async fn check(self, report: &mut Report) -> Result<(), RunError> {
        say("listing everything that was posted");
        let posters: Vec<&Poster> = self.ours.iter().chain(&self.done).collect();
        let mut api = Api::new(self.environment.target().addr);
        let listed = listing::check(&mut api, &self.places, &posters).await?;
        report.check_listing(&listed.listing);
        posters.iter().for_each(|poster| report.add_odd_answers(poster.odd_answers()));
        Ok(())
    }
}

fn cost(report: &mut Report) {
    let grown = |of: &dyn Fn(&str, &str) -> Option<f64>| {
        Some(of(AFTER, TRIVIAL_AFTER)? / of(BEFORE, TRIVIAL_BEFORE)?)
    };
    let cpu = grown(&|ours, theirs| median_ratio(&report.each_cpu(ours), &report.each_cpu(theirs)));
    let rates = |what: &str| report.each(what, |phase: &Phase| phase.per_second);
    let rate = grown(&|ours, theirs| median_ratio(&rates(ours), &rates(theirs)));
    let cpu =
        Bar::new("P8", "server CPU of a post, after per before", cpu, Bound::AtMost(1.1), "×");
    let rate = Bar::new("P8", "posts, after per before", rate, Bound::AtLeast(0.9), "×");
    report.bars.extend([cpu, rate]);
}

/// Reports the server's memory while posts came in, and at rest.
async fn memory(report: &mut Report, target: Target) -> Result<(), RunError> {
    let rows = report.rows.iter().filter(|row| row.what == AFTER);
    let points = rows.flat_map(|row| row.phase.timeline.iter().filter_map(|it| it.server_mib));
    let posting = points.reduce(f64::max);
    let Some(pid) = target.pid else { return Ok(()) };
    at_rest(pid).await?;
    report.figure("server memory at rest", Some(mebibytes(resident_bytes(pid)?)), "MiB");
    let most = Bound::AtMost(250.0);
    report.bars.push(Bar::new("P11", "server memory while posting", posting, most, "MiB"));
    Ok(())
}

fn disk(report: &mut Report, data: &Path, messages: usize) -> Result<(), RunError> {
    let per_message = |part: &str| -> std::io::Result<f64> {
        Ok(bytes_below(&data.join(part))? as f64 / messages as f64)
    };
    let (journal, index) = (per_message("journal")?, per_message("index")?);
    report.figure("journal on disk, for each message", Some(journal), "B");
    report.figure("index on disk, for each message", Some(index), "B");
    let all = Some(journal + index);
    report.bars.push(Bar::new("P10", "disk for each message", all, Bound::AtMost(150.0), "B"));
    Ok(())
}

/// Returns the bytes that the files below a directory occupy on the disk, whatever their lengths.
fn bytes_below(folder: &Path) -> std::io::Result<u64> {
    use std::os::unix::fs::MetadataExt;
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        bytes += match entry.file_type()?.is_dir() {
            true => bytes_below(&entry.path())?,
            // A file that was merged away may be gone by now. A block has 512 bytes.
            false => entry.metadata().map_or(0, |file| file.blocks() * 512),
        };
    }
    Ok(bytes)
}
