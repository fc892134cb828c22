//! `coterie prove`: proves on a disk that nothing acknowledged is lost.
//!
//! Clients post to a server of its own, which is killed (`SIGKILL`) at random moments and started
//! again. After each start, and once more from the beginning at the end, every message that was
//! acknowledged must be there: once, in the order of its client, under the id of its response.
//!
//! A client numbers its messages, and sends the next one only when the last one was acknowledged. So
//! the messages of a client in the group must be numbered without a gap, and a kill leaves at most
//! one that is there without an acknowledgement.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde::Serialize;
use serde_json::json;

use crate::cli::command::ProveArgs;
use crate::cli::disk::sync_times;
use crate::cli::prove::client::{LoopbackClient, PostOutcome};
use crate::cli::prove::history::{GroupHistory, ListedMessage};
use crate::cli::{REFUSED, complain, say, say_json};
use crate::log::{self, LogFormat};
use base::clock::Stopwatch;
use base::random::random;

mod client;
mod history;

/// Clients that post at the same time.
const CLIENTS: usize = 8;
/// The pause of a client between two messages: in eight hours, all together post about four million,
/// which take less than 4 GiB.
const PAUSE: Duration = Duration::from_millis(50);
/// How long the server lives from its start to the kill, in milliseconds.
const LIVES_MILLIS: std::ops::Range<u64> = 200..3000;
/// Writes that are measured before the start.
const SYNCS: usize = 200;
/// No disk makes a write durable faster than this, in microseconds: the fastest ones with a
/// capacitor take about ten.
const TOO_FAST_MICROS: u64 = 5;
/// How long the group may take to have its members, in microseconds.
const ADDED_WITHIN_MICROS: u64 = 60_000_000;
/// Messages that are listed in one request.
const PAGE: usize = 100;

/// The result, as `--json` prints it.
#[derive(Debug, Serialize)]
struct Report {
    /// How often the server was killed.
    kills: u64,
    /// Messages that were acknowledged.
    acknowledged: u64,
    /// Acknowledged messages that are not there.
    lost: u64,
    /// Messages that are there more than once.
    repeated: u64,
    /// Messages that come before an earlier one of the same client.
    out_of_order: u64,
    /// Messages with another id than their response named.
    wrong_ids: u64,
    /// Whether `coterie check` finds nothing wrong at the end.
    check: bool,
    /// The longest time from a start to the first line of the server, in milliseconds.
    slowest_start_millis: u64,
    disk: Disk,
    /// Repeats the moments of the kills, as far as the machine is the same.
    seed: u64,
    seconds: u64,
}

#[derive(Debug, Serialize)]
struct Disk {
    /// The median time of a small write with its `fdatasync`, in microseconds.
    median_micros: u64,
    /// The time within which 99 of 100 of them end.
    p99_micros: u64,
    /// Whether a disk can be this fast. If not, its cache acknowledges what a power failure loses.
    plausible: bool,
}

impl Report {
    fn is_well(&self) -> bool {
        let faults = [self.lost, self.repeated, self.out_of_order, self.wrong_ids];
        faults.iter().all(|it| *it == 0) && self.check
    }
}

/// Runs the proof, and prints the report.
pub(super) fn run(wanted: &ProveArgs) -> Result<ExitCode, String> {
    log::start(&wanted.log, LogFormat::Text)?;
    let report = prove(wanted)?;
    if wanted.json {
        say_json(&json!(report).to_string())?;
    } else {
        print(&report)?;
    }
    if report.is_well() {
        fs::remove_dir_all(&wanted.dir)
            .map_err(|error| format!("removing {} failed: {error}", wanted.dir.display()))?;
        return Ok(ExitCode::SUCCESS);
    }
    Ok(ExitCode::from(REFUSED))
}

fn print(report: &Report) -> Result<(), String> {
    let Disk { median_micros, p99_micros, plausible } = report.disk;
    say(&format!("kills            {}", report.kills))?;
    say(&format!("acknowledged     {} messages", report.acknowledged))?;
    say(&format!("lost             {}", report.lost))?;
    say(&format!("repeated         {}", report.repeated))?;
    say(&format!("out of order     {}", report.out_of_order))?;
    say(&format!("under another id {}", report.wrong_ids))?;
    say(&format!("coterie check    {}", if report.check { "fine" } else { "found damage" }))?;
    say(&format!("slowest start    {} ms", report.slowest_start_millis))?;
    say(&format!("fdatasync        {median_micros} µs (99 of 100: {p99_micros} µs)"))?;
    say(&format!("seed             {}", report.seed))?;
    if !plausible {
        say(
            "No disk is this fast: the writes reach a cache, which loses them in a power failure.",
        )?;
    }
    Ok(())
}

