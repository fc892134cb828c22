//! The stub's answers to REST calls.

use serde_json::{Value, json};

use super::{Fault, Group, Request, SYSTEM, State};

pub(super) fn answer(state: &mut State, request: &Request) -> (u16, String) {
    let parts: Vec<&str> = request.path.trim_start_matches('/').split('/').collect();
    let (status, response) = match (request.method.as_str(), parts.as_slice()) {
        ("POST", ["auth", "register"]) => register(state),
        // The tester's photos are JPEGs.
        ("POST", ["pictures"]) if request.body.contains("PNG") => (400, Value::Null),
        ("POST", ["pictures"]) => return keep_image(state),
        ("GET", ["images", name]) => return show_image(state, number(name)),
        ("POST", ["v3", "groups"]) => create_group(state, request),
        ("GET", ["v3", "groups"]) => (200, groups(state)),
        ("GET", ["v3", "sync"]) => (200, json!({ "groups": groups(state) })),
        ("POST", ["v3", "groups", group, "members", "add"]) => add(state, number(group), request),
        ("GET", ["v3", "groups", group, "members", "results", _]) => results(state, number(group)),
        ("POST", ["v3", "groups", group, "join", _]) => join(state, number(group), request),
        ("PUT", ["v3", "drafts", _]) => (200, Value::Null),
        ("POST", ["v3", "groups", group, "messages"]) => post(state, number(group), request),
        ("GET", ["v3", "groups", group, "messages"]) => list(state, number(group), request),
        ("POST", ["v3", "messages", _, _, "like" | "unlike"]) => (200, Value::Null),
        ("POST", ["v3", "conversations", _, "read"]) => (200, json!({ "unread_count": 0 })),
        ("POST", ["v3", "direct_messages"]) => write_direct(state, request),
        ("GET", ["v3", "direct_messages"]) => list_direct(state, request),
        ("GET", ["v3", "search", "messages"]) => (200, json!({ "count": 0, "messages": [] })),
        ("GET", ["metrics"]) => return metrics(),
        ("GET", ["v3", "events"]) => (200, json!({ "events": [], "c": "0", "more": false })),
        ("POST", ["v3", "bots"]) => create_bot(state, request),
        ("POST", ["v3", "bots", _, "update"]) => (200, json!({ "active": true })),
        _ => (404, Value::Null),
    };
    match status {
        304 => (304, String::new()),
        status => (status, json!({ "response": response, "meta": { "code": status } }).to_string()),
    }
}

/// Reports that everything is indexed.
fn metrics() -> (u16, String) {
    (200, "coterie_search_lag_bytes 0\ncoterie_search_messages 1\n".to_owned())
}

/// The answer has no envelope, as in the API.
fn keep_image(state: &mut State) -> (u16, String) {
    state.images += 1;
    let url = format!("http://stub/images/{}", state.images);
    (200, json!({ "payload": { "url": url, "picture_url": url } }).to_string())
}

/// The stub keeps the number of images, not their bytes.
fn show_image(state: &State, number: usize) -> (u16, String) {
    let is_there = number <= state.images && !(state.fault == Fault::ForgetImage && number == 2);
    if is_there { (200, "an image".to_owned()) } else { (404, String::new()) }
}

fn number(raw: &str) -> usize {
    raw.parse().unwrap()
}

fn register(state: &mut State) -> (u16, Value) {
    let id = state.people.len();
    let token = format!("token-{id}");
    state.people.push(token.clone());
    (201, json!({ "user": { "id": id.to_string() }, "access_token": token }))
}

fn create_group(state: &mut State, request: &Request) -> (u16, Value) {
    let owner = state.person(&request.token);
    state.groups.push(Group { members: vec![owner], ..Group::default() });
    let id = state.groups.len() - 1;
    (201, json!({ "id": id.to_string(), "share_url": format!("http://stub/join_group/{id}/t") }))
}

/// Lists all groups to any caller: in the stub, everybody is in all of them.
fn groups(state: &State) -> Value {
    let forgotten = usize::from(state.fault == Fault::ForgetGroup);
    let shown = state.groups.iter().enumerate().skip(forgotten).map(|(id, group)| {
        let members = vec![json!({}); group.members.len()];
        let last = group.lines.last().map(|line| line.id.to_string());
        json!({ "id": id.to_string(), "members": members,
            "messages": { "last_message_id": last } })
    });
    shown.collect()
}

