//! Clocks that are wrong: which times people are shown, and what depends on the time.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::process::Command;

use coterie::domain::time::Timestamp;
use serde_json::{Value, json};

use crate::direct_messages::writes;
use crate::world::World;
use crate::world::person::text;

const TEN_YEARS: u64 = 10 * 365 * 24 * 3600;

impl World {
    /// Moves the server's wall clock by this many seconds.
    fn clock_jumps(&self, seconds: i64) {
        let wall = self.clock_seconds().saturating_add_signed(seconds);
        self.clock.jump_to(Timestamp::from_seconds(wall));
    }

    /// The answer to an operator's request to the running server, over the admin socket.
    pub(crate) fn operator_asks(&self, wish: &str) -> Value {
        self.operator_sends(json!({"do": wish}))
    }

    /// The answer to a command with fields.
    pub(crate) fn operator_sends(&self, mut command: Value) -> Value {
        command["v"] = json!(1);
        let mut socket = UnixStream::connect(self.data().join("admin.sock")).unwrap();
        writeln!(socket, "{command}").unwrap();
        let mut line = String::new();
        BufReader::new(socket).read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

fn number(message: &Value) -> u64 {
    text(&message["id"]).parse().unwrap()
}

#[tokio::test]
async fn short_clock_error_leaves_no_trace() {
    let mut world = World::start().await;
    let [ana, ben] = world.people(["Ana", "Ben"]).await;
    let climbers = ana.creates_group("Climbers").await;
    let began = world.clock_seconds();
    let before = ana.says(&climbers, "before").await;
    world.clock_jumps(TEN_YEARS as i64);
    let during = ana.says(&climbers, "during").await;
    let written = writes(&ana, &ben, "during").await;
    world.clock_jumps(-(TEN_YEARS as i64));
    world.seconds_pass(5);
    let after = ana.says(&climbers, "after").await;
    assert_eq!((&before["created_at"], &during["created_at"]), (&json!(began), &json!(began)));
    assert_eq!((&written["created_at"], &after["created_at"]), (&json!(began), &json!(began + 5)));
    assert!(number(&before) < number(&during) && number(&during) < number(&after));
    // Nor is the wrong time in any id: all later ids would have to be even higher, for ever.
    assert!(text(&after["id"]).starts_with(&(began + 5).to_string()));
    world.restarts().await;
    let read = ana.reads(&climbers, "").await;
    assert_eq!(
        read.iter().map(|it| &it["created_at"]).collect::<Vec<_>>(),
        [&json!(began + 5), &json!(began), &json!(began)]
    );
}

#[tokio::test]
async fn times_recover_after_a_start_with_wrong_clock() {
    let mut world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    world.clock_jumps(TEN_YEARS as i64);
    // A starting process has no other source of the time than this clock.
    world.restarts().await;
    let wrong = ana.says(&climbers, "wrong").await;
    assert_eq!(wrong["created_at"], world.clock_seconds());
    world.clock_jumps(-(TEN_YEARS as i64));
    ana.gets("/v3/users/me").await.ok();
    world.seconds_pass(61);
    let right = ana.says(&climbers, "right").await;
    assert_eq!(right["created_at"], world.clock_seconds());
    assert!(number(&right) > number(&wrong), "the order is that in which they were said");
    let repeat = json!({"text": "again", "source_guid": right["source_guid"]});
    for _ in 0..2 {
        assert_eq!(ana.reads_texts(&climbers, "").await, ["right", "wrong"]);
        assert_eq!(ana.reads(&climbers, "").await[0], right);
        ana.posting(&climbers, repeat.clone()).await.refused(409);
        world.restarts().await;
    }
}

#[tokio::test]
async fn operator_accepts_the_clock() {
    let world = World::start().await;
    let [ana] = world.people(["Ana"]).await;
    let climbers = ana.creates_group("Climbers").await;
    world.clock_jumps(7200);
    let doubted = ana.says(&climbers, "doubted").await;
    assert_eq!(doubted["created_at"], world.clock_seconds() - 7200);
    let page = world.get("/metrics").await.text;
    assert!(page.contains("\ncoterie_clock_refused_seconds 7200\n"), "{page}");
    let told = world.operator_asks("accept_clock");
    assert_eq!(told, json!({"done": {"clock": {"moved_millis": 7_200_000}}}));
    let believed = ana.says(&climbers, "believed").await;
    assert_eq!(believed["created_at"], world.clock_seconds());
    assert!(world.get("/metrics").await.text.contains("\ncoterie_clock_refused_seconds 0\n"));
}

#[tokio::test]
async fn doctor_reports_a_clock_that_jumped() {
    let world = World::start().await;
    world.clock_jumps(TEN_YEARS as i64);
    let data = world.data();
    let doctor = Command::new(env!("CARGO_BIN_EXE_coterie"))
        .args(["doctor", "--json", "--data-dir", data.to_str().unwrap()])
        .output()
        .unwrap();
    assert_eq!(doctor.status.code(), Some(2), "{doctor:?}");
    let report: Value = serde_json::from_slice(&doctor.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let clock = findings.iter().find(|it| it["code"] == "clock").unwrap();
    assert_eq!(clock["severity"], "error");
    assert!(text(&clock["text"]).contains(&format!("jumped by {TEN_YEARS} s")), "{clock}");
}
