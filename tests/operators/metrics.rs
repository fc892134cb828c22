//! `/metrics`: what is counted, and who may read it.

use std::collections::{BTreeSet, HashMap};
use std::fs;

use reqwest::Response;
use serde_json::json;
use tempfile::TempDir;

use crate::https::Files;
use crate::person::{Person, starts};
use crate::program::Program;
use crate::tools::logs_in;

async fn asks(program: &Program, headers: &[(&str, &str)]) -> Response {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let asked = client.get(format!("{}/metrics", program.url()));
    let asked = headers.iter().fold(asked, |asked, (name, value)| asked.header(*name, *value));
    asked.send().await.unwrap()
}

/// Returns every sample of the metrics page, by name and labels, and checks the format of the page.
pub(crate) async fn read(program: &Program) -> HashMap<String, f64> {
    let answer = asks(program, &[]).await;
    assert_eq!(answer.status(), 200);
    let media = answer.headers()["content-type"].to_str().unwrap();
    assert_eq!(media, "text/plain; version=0.0.4; charset=utf-8");
    let page = answer.text().await.unwrap();
    let (mut found, mut family) = (HashMap::new(), String::new());
    for line in page.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').unwrap();
            assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
            assert!(page.contains(&format!("# HELP {name} ")), "{line}");
            family = name.to_owned();
        } else if !line.starts_with("# HELP ") {
            let (name, value) = line.rsplit_once(' ').unwrap();
            assert!(name.starts_with(&family), "{line} stands in the family {family}");
            let is_new = found.insert(name.to_owned(), value.parse().unwrap()).is_none();
            assert!(is_new, "{line} is told once");
        }
    }
    found
}

#[tokio::test]
async fn metrics_count_events() {
    let data = TempDir::new().unwrap();
    let program = starts(data.path());
    let ana = Person::registered(&program).await;
    let group = ana.creates_group("Climbers").await;
    for number in 0..30 {
        ana.says(&group, &number.to_string()).await;
    }
    let again = json!({"message": {"source_guid": "0", "text": "once more"}});
    assert_eq!(ana.posts(&format!("/v3/groups/{group}/messages"), &again).await.0, 409);
    assert_eq!(ana.gets(&format!("/compat/v3/groups/{group}")).await.0, 200);
    assert_eq!(ana.gets("/nowhere").await.0, 404);
    assert_eq!(logs_in(program.url(), "ana@example.org", "wrong horse").await.0, 401);
    let found = read(&program).await;
    let of = |name: &str| *found.get(name).unwrap_or_else(|| panic!("{name} in {found:#?}"));
    let posts = "coterie_http_requests_total{method=\"POST\",route=\"/v3/groups/{id}/messages\"";
    assert_eq!(of(&format!("{posts},status=\"201\"}}")), 30.0);
    assert_eq!(of(&format!("{posts},status=\"409\"}}")), 1.0);
    let labels = "{method=\"POST\",route=\"/v3/groups/{id}/messages\"";
    assert_eq!(of(&format!("coterie_http_request_seconds_count{labels}}}")), 31.0);
    assert_eq!(of(&format!("coterie_http_request_seconds_bucket{labels},le=\"+Inf\"}}")), 31.0);
    assert!(of(&format!("coterie_http_request_seconds_sum{labels}}}")) > 0.0);
    let shown = "{method=\"GET\",route=\"/v3/groups/{id}\",status=\"200\"}";
    assert_eq!(of(&format!("coterie_http_requests_total{shown}")), 1.0, "the same route");
    let other = "{method=\"other\",route=\"other\",status=\"404\"}";
    assert_eq!(of(&format!("coterie_http_requests_total{other}")), 1.0);
    assert_eq!(of("coterie_logins_failed_total"), 1.0);
    assert_eq!(of("coterie_rate_limited_total"), 0.0);
    // 30 posts, a group, an account and a failed log-in.
    assert!(of("coterie_journal_commits_total") >= 33.0);
    assert!(of("coterie_journal_sync_seconds_count") > 0.0);
    assert!(of("coterie_journal_bytes") > of("coterie_journal_written_bytes_total"));
    assert_eq!(of("coterie_rooms{kind=\"group\"}"), 1.0);
    assert_eq!(of("coterie_rooms{kind=\"user\"}"), 1.0);
    assert_eq!(of("coterie_readers"), 0.0);
    assert!(of("coterie_index_lag_bytes") >= 0.0);
    assert!(of("process_resident_memory_bytes") > 1e6);
    assert!(of("process_cpu_seconds_total") > 0.0);
    program.stops();
}

#[tokio::test]
async fn metrics_count_sockets_and_frames() {
    let data = TempDir::new().unwrap();
    let program = starts(data.path());
    let ana = Person::registered(&program).await;
    let group = ana.creates_group("Climbers").await;
    let mut socket = crate::users::listens(program.url(), &ana.token).await;
    assert_eq!(read(&program).await["coterie_readers"], 1.0);
    ana.says(&group, "rope").await;
    let frame = crate::users::frame(&mut socket).await;
    assert_eq!(frame["data"]["source_guid"], "rope");
    assert_eq!(read(&program).await["coterie_deliveries_total"], 1.0);
    drop(socket);
    while read(&program).await["coterie_readers"] > 0.0 {
        tokio::task::yield_now().await;
    }
    program.stops();
}

