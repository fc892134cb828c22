//! Batches of Bayeux messages, over a socket and by HTTP requests.

use std::time::Duration;

use coterie::http::openapi;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::broken::{ByteChange, JsonChange, byte_changes, json_changes};
use crate::connection::{Connection, Request, Wait};
use crate::engine::Surface;
use crate::sample::Sampler;
use crate::server::{Person, Server};
use crate::socket::{Framing, Socket, Told, framing};

/// After so many cases a new user begins.
const RESTART_EVERY: u64 = 2000;
/// How long a client of the HTTP transport waits for a response; it hangs up on a request that the
/// server holds.
const HELD_FOR: Duration = Duration::from_millis(20);

/// One message of each kind, with placeholders for a token and a subscription.
const MESSAGES: [&str; 7] = [
    r#"{"channel": "/meta/handshake", "version": "1.0", "supportedConnectionTypes": ["websocket"], "ext": {"ack": true}}"#,
    r#"{"channel": "/meta/connect", "connectionType": "websocket", "ext": {"ack": 0}}"#,
    r#"{"channel": "/meta/connect", "connectionType": "long-polling", "advice": {"timeout": 0}}"#,
    r#"{"channel": "/meta/subscribe", "subscription": "SUBSCRIPTION", "ext": {"access_token": "TOKEN", "after": "0"}}"#,
    r#"{"channel": "/meta/unsubscribe", "subscription": ["SUBSCRIPTION"]}"#,
    r#"{"channel": "SUBSCRIPTION", "data": {"type": "typing", "started": 1}, "ext": {"access_token": "TOKEN"}}"#,
    r#"{"channel": "/meta/disconnect"}"#,
];

/// A message of a batch.
#[derive(Debug, Clone)]
struct One {
    kind: usize,
    choices: u64,
    json: Vec<JsonChange>,
}

/// A batch of messages, and how it is broken.
#[derive(Debug, Clone)]
struct Batch {
    messages: Vec<One>,
    json: Vec<JsonChange>,
    bytes: Vec<ByteChange>,
    framing: Framing,
}

fn batch() -> impl Strategy<Value = Batch> {
    let changes = || prop_oneof![2 => Just(Vec::new()), 3 => json_changes(3)];
    let one = (any::<usize>(), any::<u64>(), changes()).prop_map(|(kind, choices, json)| One {
        kind,
        choices,
        json,
    });
    let whole = prop_oneof![8 => Just(Vec::new()), 1 => json_changes(2)];
    let bytes = prop_oneof![300 => Just(Vec::new()), 1 => byte_changes(3)];
    (vec(one, 0..5), whole, bytes, framing()).prop_map(|(messages, json, bytes, framing)| Batch {
        messages,
        json,
        bytes,
        framing,
    })
}

impl Batch {
    fn text(&self, schema: &Value, client: &str, sampler: &mut Sampler<'_>) -> Vec<u8> {
        let message = |one: &One| {
            sampler.random = fastrand::Rng::with_seed(one.choices);
            let mut value = match MESSAGES.get(one.kind % (MESSAGES.len() + 1)) {
                Some(text) => serde_json::from_str(text).unwrap(),
                None => sampler.value("", schema, 0),
            };
            let subscription = sampler.person.knows("subscription", &mut sampler.random);
            fill(&mut value, &sampler.person.token, &subscription.unwrap_or_default());
            value["clientId"] = json!(client);
            value["id"] = json!(one.choices.to_string());
            one.json.iter().for_each(|change| change.apply(&mut value));
            value
        };
        let mut value: Value = self.messages.iter().map(message).collect();
        self.json.iter().for_each(|change| change.apply(&mut value));
        let mut text = value.to_string().into_bytes();
        self.bytes.iter().for_each(|change| change.apply(&mut text));
        text
    }
}

