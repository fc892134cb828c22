//! Frames of the push protocol, made from the AsyncAPI document, and broken.

use std::collections::BTreeMap;

use coterie::http::asyncapi;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::broken::{ByteChange, JsonChange, byte_changes, json_changes};
use crate::engine::Surface;
use crate::sample::Sampler;
use crate::server::{Person, Server};
use crate::socket::{Framing, Socket, Told, framing};

/// The close code of a fault of the server's own.
const INTERNAL: u16 = 4000;
/// After so many cases a new user begins.
const RESTART_EVERY: u64 = 2000;

/// A frame, independent of how many kinds of frames the document has.
#[derive(Debug, Clone)]
struct Said {
    kind: usize,
    choices: u64,
    json: Vec<JsonChange>,
    bytes: Vec<ByteChange>,
    framing: Framing,
}

fn said() -> impl Strategy<Value = Said> {
    let json = prop_oneof![2 => Just(Vec::new()), 3 => json_changes(3)];
    let bytes = prop_oneof![300 => Just(Vec::new()), 1 => byte_changes(3)];
    (any::<usize>(), any::<u64>(), json, bytes, framing()).prop_map(
        |(kind, choices, json, bytes, framing)| Said { kind, choices, json, bytes, framing },
    )
}

/// The schemas of the frames that clients send.
fn client_frames(document: &Value) -> Vec<Value> {
    let heard = document["operations"]["hear"]["messages"].as_array().unwrap();
    let name = |it: &Value| it["$ref"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    heard.iter().map(|it| document["components"]["schemas"][name(it)].clone()).collect()
}

impl Said {
    fn bytes(&self, frames: &[Value], sampler: &mut Sampler<'_>) -> Vec<u8> {
        let mut value = sampler.value("", &frames[self.kind % frames.len()], 0);
        self.json.iter().for_each(|change| change.apply(&mut value));
        let mut text = value.to_string().into_bytes();
        self.bytes.iter().for_each(|change| change.apply(&mut text));
        self.framing.bytes(&text)
    }
}

/// How often each kind of frame was received.
type Kinds = BTreeMap<String, u64>;

/// Reads until the server has answered the last ping, or has closed the socket for a permitted
/// reason.
fn hears_out(socket: &mut Socket, is_odd: bool, told: &mut Kinds) -> Result<(), String> {
    loop {
        match socket.hears()? {
            Told::Text(text) if text.contains(r#""t":"pong""#) && text.contains("the end") => {
                return Ok(());
            }
            Told::Text(text) => {
                let frame: Value =
                    serde_json::from_str(&text).map_err(|error| error.to_string())?;
                let words = ["t", "code", "type"].map(|it| frame[it].as_str().unwrap_or_default());
                *told.entry(words.join(" ").trim_end().to_owned()).or_default() += 1;
            }
            Told::Closed(Some(INTERNAL)) => return Err("closed for trouble of its own".to_owned()),
            Told::Closed(Some(code)) if (4000..5000).contains(&code) => {
                *told.entry(format!("closed {code}")).or_default() += 1;
                return Ok(());
            }
            Told::Closed(_) | Told::Gone if is_odd => return Ok(()),
            Told::Closed(code) => return Err(format!("closed with {code:?}, without a reason")),
            Told::Gone => return Err("it ended without a word".to_owned()),
        }
    }
}

#[test]
fn no_frame_brings_a_panic_or_silence() {
    let document = asyncapi::document("http://here");
    let (frames, server) = (client_frames(&document), Server::start());
    let (mut person, mut cases, mut told) = (Person::settles(&server, 0), 0_u64, Kinds::new());
    let surface = Surface { name: "frames", usual: 10_000 };
    surface.holds(&vec(said(), 1..40), |script| {
        cases += 1;
        if cases.is_multiple_of(RESTART_EVERY) {
            person = Person::settles(&server, cases);
        }
        server.clock.pass(1000);
        let mut socket = Socket::open(server.address, "/v3/push")?;
        let hello = json!({"t": "hello", "v": 1, "token": person.token}).to_string();
        // One client in eight does not begin with a hello.
        let greets = script[0].choices % 8 != 0;
        let mut bytes = if greets { Framing::Whole.bytes(hello.as_bytes()) } else { Vec::new() };
        for one in script {
            let random = fastrand::Rng::with_seed(one.choices);
            let mut sampler = Sampler { document: &document, person: &person, random };
            bytes.extend(one.bytes(&frames, &mut sampler));
        }
        bytes.extend(Framing::Whole.bytes(br#"{"t": "ping", "x": "the end"}"#));
        socket.says(&bytes);
        let is_odd = script.iter().any(|one| one.framing.is_odd() || !one.bytes.is_empty());
        let said = || format!(" after {}", bytes.escape_ascii());
        hears_out(&mut socket, is_odd, &mut told).map_err(|why| why + &said())?;
        Ok(script.len() as u64)
    });
    assert!(person.is_in().unwrap(), "the server serves on");
    println!("told: {told:?}");
    for kind in ["synced", "pong", "err conv", "err field"] {
        assert!(cases < 100 || told.contains_key(kind), "never {kind}: {told:?}");
    }
    drop(server.stop());
}