/// The places whose refusals the page counts.
fn places(found: &HashMap<String, f64>) -> BTreeSet<String> {
    let named = found.keys().filter_map(|it| it.strip_prefix("coterie_held_refused_total{place="));
    named.map(|it| it.trim_matches(['"', '}']).to_owned()).collect()
}

#[tokio::test]
async fn every_bounded_place_is_exported_and_documented() {
    let data = TempDir::new().unwrap();
    // The place of test mails is there where the server sends mail.
    let mail = ["--smtp-url", "smtp://127.0.0.1:1", "--mail-from", "chat@example.org"];
    let program = Program::starts(data.path(), &mail);
    let ana = Person::registered(&program).await;
    let _socket = crate::users::listens(program.url(), &ana.token).await;
    let found = read(&program).await;
    let page = include_str!("../../static/docs/operators.html");
    let (_, table) = page.split_once("<th>place</th>").unwrap();
    let rows = table.split("</tbody>").next().unwrap().split("<tr><td>").skip(1);
    let named = rows.flat_map(|row| row.split("</td>").next().unwrap().split(", "));
    let explained: BTreeSet<String> = named
        .map(|it| it.trim_start_matches("<code>").trim_end_matches("</code>").to_owned())
        .collect();
    assert_eq!(places(&found), explained);
    let of = |name: &str, place: &str| found[&format!("coterie_held_{name}{{place=\"{place}\"}}")];
    assert_eq!(of("items", "readers_of_a_user"), 1.0);
    assert_eq!(of("items_limit", "readers_of_a_user"), 100.0);
    assert!(of("items", "connections") >= 2.0, "the socket and this question");
    assert!(of("items", "connections") < of("items_limit", "connections"));
    assert_eq!(of("items", "throttled_sockets"), 1.0);
    assert_eq!(of("bytes", "image_memory"), 0.0);
    assert!(of("bytes_limit", "image_memory") > 1e8);
    assert!(found["process_open_fds"] < found["process_max_fds"]);
    program.stops();
}

#[tokio::test]
async fn strangers_do_not_read_them() {
    let data = TempDir::new().unwrap();
    let program = Program::starts(data.path(), &[]);
    assert_eq!(asks(&program, &[]).await.status(), 200);
    for header in [("X-Forwarded-For", "203.0.113.7"), ("Forwarded", "for=203.0.113.7")] {
        assert_eq!(asks(&program, &[header]).await.status(), 403, "{header:?}");
    }
    program.stops();
    // Requests that a proxy passes on come from this machine, too, so without a token they are
    // refused.
    let public = ["--public-url", "https://chat.example.org"];
    let program = Program::starts(data.path(), &public);
    assert_eq!(asks(&program, &[]).await.status(), 403);
    program.stops();
    let with_token = [public[0], public[1], "--metrics-token", "a long secret"];
    let program = Program::starts(data.path(), &with_token);
    assert_eq!(asks(&program, &[]).await.status(), 401);
    assert_eq!(asks(&program, &[("Authorization", "Bearer a short one")]).await.status(), 401);
    assert_eq!(asks(&program, &[("Authorization", "Bearer a long secret")]).await.status(), 200);
    program.stops();
    let file = data.path().join("token");
    fs::write(&file, "another secret\r\n").unwrap();
    let with_file = [public[0], public[1], "--metrics-token-file", file.to_str().unwrap()];
    let program = Program::starts(data.path(), &with_file);
    assert_eq!(asks(&program, &[("Authorization", "Bearer another secret")]).await.status(), 200);
    program.stops();
}

/// The names of metrics in a text, without the endings of histograms.
fn named_in(text: &str) -> BTreeSet<String> {
    let is_sign = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == '_';
    let words = text.split(|sign| !is_sign(sign));
    let names = words.filter(|word| word.starts_with("coterie_") || word.starts_with("process_"));
    let plain = |name: &str| name.strip_suffix("_bucket").unwrap_or(name).to_owned();
    names.map(plain).collect()
}

#[tokio::test]
async fn board_and_alerts_use_existing_metrics() {
    let data = TempDir::new().unwrap();
    let files = Files::valid();
    let sets = data.path().join("sets");
    let text = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    let certificate = text(&files.certificate());
    let key = text(&files.key());
    let options = [
        ["--backup-to", &text(&sets)],
        ["--smtp-url", "smtp://127.0.0.1:9"],
        ["--mail-from", "chat@example.org"],
        ["--metrics-token", "a long secret"],
        ["--public-url", "https://chat.example.org"],
        ["--tls-cert", &certificate],
        ["--tls-key", &key],
    ];
    let program = Program::starts(&data.path().join("data"), &options.concat());
    let client = reqwest::Client::builder().no_proxy().danger_accept_invalid_certs(true);
    let page = client.build().unwrap().get(format!("{}/metrics", program.url()));
    let page = page.bearer_auth("a long secret").send().await.unwrap();
    assert_eq!(page.status(), 200);
    let page = page.text().await.unwrap();
    let types = page.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let there: BTreeSet<String> =
        types.map(|line| line.split(' ').next().unwrap().to_owned()).collect();
    for name in ["alerts.yaml", "dashboard.json"] {
        let path = format!("{}/packaging/monitoring/{name}", env!("CARGO_MANIFEST_DIR"));
        let used = named_in(&fs::read_to_string(path).unwrap());
        assert!(used.len() > 10, "{name}: {used:?}");
        let unknown: Vec<_> = used.difference(&there).collect();
        assert!(unknown.is_empty(), "{name} names metrics that do not exist: {unknown:?}");
    }
    program.stops();
}