fn prove(wanted: &ProveArgs) -> Result<Report, String> {
    let dir = &wanted.dir;
    make_empty(dir)?;
    let failed = |error| format!("measuring the disk of {} failed: {error}", dir.display());
    let times = sync_times(&dir.join("prove.probe"), SYNCS).map_err(failed)?;
    let median_micros = times[SYNCS / 2];
    let p99_micros = times[SYNCS * 99 / 100];
    let disk = Disk { median_micros, p99_micros, plausible: median_micros >= TOO_FAST_MICROS };
    let seed = wanted.seed.unwrap_or_else(|| u64::from_le_bytes(random()) >> 16);
    let mut random = SplitMix(seed);
    let time = wanted.hours * 3600.0 * 1e6;
    let stopwatch = Stopwatch::start();
    let data = dir.join("data");

    let mut server = Server::start(&data)?;
    let mut posters = world(&server)?;
    let mut history = GroupHistory::new(CLIENTS);
    let mut kills = 0;
    let mut slowest_start = server.started_micros;
    // At least one kill, however short the time is.
    while kills == 0 || (stopwatch.micros() as f64) < time {
        let lives = LIVES_MILLIS.start + random.next() % (LIVES_MILLIS.end - LIVES_MILLIS.start);
        kill_while_posting(&mut server, &mut posters, Duration::from_millis(lives))?;
        kills += 1;
        server = Server::start(&data)?;
        slowest_start = slowest_start.max(server.started_micros);
        posters.iter_mut().for_each(|it| it.address.clone_from(&server.address));
        read(&server, &posters[0], &mut history)?;
        history.expect(&mut posters);
        tracing::info!(
            kills,
            acknowledged = acknowledged(&posters),
            "killed the server and compared its messages"
        );
    }
    // The whole history once more: a kill must not damage what was verified before it.
    let mut again = GroupHistory::new(CLIENTS);
    read(&server, &posters[0], &mut again)?;
    again.expect_all(&posters);
    server.stop()?;
    let check = tool(&["check", "--data-dir"], &data)?;
    let faults = history.faults.worse(&again.faults);
    Ok(Report {
        kills,
        acknowledged: acknowledged(&posters),
        lost: faults.lost,
        repeated: faults.repeated,
        out_of_order: faults.out_of_order,
        wrong_ids: faults.wrong_ids,
        check,
        slowest_start_millis: slowest_start.div_ceil(1000),
        disk,
        seed,
        seconds: stopwatch.micros() / 1_000_000,
    })
}

fn acknowledged(posters: &[Poster]) -> u64 {
    posters.iter().map(|it| it.acknowledged).sum()
}

fn make_empty(dir: &Path) -> Result<(), String> {
    let failed = |error| format!("{} cannot be used: {error}", dir.display());
    fs::create_dir_all(dir).map_err(failed)?;
    match fs::read_dir(dir).map_err(failed)?.next() {
        None => Ok(()),
        Some(_) => {
            Err(format!("{} is not empty; prove needs a directory of its own", dir.display()))
        }
    }
}

/// Registers the clients' accounts in one group.
fn world(server: &Server) -> Result<Vec<Poster>, String> {
    let mut client = LoopbackClient::to(&server.address);
    let mut ids = Vec::new();
    let mut posters = Vec::new();
    for number in 0..CLIENTS {
        let body = json!({
            "name": format!("Client {number}"), "email": format!("{number}@prove.invalid"),
            "password": "only for this proof",
        });
        let account = client.send("POST", "/auth/register", "", &body)?.of(201)?;
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        ids.push(text(&account["user"]["id"]));
        posters.push(Poster {
            number,
            address: server.address.clone(),
            token: text(&account["access_token"]),
            group: String::new(),
            acknowledged: 0,
            ids: Vec::new(),
        });
    }
    let token = posters[0].token.clone();
    let body = json!({ "name": "Proof" });
    let group = client.send("POST", "/v3/groups", &token, &body)?.of(201)?;
    let group = group["id"].as_str().unwrap_or_default().to_owned();
    let members: Vec<_> =
        ids[1..].iter().map(|id| json!({"nickname": "Client", "user_id": id})).collect();
    let path = format!("/v3/groups/{group}/members/add");
    client.send("POST", &path, &token, &json!({ "members": members }))?.of(202)?;
    posters.iter_mut().for_each(|it| it.group.clone_from(&group));
    let stopwatch = Stopwatch::start();
    for poster in &posters {
        // Members are added after the response.
        while client.get(&format!("/v3/groups/{group}"), &poster.token)?.status != 200 {
            if stopwatch.micros() > ADDED_WITHIN_MICROS {
                return Err("the clients were not added to their group in time".to_owned());
            }
            thread::sleep(PAUSE);
        }
    }
    Ok(posters)
}

