//! The server in this process, and a user who has one of everything there.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use clap::Parser;
use coterie::boot;
use coterie::boot::services::Surroundings;
use coterie::clock::{Clock, ManualClock};
use coterie::config::Options;
use coterie::domain::time::Timestamp;
use coterie::outgoing::resolver::Resolve;
use coterie::subscribers::Timeouts;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::oneshot;

use crate::connection::{Connection, Request, Wait};

/// The password of all users.
pub(crate) const PASSWORD: &str = "correct horse battery";
/// How many ids of one kind a user remembers.
const REMEMBERED: usize = 24;

/// A resolver that finds no name, so that nothing leaves this machine.
struct Nowhere;

impl Resolve for Nowhere {
    fn look_up<'a>(&'a self, _host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        async { Err(io::ErrorKind::NotFound.into()) }.boxed()
    }
}

/// A running server. It stops when it is dropped.
pub(crate) struct Server {
    /// The address at which the server listens.
    pub(crate) address: SocketAddr,
    /// The server's clock.
    pub(crate) clock: Arc<ManualClock>,
    data: Arc<TempDir>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts a server and waits until it listens.
    pub(crate) fn start() -> Self {
        let data = Arc::new(TempDir::new().unwrap());
        let folder = data.path().to_str().unwrap();
        let options = ["coterie", "--listen", "127.0.0.1:0", "--data-dir", folder];
        let quiet = ["--rate-limit", "off", "--callback-allow", "none"];
        let options = Options::try_parse_from(options.into_iter().chain(quiet)).unwrap();
        let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(1_800_000_000)));
        let surroundings = Surroundings {
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
            timeouts: Timeouts { silence: Duration::from_secs(3600), ..Timeouts::default() },
            resolver: Arc::new(Nowhere),
            threads: Some(2),
            ..Surroundings::default()
        };
        let (stop, stopped) = oneshot::channel::<()>();
        let (tell, listening) = mpsc::channel();
        let thread = thread::spawn(move || {
            actix::System::new().block_on(async move {
                let running = boot::start(&options, surroundings).unwrap();
                tell.send(running.addresses.listen).unwrap();
                running.until(async move { drop(stopped.await) }).await.unwrap();
            });
        });
        let address = listening.recv().expect("the server starts");
        Self { address, clock, data, stop: Some(stop), thread: Some(thread) }
    }

    /// Stops the server as SIGTERM does. Its data folder stays as long as the result is held.
    pub(crate) fn stop(mut self) -> Arc<TempDir> {
        drop(self.stop.take());
        self.thread.take().unwrap().join().unwrap();
        Arc::clone(&self.data)
    }

    /// The folder of the journal.
    pub(crate) fn journal(data: &TempDir) -> std::path::PathBuf {
        Path::join(data.path(), "journal")
    }
}

/// A user who has one of everything, and remembers the ids.
pub(crate) struct Person {
    /// The access token of the user.
    pub(crate) token: String,
    /// Values that have been seen in responses, by the name of the field: the newest last.
    seen: BTreeMap<String, Vec<String>>,
    connection: Connection,
}

