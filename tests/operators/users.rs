//! `coterie user`, beside a running server and with a stopped one.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::program::Program;
use crate::tools::{PASSWORD, adds, logs_in, posts, tool, typing};

fn closed(data: &Path) -> Program {
    Program::starts(data, &["--registration", "closed"])
}

fn listed(data: &Path) -> Vec<Value> {
    let told = tool(data, &["user", "list", "--json"]).fine();
    told.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

async fn me(url: &str, token: &str) -> u16 {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let asked = client.get(format!("{url}/v3/users/me")).header("X-Access-Token", token);
    asked.send().await.unwrap().status().as_u16()
}

/// A client's socket.
pub(crate) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Opens a socket that receives what happens from now on.
pub(crate) async fn listens(url: &str, token: &str) -> Socket {
    let url = format!("{}/v3/push?token={token}", url.replace("http", "ws"));
    let (mut socket, _) = tokio_tungstenite::connect_async(url).await.unwrap();
    socket.send(Message::text(json!({"t": "hello", "v": 1}).to_string())).await.unwrap();
    while frame(&mut socket).await["t"] != "synced" {}
    socket
}

/// Waits for the next frame.
pub(crate) async fn frame(socket: &mut Socket) -> Value {
    let frame = tokio::time::timeout(Duration::from_secs(120), socket.next()).await;
    let frame = frame.expect("a frame comes").unwrap().unwrap();
    serde_json::from_str(frame.to_text().unwrap()).unwrap()
}

#[tokio::test]
async fn operator_adds_account_while_registration_is_closed() {
    let data = TempDir::new().unwrap();
    let program = closed(data.path());
    let body = json!({"name": "Eve", "email": "eve@example.org", "password": PASSWORD});
    let (status, _) = posts(program.url(), "/auth/register", &body).await;
    assert_eq!(status, 403);
    let id = adds(data.path(), "Ana Alba", "Ana@example.org");
    let (status, welcome) = logs_in(program.url(), "ana@example.org", PASSWORD).await;
    assert_eq!((status, welcome["user"]["id"].as_str()), (200, Some(id.as_str())));
    let users = listed(data.path());
    assert_eq!(users.len(), 1);
    assert_eq!((&users[0]["id"], &users[0]["email"]), (&json!(id), &json!("Ana@example.org")));
    assert_eq!((&users[0]["tokens"], &users[0]["disabled_at"]), (&json!(1), &Value::Null));
    program.stops();
}

#[tokio::test]
async fn the_first_account_is_made_before_the_first_start() {
    let parent = TempDir::new().unwrap();
    let data = parent.path().join("data");
    let id = adds(&data, "Ana", "ana@example.org");
    assert_eq!(listed(&data)[0]["id"], json!(id));
    let program = closed(&data);
    assert_eq!(logs_in(program.url(), "ana@example.org", PASSWORD).await.0, 200);
    // The server continues after the ids that the tool assigned.
    let other = adds(&data, "Ben", "ben@example.org");
    assert!(other.parse::<u64>().unwrap() > id.parse().unwrap());
    program.stops();
    let emails: Vec<Value> = listed(&data).iter().map(|user| user["email"].clone()).collect();
    assert_eq!(emails, ["ana@example.org", "ben@example.org"]);
}

#[tokio::test]
async fn a_disabled_account_is_out_at_once_on_every_way() {
    let data = TempDir::new().unwrap();
    let program = closed(data.path());
    adds(data.path(), "Ana", "ana@example.org");
    let (_, welcome) = logs_in(program.url(), "ana@example.org", PASSWORD).await;
    let token = welcome["access_token"].as_str().unwrap();
    let mut socket = listens(program.url(), token).await;
    let told = tool(data.path(), &["user", "disable", "ana@example.org"]).fine();
    assert!(told.contains("disabled since"), "{told}");
    assert_eq!(told.matches("since").count(), 1, "the account was made at another time: {told}");
    assert_eq!(me(program.url(), token).await, 401);
    let end = tokio::time::timeout(Duration::from_secs(120), async {
        loop {
            if let Some(Ok(Message::Close(reason))) = socket.next().await {
                return u16::from(reason.unwrap().code);
            }
        }
    });
    assert_eq!(end.await.expect("the socket is closed"), 4401);
    assert_eq!(logs_in(program.url(), "ana@example.org", PASSWORD).await.0, 403);
    assert_eq!(logs_in(program.url(), "ana@example.org", "wrong horse").await.0, 401);
    assert!(listed(data.path())[0]["disabled_at"].is_u64());
    tool(data.path(), &["user", "enable", "ana@example.org"]).fine();
    assert_eq!(me(program.url(), token).await, 401, "what is dead stays dead");
    assert_eq!(logs_in(program.url(), "ana@example.org", PASSWORD).await.0, 200);
    program.stops();
}

#[tokio::test]
async fn account_disabled_offline_stays_disabled() {
    let data = TempDir::new().unwrap();
    let program = closed(data.path());
    let id = adds(data.path(), "Ana", "ana@example.org");
    let (_, welcome) = logs_in(program.url(), "ana@example.org", PASSWORD).await;
    let token = welcome["access_token"].as_str().unwrap().to_owned();
    program.dies();
    tool(data.path(), &["user", "disable", &id]).fine();
    let program = closed(data.path());
    assert_eq!(me(program.url(), &token).await, 401);
    assert_eq!(logs_in(program.url(), "ana@example.org", PASSWORD).await.0, 403);
    program.stops();
    // The account is still disabled once the index has been rebuilt.
    std::fs::remove_dir_all(data.path().join("index")).unwrap();
    let program = closed(data.path());
    assert_eq!(me(program.url(), &token).await, 401);
    assert_eq!(logs_in(program.url(), "ana@example.org", PASSWORD).await.0, 403);
    program.stops();
}

#[tokio::test]
async fn another_password_is_printed_once_and_ends_every_token() {
    let data = TempDir::new().unwrap();
    let program = closed(data.path());
    adds(data.path(), "Ana", "ana@example.org");
    let (_, welcome) = logs_in(program.url(), "ana@example.org", PASSWORD).await;
    let token = welcome["access_token"].as_str().unwrap();
    let reset = ["user", "reset-password", "ana@example.org", "--generate"];
    let told = tool(data.path(), &reset).fine();
    let made_up = told.lines().find_map(|line| line.strip_prefix("password: ")).unwrap();
    assert_eq!(me(program.url(), token).await, 401);
    assert_eq!(logs_in(program.url(), "ana@example.org", PASSWORD).await.0, 401);
    assert_eq!(logs_in(program.url(), "ana@example.org", made_up).await.0, 200);
    program.stops();
    let reset = ["user", "reset-password", "ana@example.org"];
    typing(data.path(), &reset, "typed by hand\n").fine();
    let program = closed(data.path());
    assert_eq!(logs_in(program.url(), "ana@example.org", made_up).await.0, 401);
    assert_eq!(logs_in(program.url(), "ana@example.org", "typed by hand").await.0, 200);
    program.stops();
}

#[test]
fn refused_command_gives_one_line_and_code_1() {
    let data = TempDir::new().unwrap();
    adds(data.path(), "Ana", "ana@example.org");
    let add = |email: &'static str| ["user", "add", "--name", "Ben", "--email", email];
    let again = typing(data.path(), &add("ANA@example.org"), "long enough\n");
    assert_eq!(again.says_no(1), "email or phone number belongs to another account");
    let short = typing(data.path(), &add("ben"), "short\n").says_no(1);
    assert!(short.contains("email must have the form"), "{short}");
    assert!(short.contains("password has 5 characters"), "{short}");
    let unknown = tool(data.path(), &["user", "disable", "ben@example.org"]);
    assert_eq!(unknown.says_no(1), "there is no user ben@example.org");
    assert_eq!(listed(data.path()).len(), 1);
}

#[test]
fn tools_create_no_installation() {
    let parent = TempDir::new().unwrap();
    let data = parent.path().join("data");
    for arguments in [&["user", "list"][..], &["user", "disable", "1"], &["check"], &["audit"]] {
        let said = tool(&data, arguments).says_no(2);
        assert!(said.ends_with("holds no installation"), "{said}");
    }
    assert!(!data.exists());
}

#[test]
fn only_the_owner_reaches_the_admin_socket() {
    let parent = TempDir::new().unwrap();
    // The path is longer than the address of a Unix socket may be.
    let data = parent.path().join("deep".repeat(20)).join("deeper".repeat(20));
    let program = closed(&data);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let socket = data.join("admin.sock");
    assert!(std::fs::metadata(&socket).unwrap().file_type().is_socket());
    assert_eq!((mode(&data), mode(&socket)), (0o700, 0o600));
    adds(&data, "Ana", "ana@example.org");
    program.stops();
    assert!(!socket.exists(), "a stopped server leaves none");
    // A server that was killed leaves its socket behind, which disturbs neither a tool nor the next
    // start.
    closed(&data).dies();
    assert!(socket.exists());
    assert_eq!(listed(&data).len(), 1);
    closed(&data).stops();
}

#[test]
fn tool_of_another_version_is_refused() {
    let data = TempDir::new().unwrap();
    let program = closed(data.path());
    let mut socket = UnixStream::connect(data.path().join("admin.sock")).unwrap();
    let mut answers = BufReader::new(socket.try_clone().unwrap());
    let mut asks = |line: &str| {
        socket.write_all(format!("{line}\n").as_bytes()).unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        serde_json::from_str::<Value>(&answer).unwrap()
    };
    let answer = asks(r#"{"v": 7, "do": "fly"}"#);
    let refused = answer["refused"].as_str().unwrap();
    assert!(refused.contains("version 1") && refused.contains("version 7"), "{refused}");
    assert!(asks(r#"{"v": 1, "do": "fly"}"#)["refused"].is_string());
    assert!(asks("what").get("refused").is_some());
    assert!(asks(r#"{"v": 1, "do": "tell_place"}"#)["done"]["place"]["end"].is_u64());
    program.stops();
}

/// Prints a recovery link for Ana, and uses its secret at this server.
async fn recovers(data: &Path, url: &str, printed: &str) -> (u16, Value) {
    let link = printed.trim();
    let (_, secret) = link.split_once("/#/recover/").unwrap();
    let listed = listed(data);
    assert_eq!(listed[0]["tokens"], 0);
    posts(url, &format!("/auth/recover/{secret}"), &json!({"password": "a better horse"})).await
}

#[tokio::test]
async fn recovery_link_is_printed_beside_a_server_and_without_one() {
    let data = TempDir::new().unwrap();
    adds(data.path(), "Ana", "ana@example.org");
    let printed = tool(data.path(), &["user", "recover", "ana@example.org"]).fine();
    assert!(printed.starts_with("http://127.0.0.1:8080/#/recover/"), "{printed}");
    let program = closed(data.path());
    let (status, told) = recovers(data.path(), program.url(), &printed).await;
    assert_eq!((status, &told["email"]), (200, &json!("ana@example.org")));
    let again = recovers(data.path(), program.url(), &printed).await;
    assert_eq!(again.0, 404, "a link works once");
    let printed = tool(data.path(), &["user", "recover", "ana@example.org"]).fine();
    assert!(printed.starts_with(program.url()), "{printed}");
    let log = tool(data.path(), &["audit", "--json"]).fine();
    assert_eq!(log.matches("recovery_link_made").count(), 2, "{log}");
    tool(data.path(), &["user", "disable", "ana@example.org"]).fine();
    assert_eq!(recovers(data.path(), program.url(), &printed).await.0, 403);
    let refused = tool(data.path(), &["user", "recover", "ana@example.org"]).says_no(1);
    assert!(refused.contains("this account is disabled"), "{refused}");
}

#[tokio::test]
async fn reset_factors_lets_a_user_in_with_the_password() {
    let data = TempDir::new().unwrap();
    adds(data.path(), "Ana", "ana@example.org");
    let program = closed(data.path());
    let login = json!({"email": "ana@example.org", "password": PASSWORD});
    let (_, welcome) = posts(program.url(), "/auth/login", &login).await;
    let token = welcome["access_token"].as_str().unwrap();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let sends = async |path: &str, body: Value| {
        let asked = client.post(format!("{}{path}", program.url())).header("X-Access-Token", token);
        asked.json(&body).send().await.unwrap().json::<Value>().await.unwrap()
    };
    let made = sends("/auth/totp", json!({})).await;
    let secret = made["response"]["secret"].as_str().unwrap();
    let secret = totp_rs::Secret::try_from_base32(secret).unwrap();
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let code = totp_rs::Builder::new().with_secret(secret).build().unwrap().generate(now);
    let codes = sends("/auth/totp/confirm", json!({"code": code.to_string()})).await;
    assert_eq!(codes["response"]["recovery_codes"].as_array().unwrap().len(), 10, "{codes}");
    assert_eq!(posts(program.url(), "/auth/login", &login).await.0, 202);
    let reset = ["user", "reset-factors", "ana@example.org"];
    tool(data.path(), &reset).fine();
    assert_eq!(posts(program.url(), "/auth/login", &login).await.0, 200);
    let log = tool(data.path(), &["audit", "--json"]).fine();
    for act in ["totp_added", "factors_removed", "factors_reset"] {
        assert_eq!(log.matches(act).count(), 1, "{act}: {log}");
    }
    let refused = tool(data.path(), &reset).says_no(1);
    assert!(refused.contains("no one-time codes are set up"), "{refused}");
}

#[tokio::test]
async fn operator_roles_are_given_and_taken_on_the_machine() {
    let data = TempDir::new().unwrap();
    let add = ["user", "add", "--name", "Ana", "--email", "ana@example.org", "--operator", "admin"];
    typing(data.path(), &add, &format!("{PASSWORD}\n")).fine();
    let program = closed(data.path());
    let ben = adds(data.path(), "Ben", "ben@example.org");
    let promotes = |role: &str| tool(data.path(), &["user", "promote", &ben, role]);
    assert!(promotes("moderator").fine().contains("  moderator  active"));
    let roles = || -> Vec<Value> {
        listed(data.path()).into_iter().map(|it| it["operator"].clone()).collect()
    };
    assert_eq!(roles(), ["admin", "moderator"]);
    let (_, welcome) = logs_in(program.url(), "ben@example.org", PASSWORD).await;
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let asks = || {
        let asked = client.get(format!("{}/v3/admin/version", program.url()));
        asked.header("X-Access-Token", welcome["access_token"].as_str().unwrap()).send()
    };
    assert_eq!(asks().await.unwrap().status(), 200);
    promotes("none").fine();
    assert_eq!(asks().await.unwrap().status(), 404);
    assert_eq!(roles(), [json!("admin"), Value::Null]);
    let unknown = promotes("owner");
    assert_eq!(unknown.code, 2, "{unknown:?}");
    program.stops();
    let log = tool(data.path(), &["audit", "--json", "--user", "ben@example.org"]).fine();
    let log: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let set: Vec<&Value> =
        log.iter().filter(|line| line["act"] == "role_set").map(|line| &line["role"]).collect();
    assert_eq!(set, ["moderator", "none"]);
}

#[tokio::test]
async fn setup_prints_the_code_until_there_is_an_admin() {
    let data = TempDir::new().unwrap();
    let none = tool(data.path(), &["setup"]);
    assert!(none.says_no(1).starts_with("there is no code in "));
    let program = Program::starts(data.path(), &["--public-url", "https://chat.example.org"]);
    let told = tool(data.path(), &["setup"]).fine();
    let code = std::fs::read_to_string(data.path().join("setup.code")).unwrap();
    assert!(told.contains(code.trim()), "{told}");
    let body = json!({"name": "Ana", "email": "ana@example.org", "password": PASSWORD,
        "code": code.trim()});
    assert_eq!(posts(program.url(), "/auth/setup", &body).await.0, 201);
    assert_eq!(tool(data.path(), &["setup"]).code, 1);
    program.stops();
}

#[tokio::test]
async fn first_admin_is_created_from_the_environment() {
    let data = TempDir::new().unwrap();
    let secret = TempDir::new().unwrap();
    let file = secret.path().join("password");
    std::fs::write(&file, format!("{PASSWORD}\n")).unwrap();
    let file = file.to_str().unwrap();
    let options = ["--admin-email", "ana@example.org", "--admin-password-file", file];
    let program = Program::starts(data.path(), &options);
    crate::waiting::until("the account is there", async || !listed(data.path()).is_empty()).await;
    let users = listed(data.path());
    assert_eq!(
        (&users[0]["email"], &users[0]["operator"]),
        (&json!("ana@example.org"), &json!("admin"))
    );
    assert_eq!(logs_in(program.url(), "ana@example.org", PASSWORD).await.0, 200);
    program.stops();
    // It is done once.
    tool(data.path(), &["user", "promote", "ana@example.org", "none"]).fine();
    let program = Program::starts(data.path(), &options);
    assert_eq!(listed(data.path())[0]["operator"], Value::Null);
    program.stops();
}