/// Lets all clients post for this long, and kills the server in the middle of it.
fn kill_while_posting(
    server: &mut Server,
    posters: &mut [Poster],
    lives: Duration,
) -> Result<(), String> {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let threads: Vec<_> =
            posters.iter_mut().map(|poster| scope.spawn(|| poster.post_until(&is_over))).collect();
        thread::sleep(lives);
        let killed = server.kill();
        is_over.store(true, Ordering::Relaxed);
        for thread in threads {
            thread.join().map_err(|_| "a client broke down".to_owned())??;
        }
        killed
    })
}

/// Lists the messages that the history does not have yet.
fn read(server: &Server, reader: &Poster, history: &mut GroupHistory) -> Result<(), String> {
    let mut client = LoopbackClient::to(&server.address);
    loop {
        let path = format!(
            "/v3/groups/{}/messages?limit={PAGE}&after_id={}",
            reader.group, history.newest
        );
        let answer = client.get(&path, &reader.token)?;
        if answer.status == 304 {
            return Ok(());
        }
        let page = answer.of(200)?;
        let messages = page["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
        for message in messages {
            history.add(&ListedMessage::of(message)?);
        }
        if messages.len() < PAGE {
            return Ok(());
        }
    }
}

/// A client that posts numbered messages.
pub(super) struct Poster {
    number: usize,
    address: String,
    token: String,
    group: String,
    /// How many messages were acknowledged, which is the number of the next one.
    acknowledged: u64,
    /// The ids of those that were acknowledged since the last start, with their numbers.
    ids: Vec<(u64, String)>,
}

impl Poster {
    /// Posts one message after the other until the server is gone or this is over.
    fn post_until(&mut self, is_over: &AtomicBool) -> Result<(), String> {
        let mut client = LoopbackClient::to(&self.address);
        let path = format!("/v3/groups/{}/messages", self.group);
        while !is_over.load(Ordering::Relaxed) {
            let number = self.acknowledged;
            let guid = history::guid(self.number, number);
            let body =
                json!({"message": {"source_guid": guid, "text": format!("message {number}")}});
            match client.try_post(&path, &self.token, &body) {
                // Nobody knows whether the message is there: it is sent again after the start.
                PostOutcome::Gone => return Ok(()),
                PostOutcome::Answered(answer) if answer.status == 409 => self.acknowledged += 1,
                PostOutcome::Answered(answer) => {
                    let posted = answer.of(201)?;
                    let id = posted["message"]["id"].as_str().unwrap_or_default();
                    self.ids.push((number, id.to_owned()));
                    self.acknowledged += 1;
                }
            }
            thread::sleep(PAUSE);
        }
        Ok(())
    }
}

/// The server under proof: this program as another process, which is killed on drop.
struct Server {
    child: Child,
    address: String,
    started_micros: u64,
}

impl Server {
    fn start(data: &Path) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("starting the server failed: {error}");
        let stopwatch = Stopwatch::start();
        let mut child = own_program()
            .args(["serve", "--listen", "127.0.0.1:0", "--rate-limit", "off", "--log", "error"])
            .arg("--data-dir")
            .arg(data)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line).map_err(failed)?;
        }
        let started_micros = stopwatch.micros();
        let mut server = Self { child, address: String::new(), started_micros };
        let Some(address) = line.trim_end().strip_prefix("coterie listening on http://") else {
            server.kill()?;
            return Err(format!("the server did not start on {}", data.display()));
        };
        server.address = address.to_owned();
        Ok(server)
    }

    /// Kills it without a chance to write anything more.
    fn kill(&mut self) -> Result<(), String> {
        let failed = |error| format!("killing the server failed: {error}");
        self.child.kill().map_err(failed)?;
        self.child.wait().map_err(failed)?;
        Ok(())
    }

    /// Asks it to stop, and waits until it has.
    fn stop(mut self) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("stopping the server failed: {error}");
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, rustix::process::Signal::TERM)
            .map_err(|error| failed(error.into()))?;
        match self.child.wait().map_err(failed)? {
            status if status.success() => Ok(()),
            status => Err(format!("the server stopped with {status}")),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Runs a tool of this program on the data; returns whether it is satisfied. It prints on stderr.
fn tool(arguments: &[&str], data: &Path) -> Result<bool, String> {
    let output = own_program().args(arguments).arg(data).output();
    let output = output.map_err(|error| format!("running coterie check failed: {error}"))?;
    if !output.status.success() {
        // What it found is for the operator, beside the report.
        let text = String::from_utf8_lossy(&output.stdout);
        text.lines().chain(String::from_utf8_lossy(&output.stderr).lines()).for_each(complain);
    }
    Ok(output.status.success())
}

/// This program, without the settings of the environment.
fn own_program() -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.env_clear();
    command
}

/// Numbers from a seed: SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
/// Generators, 2014).
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }
}
