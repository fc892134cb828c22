//! P16: the group list of a user who is in many groups, right after a start and later.
//!
//! It also measures the snapshot `/v3/sync`, which clients fetch when they start: compressed, with
//! the newest messages of every group.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use serde::Deserialize;
use serde_json::json;

use super::environment::{Environment, OpenFiles};
use super::history::{Readers, read};
use super::{RunError, run_id, say};
use crate::cli::sizes::Groups;
use crate::http::connection::Connection;
use crate::http::request;
use crate::load::closed_loop::LoadError;
use crate::load::meter::Window;
use crate::process::target::Target;
use crate::report::bar::{Bar, Bound};
use crate::report::{REQUESTS, Report};
use crate::stats::median;
use crate::world::people::World;
use crate::world::rest::Api;

const ALL: &str = "all groups";
const ALL_AWAKE: &str = "all groups, after a snapshot";
const TEN: &str = "10 groups";
const SYNC: &str = "snapshot";
const ONE: Readers = Readers { count: 1, rate: None };
/// Messages in each group: as many as the snapshot shows.
const MESSAGES: usize = 20;

/// The requests that are measured: the name of the row, and the path.
const LISTS: [(&str, &str); 3] =
    [(ALL, "/v3/groups?per_page=500"), (TEN, "/v3/groups"), (SYNC, "/v3/sync")];

pub async fn run(args: &Groups) -> Result<Report, RunError> {
    let options = &args.common;
    let groups = options.size(args.groups, 500, 12);
    let members = options.size(args.members, 10, 3);
    let mut environment = Environment::open(options, OpenFiles::one_side(4))?;
    say(format_args!("making {groups} groups of {members}"));
    let mut api = Api::new(environment.target().addr);
    let world = World::build(&mut api, run_id(), members, groups, members).await?;
    let token = world.people[0].token.clone();
    let messages = options.size(None, MESSAGES, 3);
    for number in 0..messages {
        for group in &world.groups {
            let guid = format!("{} {number}", group.id);
            let message = json!({"message": {"source_guid": guid, "text": "a".repeat(200)}});
            let path = format!("/v3/groups/{}/messages", group.id);
            api.post(&path, &token, &message).await?.response::<serde_json::Value>(201)?;
        }
    }
    let (rounds, turn) = (options.rounds(), options.turn());
    let setting = format!(
        "one user in {groups} groups of {members} with {messages} messages, {rounds} rounds of {} s each",
        turn.as_secs_f64()
    );
    let mut report = Report::new("groups", REQUESTS, options.smoke, setting);
    let mut cold: Vec<Vec<f64>> = vec![Vec::new(); LISTS.len()];
    for round in 1..=rounds {
        say(format_args!("round {round} of {rounds}"));
        for ((_, path), cold) in LISTS.iter().zip(&mut cold) {
            if environment.restart()? {
                cold.push(first(environment.target(), path, &token).await?);
            }
        }
        environment.restart()?;
        let again = LISTS.iter().chain([&(ALL_AWAKE, LISTS[0].1)]);
        for (what, path) in again {
            let target = environment.target();
            let requests = Arc::new(vec![request::get_compressed(target.addr, path, &token)]);
            report.row(round, *what, read(target, &requests, ONE, Window::of(turn)).await?);
        }
    }
    check(&mut report, environment.target(), &world, &token).await?;
    bars(&mut report, &cold);
    Ok(report)
}

/// Returns the milliseconds that the first request after a start takes.
async fn first(target: Target, path: &str, token: &str) -> Result<f64, RunError> {
    let request = request::get_compressed(target.addr, path, token);
    let mut connection = Connection::open(target.addr).await.map_err(LoadError::from)?;
    let started = Instant::now();
    let status = connection.exchange(&request).await.map_err(LoadError::from)?.status;
    match status {
        200 => Ok(started.elapsed().as_secs_f64() * 1e3),
        status => Err(LoadError::Status { status, request: format!("GET {path}") }.into()),
    }
}

/// Checks that every group is listed once, with all its members and its newest message.
async fn check(
    report: &mut Report,
    target: Target,
    world: &World,
    token: &str,
) -> Result<(), RunError> {
    #[derive(Deserialize)]
    struct Listed {
        id: String,
        members: Vec<serde::de::IgnoredAny>,
        messages: Messages,
    }
    #[derive(Deserialize)]
    struct Messages {
        last_message_id: Option<String>,
    }
    let reply = Api::new(target.addr).get(LISTS[0].1, token).await?;
    report.figure("bytes of the list of all groups", Some(reply.body.len() as f64), "");
    let listed: Vec<Listed> = reply.response(200)?;
    let members = world.people.len();
    let whole: HashSet<&str> = listed
        .iter()
        .filter(|it| it.members.len() == members && it.messages.last_message_id.is_some())
        .map(|it| it.id.as_str())
        .collect();
    let missing = world.groups.iter().filter(|group| !whole.contains(group.id.as_str())).count();
    let detail = format!("{} listed, {missing} missing or not whole", listed.len());
    let passed = missing == 0 && listed.len() == world.groups.len();
    report.check("every group is listed once, whole", passed, detail);
    Ok(())
}

fn bars(report: &mut Report, cold: &[Vec<f64>]) {
    for ((what, _), cold) in LISTS.iter().zip(cold) {
        let figure = median(cold);
        report.figure(format!("{what}, first request after a start"), figure, "ms");
    }
    let warm = |report: &Report, what| median(&report.each(what, |phase| phase.latency.p50_ms));
    let (rest, awake) = (warm(report, ALL), warm(report, ALL_AWAKE));
    let worse = rest.zip(awake).map(|(rest, awake)| rest.max(awake));
    // A server that others started cannot be restarted, so these figures are missing.
    if let Some([list, _, snapshot]) =
        cold.iter().map(|it| median(it)).collect::<Option<Vec<_>>>().as_deref()
    {
        let after =
            [("list after a start", *list, 12.0), ("snapshot after a start", *snapshot, 40.0)];
        for (what, figure, most) in after {
            report.bars.push(Bar::new("P16", what, Some(figure), Bound::AtMost(most), "ms"));
        }
    }
    report.bars.push(Bar::new("P16", "p50 of the list later", worse, Bound::AtMost(1.5), "ms"));
}
