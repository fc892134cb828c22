//! Requests to every operation in the published document.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use coterie::http::openapi;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

use crate::broken::{ByteChange, JsonChange, byte_changes, json_changes, odd_text};
use crate::connection::{Request, Wait};
use crate::engine::{Outcome, Surface};
use crate::sample::Sampler;
use crate::server::{Person, Server};

/// Operations that hold a request until there is something to tell: the client hangs up soon.
const HELD: [&str; 5] = ["/v3/events", "/v3/events/stream", "/v3/push", "/faye", "/faye/{step}"];
/// After how long the client hangs up.
const HELD_FOR: Duration = Duration::from_millis(30);
/// After so many requests a new user begins.
const RESTART_EVERY: u64 = 300;

/// Content types that a body may be declared to have.
const KINDS: [&str; 8] = [
    "application/json",
    "application/json; charset=utf-16",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "multipart/form-data",
    "text/plain",
    "application/octet-stream",
    ";;,",
];

/// What a request is made of, independent of server and operation.
#[derive(Debug, Clone)]
struct Plan {
    operation: usize,
    choices: u64,
    /// Which segments of the path are replaced, and by what.
    path: Vec<(u8, String)>,
    /// Pairs that are appended to the query.
    query: Vec<(String, String)>,
    json: Vec<JsonChange>,
    bytes: Vec<ByteChange>,
    kind: usize,
    token: Token,
    key: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Own,
    None,
    Wrong,
}

fn plan() -> impl Strategy<Value = Plan> {
    let rarely =
        |changes: BoxedStrategy<Vec<ByteChange>>| prop_oneof![6 => Just(Vec::new()), 1 => changes];
    let path = prop_oneof![4 => Just(Vec::new()), 1 => vec((any::<u8>(), odd_text()), 1..3)];
    let query = prop_oneof![3 => Just(Vec::new()), 1 => vec((odd_text(), odd_text()), 1..4)];
    let json = prop_oneof![1 => Just(Vec::new()), 4 => json_changes(4)];
    let kind = prop_oneof![6 => Just(0), 1 => 0..KINDS.len()];
    let token =
        prop_oneof![12 => Just(Token::Own), 1 => Just(Token::None), 1 => Just(Token::Wrong)];
    let key = prop_oneof![6 => Just(None), 1 => odd_text().prop_map(Some)];
    (
        any::<usize>(),
        any::<u64>(),
        path,
        query,
        json,
        rarely(byte_changes(4).boxed()),
        kind,
        token,
        key,
    )
        .prop_map(|(operation, choices, path, query, json, bytes, kind, token, key)| Plan {
            operation,
            choices,
            path,
            query,
            json,
            bytes,
            kind,
            token,
            key,
        })
}

/// An operation of the OpenAPI document.
struct Operation {
    method: String,
    path: String,
    told: Value,
}

fn operations(document: &Value) -> Vec<Operation> {
    let paths = document["paths"].as_object().unwrap();
    let of_path = |(path, methods): (&String, &Value)| {
        let of_method = |(method, told): (&String, &Value)| Operation {
            method: method.to_uppercase(),
            path: path.clone(),
            told: told.clone(),
        };
        methods.as_object().unwrap().iter().map(of_method).collect::<Vec<_>>()
    };
    paths.iter().flat_map(of_path).collect()
}

fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20")
}

impl Plan {
    /// The request of this plan to an operation.
    fn request(&self, operation: &Operation, sampler: &mut Sampler<'_>) -> Request {
        let Operation { method, path, told } = operation;
        let target = format!("{}{}", self.path(path, sampler), self.query(told, sampler));
        let mut request = Request::of(method, &target);
        request = match self.token {
            Token::Own => request.header("X-Access-Token", &sampler.person.token),
            Token::None => request,
            Token::Wrong => request.header("X-Access-Token", &"a".repeat(43)),
        };
        if let Some(key) = &self.key {
            request = request.header("Idempotency-Key", key);
        }
        let content = told["requestBody"]["content"].as_object();
        let Some((media, schema)) = content.and_then(|it| it.iter().next()) else { return request };
        let mut value = sampler.value("", &schema["schema"], 0);
        self.json.iter().for_each(|change| change.apply(&mut value));
        let mut body = if media == "application/json" {
            value.to_string().into_bytes()
        } else {
            form(&value).into_bytes()
        };
        self.bytes.iter().for_each(|change| change.apply(&mut body));
        let kind = if self.kind == 0 { media } else { KINDS[self.kind] };
        request.header("Content-Type", kind).body(body)
    }