fn fill(value: &mut Value, token: &str, subscription: &str) {
    match value {
        Value::String(text) => {
            *text = text.replace("TOKEN", token).replace("SUBSCRIPTION", subscription);
        }
        Value::Array(items) => items.iter_mut().for_each(|it| fill(it, token, subscription)),
        Value::Object(fields) => fields.values_mut().for_each(|it| fill(it, token, subscription)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the client id from the replies to a handshake.
fn client_of(replies: &[u8]) -> Option<String> {
    let replies: Value = serde_json::from_slice(replies).ok()?;
    Some(replies[0]["clientId"].as_str()?.to_owned())
}

const HANDSHAKE: &str = r#"[{"channel": "/meta/handshake", "version": "1.0", "supportedConnectionTypes": ["websocket", "long-polling"]}]"#;

/// Sends batches over a socket, and reads until a last message is replied to.
fn on_a_socket(
    server: &Server,
    script: &[Batch],
    mut text: impl FnMut(&Batch, &str) -> Vec<u8>,
) -> Result<(), String> {
    let mut socket = Socket::open(server.address, "/faye")?;
    socket.says(&Framing::Whole.bytes(HANDSHAKE.as_bytes()));
    let Told::Text(welcome) = socket.hears()? else { return Err("no handshake".to_owned()) };
    let client = client_of(welcome.as_bytes()).ok_or(welcome)?;
    let mut bytes = Vec::new();
    for batch in script {
        bytes.extend(batch.framing.bytes(&text(batch, &client)));
    }
    let last = json!([{"channel": "/meta/disconnect", "clientId": client, "id": "the end"}]);
    bytes.extend(Framing::Whole.bytes(last.to_string().as_bytes()));
    socket.says(&bytes);
    let is_odd = script.iter().any(|one| one.framing.is_odd() || !one.bytes.is_empty());
    let said = || format!(" after {}", bytes.escape_ascii());
    loop {
        match socket.hears().map_err(|why| why + &said())? {
            Told::Text(text) if text.contains("500::") => return Err(text + &said()),
            Told::Text(text) if text.contains("the end") => return Ok(()),
            Told::Text(_) => {}
            Told::Closed(_) => return Ok(()),
            Told::Gone if is_odd => return Ok(()),
            Told::Gone => return Err(format!("it ended without a word{}", said())),
        }
    }
}

/// Posts batches to the HTTP transport.
fn by_requests(
    connection: &mut Connection,
    script: &[Batch],
    mut text: impl FnMut(&Batch, &str) -> Vec<u8>,
) -> Result<(), String> {
    let mut asks = |body: &[u8]| {
        let request = Request::of("POST", "/faye").header("Content-Type", "application/json");
        let request = request.body(body);
        let answer = connection.asks(&request, Wait::ForItsHead(HELD_FOR));
        match answer.map_err(|why| format!("{why}: {request}"))? {
            Some(answer) if answer.status == 200 => Ok(answer.body),
            Some(answer) => Err(format!("{} is the answer to {request}", answer.status)),
            None => Ok(Vec::new()),
        }
    };
    let client = client_of(&asks(HANDSHAKE.as_bytes())?).unwrap_or_default();
    for batch in script {
        asks(&text(batch, &client))?;
    }
    let last = json!([{"channel": "/meta/disconnect", "clientId": client}]);
    asks(last.to_string().as_bytes()).map(drop)
}

#[test]
fn no_batch_brings_a_panic_or_silence() {
    let document = openapi::document();
    let body = &document["paths"]["/faye"]["post"]["requestBody"]["content"]["application/json"];
    let (schema, server) = (&body["schema"]["oneOf"][0], Server::start());
    let (mut person, mut cases) = (Person::settles(&server, 0), 0_u64);
    let mut connection = Connection::to(server.address);
    let surface = Surface { name: "bayeux", usual: 5000 };
    let scripts = (vec(batch(), 1..40), 0..40_u8);
    surface.holds(&scripts, |(script, by)| {
        cases += 1;
        if cases.is_multiple_of(RESTART_EVERY) {
            person = Person::settles(&server, cases);
        }
        server.clock.pass(1000);
        let text = |batch: &Batch, client: &str| {
            let random = fastrand::Rng::with_seed(0);
            let mut sampler = Sampler { document: &document, person: &person, random };
            batch.text(schema, client, &mut sampler)
        };
        let (script, is_request) =
            if *by == 0 { (&script[..1], true) } else { (&script[..], false) };
        if is_request {
            by_requests(&mut connection, script, text)?;
        } else {
            on_a_socket(&server, script, text)?;
        }
        Ok(script.len() as u64)
    });
    assert!(person.is_in().unwrap(), "the server serves on");
    drop(server.stop());
}