impl Person {
    /// Registers a user, who makes a group with a friend, writes, and has a bot.
    pub(crate) fn settles(server: &Server, number: u64) -> Self {
        let connection = Connection::to(server.address);
        let mut it = Self { token: String::new(), seen: BTreeMap::new(), connection };
        let mut registers = |name: &str| {
            let email = format!("{name}{number}@example.org");
            let body = json!({"name": name, "email": email, "password": PASSWORD});
            it.see("email", &email);
            let welcome = it.posts("/auth/register", &body);
            (welcome["user"]["id"].clone(), welcome["access_token"].clone())
        };
        let ((friend, _), (own, token)) = (registers("ben"), registers("ana"));
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        it.token = text(&token);
        let (friend, own) = (text(&friend), text(&own));
        let group = it.posts("/v3/groups", &json!({"name": "Climbers", "share": true}));
        let group = text(&group["id"]);
        let [low, high] = if friend.len() < own.len() || friend < own {
            [&friend, &own]
        } else {
            [&own, &friend]
        };
        for (name, value) in [
            ("conversation", &format!("{low}+{high}")),
            ("conversation", &group),
            ("conv", &format!("d:{low}+{high}")),
            ("conv", &format!("g:{group}")),
            ("user_id", &friend),
            ("group_id", &group),
            ("group", &group),
            ("source_guid", &format!("guid-{number}")),
            ("subscription", &format!("/user/{own}")),
            ("subscription", &format!("/group/{group}")),
            ("channel", &format!("/group/{group}")),
            ("password", &PASSWORD.to_owned()),
        ] {
            it.see(name, value);
        }
        let path = format!("/v3/groups/{group}");
        let added = json!({"members": [{"nickname": "Ben", "user_id": friend}]});
        it.posts(&format!("{path}/members/add"), &added);
        let said = json!({"message": {"source_guid": "first", "text": "rope at six"}});
        it.posts(&format!("{path}/messages"), &said);
        let written = json!({"source_guid": "dm", "recipient_id": friend, "text": "hi"});
        it.posts("/v3/direct_messages", &json!({"direct_message": written}));
        it.posts("/v3/bots", &json!({"bot": {"name": "Bo", "group_id": group}}));
        let application = json!({"name": "Ropes", "callback_url": "https://ropes.example/back"});
        it.posts("/oauth/applications", &application);
        it
    }

    fn posts(&mut self, path: &str, body: &Value) -> Value {
        let request = Request::of("POST", path)
            .header("X-Access-Token", &self.token)
            .header("Content-Type", "application/json")
            .body(body.to_string());
        let answer = self.connection.asks(&request, Wait::ToTheEnd).unwrap().unwrap();
        assert!(answer.status < 300, "{path}: {}", String::from_utf8_lossy(&answer.body));
        self.remember(&answer.body);
        serde_json::from_slice::<Value>(&answer.body).unwrap()["response"].take()
    }

    /// The connection of the user, for other requests.
    pub(crate) fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// Whether the token is still valid.
    pub(crate) fn is_in(&mut self) -> Result<bool, String> {
        let request = Request::of("GET", "/v3/users/me").header("X-Access-Token", &self.token);
        match self.connection.asks(&request, Wait::ToTheEnd)?.map(|it| it.status) {
            Some(200) => Ok(true),
            Some(401) => Ok(false),
            status => Err(format!("the server answers a plain question with {status:?}")),
        }
    }

    /// Remembers the values in a response.
    pub(crate) fn remember(&mut self, body: &[u8]) {
        if let Ok(value) = serde_json::from_slice::<Value>(body) {
            self.gather("", &value);
        }
    }

    fn gather(&mut self, name: &str, value: &Value) {
        match value {
            Value::String(text) if text.len() < 300 => self.see(name, text),
            Value::Array(items) => items.iter().take(4).for_each(|it| self.gather(name, it)),
            Value::Object(fields) => {
                fields.iter().for_each(|(name, it)| self.gather(name, it));
                let is_message = fields.contains_key("source_guid");
                if let Some(Value::String(id)) = fields.get("id").filter(|_| is_message) {
                    self.see("message_id", id);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn see(&mut self, name: &str, value: &str) {
        let known = self.seen.entry(name.to_owned()).or_default();
        if !known.iter().any(|it| it == value) {
            if known.len() == REMEMBERED {
                // The oldest values are kept: they belong to objects that stay.
                known.remove(REMEMBERED / 2);
            }
            known.push(value.to_owned());
        }
    }

    /// A random value that was seen in a field of this name, or of a similar one.
    pub(crate) fn knows(&self, name: &str, random: &mut fastrand::Rng) -> Option<String> {
        let bare = name.trim_end_matches("_id");
        let nearly = [name, &format!("{name}_id"), bare];
        let known = nearly.into_iter().find_map(|name| self.seen.get(name))?;
        random.choice(known).cloned()
    }

    /// A random id of any kind.
    pub(crate) fn any_id(&self, random: &mut fastrand::Rng) -> String {
        let named = self.seen.iter().filter(|(name, _)| name.ends_with("id"));
        let ids: Vec<&String> = named.flat_map(|(_, ids)| ids).collect();
        random.choice(ids).cloned().unwrap_or_default()
    }
}