    fn path(&self, path: &str, sampler: &mut Sampler<'_>) -> String {
        let mut parts: Vec<String> = Vec::new();
        for part in path.split('/') {
            let name = part.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
            parts.push(name.map_or_else(
                || part.to_owned(),
                |name| {
                    let (known, random) = (sampler.person, &mut sampler.random);
                    let name = if name == "id" { "group_id" } else { name };
                    encoded(&known.knows(name, random).unwrap_or_else(|| known.any_id(random)))
                },
            ));
        }
        for (at, odd) in &self.path {
            let at = usize::from(*at) % parts.len();
            parts[at] = if at == 0 { String::new() } else { encoded(odd) };
        }
        parts.join("/")
    }

    fn query(&self, told: &Value, sampler: &mut Sampler<'_>) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        for parameter in told["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap();
            let is_wanted = parameter["required"] == true || sampler.random.u8(..) < 90;
            if parameter["in"] == "query" && is_wanted {
                let mut value = sampler.value(name, &parameter["schema"], 0);
                // The first change of the body breaks the values of the query, too.
                self.json.iter().take(1).for_each(|change| change.apply(&mut value));
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                query.append_pair(name, &text);
            }
        }
        query.extend_pairs(&self.query);
        let query = query.finish();
        if query.is_empty() { query } else { format!("?{query}") }
    }
}

/// The fields of an object, form-encoded.
fn form(value: &Value) -> String {
    let mut form = form_urlencoded::Serializer::new(String::new());
    for (name, value) in value.as_object().into_iter().flatten() {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        form.append_pair(name, &text);
    }
    form.finish()
}

/// Fails if the status is 5xx.
fn judged(request: &impl fmt::Display, status: u16) -> Outcome {
    if status < 500 { Ok(1) } else { Err(format!("{status} is the answer to {request}")) }
}

#[test]
fn no_request_brings_an_answer_of_5xx_a_panic_or_silence() {
    let document = openapi::document();
    let (operations, server) = (operations(&document), Server::start());
    let (mut person, mut asked) = (Person::settles(&server, 0), 0_u64);
    let mut answered: BTreeMap<u16, u64> = BTreeMap::new();
    let surface = Surface { name: "requests", usual: 3000 };
    surface.holds(&plan(), |plan| {
        asked += 1;
        server.clock.pass(1000);
        let operation = &operations[plan.operation % operations.len()];
        let random = fastrand::Rng::with_seed(plan.choices);
        let mut sampler = Sampler { document: &document, person: &person, random };
        let request = plan.request(operation, &mut sampler);
        let is_held = HELD.contains(&operation.path.as_str());
        let wait = if is_held { Wait::ForItsHead(HELD_FOR) } else { Wait::ToTheEnd };
        let answer = person.connection().asks(&request, wait);
        let answer = answer.map_err(|why| format!("{why}: {request}"))?;
        if let Some(answer) = answer {
            *answered.entry(answer.status).or_default() += 1;
            person.remember(&answer.body);
            judged(&request, answer.status)?;
            // A user who was logged out, or whose account was deleted, is replaced by a new one.
            let may_be_out = answer.status == 401 || operation.path.starts_with("/auth");
            if asked.is_multiple_of(RESTART_EVERY) || (may_be_out && !person.is_in()?) {
                person = Person::settles(&server, asked);
            }
        }
        Ok(1)
    });
    assert!(person.is_in().is_ok(), "the server serves on");
    println!("answers by status: {answered:?}");
    let done: u64 = answered.range(200..300).map(|(_, count)| count).sum();
    assert!(done * 8 > asked, "too few get past the door: {answered:?}");
    drop(server.stop());
}