fn create_bot(state: &mut State, request: &Request) -> (u16, Value) {
    let body: Value = serde_json::from_str(&request.body).unwrap();
    let url = body["bot"]["callback_url"].as_str().unwrap().trim_start_matches("http://");
    let (host, path) = url.split_once('/').unwrap();
    let group = number(body["bot"]["group_id"].as_str().unwrap());
    state.groups[group].hooks.push((host.to_owned(), path.to_owned()));
    (201, json!({ "bot_id": "b" }))
}

fn add(state: &mut State, group: usize, request: &Request) -> (u16, Value) {
    let body: Value = serde_json::from_str(&request.body).unwrap();
    // Nobody has the phone numbers that an abuser adds.
    let known = body["members"].as_array().unwrap().iter().filter(|it| it["user_id"].is_string());
    for member in known {
        state.groups[group].members.push(number(member["user_id"].as_str().unwrap()));
        state.groups[group].added += 1;
        state.post(group, SYSTEM);
    }
    (202, json!({ "results_id": "r" }))
}

fn join(state: &mut State, group: usize, request: &Request) -> (u16, Value) {
    let joiner = state.person(&request.token);
    state.groups[group].members.push(joiner);
    state.post(group, SYSTEM);
    (200, json!({ "group": { "id": group.to_string() } }))
}

/// Answers every other request with 503, as if the members were not yet added.
fn results(state: &mut State, group: usize) -> (u16, Value) {
    state.results_asked += 1;
    match state.results_asked % 2 {
        1 => (503, Value::Null),
        _ => (200, json!({ "members": vec![json!({}); state.groups[group].added] })),
    }
}

fn post(state: &mut State, group: usize, request: &Request) -> (u16, Value) {
    let Ok(body) = serde_json::from_str::<Value>(&request.body) else {
        let status = if state.fault == Fault::TakeAnything { 201 } else { 400 };
        return (status, Value::Null);
    };
    keep(state, group, body["message"]["source_guid"].as_str().unwrap())
}

fn keep(state: &mut State, group: usize, guid: &str) -> (u16, Value) {
    let id = state.post(group, guid);
    if state.strikes(Fault::KeepRefused) {
        return (409, Value::Null);
    }
    (201, json!({ "message": { "id": id.to_string(), "source_guid": guid } }))
}

/// In the stub, a chat is a group of two.
fn write_direct(state: &mut State, request: &Request) -> (u16, Value) {
    let body: Value = serde_json::from_str(&request.body).unwrap();
    let message = &body["direct_message"];
    let to = number(message["recipient_id"].as_str().unwrap());
    let chat = chat(state, state.person(&request.token), to);
    keep(state, chat, message["source_guid"].as_str().unwrap())
}

fn list_direct(state: &mut State, request: &Request) -> (u16, Value) {
    let other = number(request.query("other_user_id").unwrap());
    let chat = chat(state, state.person(&request.token), other);
    let (status, mut page) = list(state, chat, request);
    if let Some(messages) = page.get_mut("messages").map(Value::take) {
        page = json!({ "count": page["count"], "direct_messages": messages });
    }
    (status, page)
}

fn chat(state: &mut State, one: usize, other: usize) -> usize {
    let pair = (one.min(other), one.max(other));
    let next = state.groups.len();
    let chat = *state.chats.entry(pair).or_insert(next);
    if chat == next {
        state.groups.push(Group { members: vec![one, other], ..Group::default() });
    }
    chat
}

fn list(state: &mut State, group: usize, request: &Request) -> (u16, Value) {
    let limit: usize = request.query("limit").map_or(20, |limit| limit.parse().unwrap());
    let before: u64 = request.query("before_id").map_or(u64::MAX, |id| id.parse().unwrap());
    let lines = &state.groups[group].lines;
    let older = lines.iter().rev().filter(|line| line.id < before).take(limit);
    let mut page: Vec<Value> =
        older.map(|line| json!({ "id": line.id.to_string(), "source_guid": line.guid })).collect();
    if page.is_empty() {
        return (304, Value::Null);
    }
    if state.fault == Fault::ListTwice && before == u64::MAX {
        page.insert(0, page[0].clone());
    }
    let count = lines.len() + usize::from(state.fault == Fault::Miscount);
    (200, json!({ "count": count, "messages": page }))
}
