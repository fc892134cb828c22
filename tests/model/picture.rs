//! What a client knows: a snapshot, and the rules by which events change it. Written from the
//! protocol alone, so that server and client cannot share a mistake.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::caller::text;

/// How many messages of each conversation a snapshot has.
const MESSAGES: usize = 20;

/// Everything that one user sees.
#[derive(Debug, Clone)]
pub(crate) struct Picture {
    /// The cursor after which events continue.
    pub(crate) c: String,
    user: Value,
    conversations: BTreeMap<String, Conversation>,
    /// The number of the newest public profile that was received, by conversation.
    public_profiles: BTreeMap<String, u64>,
    /// The newest draft that was received, by conversation.
    drafts: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, Default)]
struct Conversation {
    /// The group or the chat; null for one that began after the snapshot, which a client would
    /// load.
    shown: Value,
    /// The newest messages, newest first.
    messages: Vec<Value>,
    n: u64,
    read_n: u64,
    unread: u64,
    /// The numbers (`n`) of the messages that were received.
    lines: Vec<u64>,
    /// The polls that were received, by id.
    polls: BTreeMap<String, Value>,
    /// The calendar events that were received, by id.
    events: BTreeMap<String, Value>,
}

impl Picture {
    /// The picture that this snapshot gives.
    pub(crate) fn of(snapshot: &Value) -> Self {
        let mut conversations = BTreeMap::new();
        for part in snapshot["groups"].as_array().unwrap() {
            let conv = format!("g:{}", text(&part["group"]["id"]));
            conversations.insert(conv, Conversation::of(part, "group"));
        }
        for part in snapshot["chats"].as_array().unwrap() {
            let newest = &part["chat"]["last_message"]["conversation_id"];
            let conv = format!("d:{}", text(newest));
            conversations.insert(conv, Conversation::of(part, "chat"));
        }
        let (c, user) = (text(&snapshot["c"]).to_owned(), snapshot["user"].clone());
        Self { c, user, conversations, public_profiles: BTreeMap::new(), drafts: BTreeMap::new() }
    }

    /// Applies an event, unless it is already part of the picture.
    pub(crate) fn hear(&mut self, event: &Value) {
        let (conv, n) = (text(&event["conv"]), event["n"].as_u64().unwrap());
        if text(&event["c"]) > self.c.as_str() {
            self.c = text(&event["c"]).to_owned();
        }
        if conv.starts_with("u:") {
            return self.hear_of_me(event);
        }
        if conv.starts_with("p:") {
            return self.hear_of_another(conv, n, event);
        }
        let me = text(&self.user["id"]).to_owned();
        let known = self.conversations.get(conv);
        if known.is_some_and(|known| n <= known.n) {
            return;
        }
        // A user who leaves gets the event of that, but perhaps none of the events before it.
        if ends_for(&me, event) {
            self.conversations.remove(conv);
            return;
        }
        if let Some(known) = known {
            assert_eq!(n, known.n + 1, "a hole: {event}");
        }
        self.conversations.entry(conv.to_owned()).or_default().hear(event, n, &me);
    }

    /// Applies an event that must be the next one of its conversation, so that the picture contains
    /// exactly the events before it.
    pub(crate) fn hear_next(&mut self, event: &Value) {
        let known = self.conversations.get(text(&event["conv"])).map(|known| known.n);
        if let Some(known) = known {
            assert_eq!(event["n"], known + 1, "not the next one: {event}");
        }
        self.hear(event);
    }

    fn hear_of_me(&mut self, event: &Value) {
        let data = &event["data"];
        match text(&event["type"]) {
            "user.update" => self.user = data.clone(),
            "read" => {
                if let Some(known) = self.conversations.get_mut(text(&data["conv"])) {
                    known.mark(data["n"].as_u64().unwrap(), data["count"].as_u64());
                }
            }
            "draft" => {
                let conv = text(&data["conversation_id"]).to_owned();
                self.drafts.insert(conv, data.clone());
            }
            "block.create" | "block.delete" => {}
            other => panic!("{other}: {event}"),
        }
    }

    /// Applies the new public profile of another user to the chat with them, which must exist.
    fn hear_of_another(&mut self, conv: &str, n: u64, event: &Value) {
        if let Some(known) = self.public_profiles.get(conv) {
            if n <= *known {
                return;
            }
            assert_eq!(n, known + 1, "a hole: {event}");
        }
        self.public_profiles.insert(conv.to_owned(), n);
        let (me, data) = (text(&self.user["id"]), &event["data"]);
        assert_eq!(
            (text(&event["type"]), &conv[2..]),
            ("other_user.update", &*data["id"].to_string())
        );
        let mut pair = [me.parse::<u64>().unwrap(), data["id"].as_u64().unwrap()];
        pair.sort_unstable();
        let chat = self.conversations.get_mut(&format!("d:{}+{}", pair[0], pair[1]));
        let chat = chat.unwrap_or_else(|| panic!("no chat with them: {event}"));
        if !chat.shown.is_null() {
            chat.shown["other_user"] = data.clone();
        }
    }

    /// The drafts that were received, in conversations that still exist.
    pub(crate) fn drafts(&self) -> impl Iterator<Item = (&String, &Value)> {
        let is_there = |conv: &str| self.conversations.keys().any(|it| &it[2..] == conv);
        self.drafts.iter().filter(move |(conv, _)| is_there(conv))
    }

    /// The polls that were received, by conversation.
    pub(crate) fn polls(&self) -> impl Iterator<Item = (&str, &BTreeMap<String, Value>)> {
        let told = self.conversations.iter().filter(|(_, known)| !known.polls.is_empty());
        told.map(|(conv, known)| (&conv[2..], &known.polls))
    }

    /// The calendar events that were received, by conversation.
    pub(crate) fn events(&self) -> impl Iterator<Item = (&str, &BTreeMap<String, Value>)> {
        let told = self.conversations.iter().filter(|(_, known)| !known.events.is_empty());
        told.map(|(conv, known)| (&conv[2..], &known.events))
    }

    /// Returns the differences between this picture and another one, in words.
    pub(crate) fn differences(&self, other: &Self) -> Vec<String> {
        let mut found = Vec::new();
        let mut differ = |what: &str, one: Value, other: Value| {
            if one != other {
                found.push(format!("{what}:\n  told  {one}\n  shown {other}"));
            }
        };
        let names = |picture: &Self| json!(picture.conversations.keys().collect::<Vec<_>>());
        differ("user", self.user.clone(), other.user.clone());
        differ("conversations", names(self), names(other));
        for (conv, told) in &self.conversations {
            let Some(shown) = other.conversations.get(conv) else { continue };
            let numbers = |it: &Conversation| json!([it.n, it.read_n, it.unread]);
            differ(&format!("{conv} n, read_n, unread"), numbers(told), numbers(shown));
            if told.shown.is_null() {
                let newest: Vec<&Value> = shown.messages.iter().take(told.messages.len()).collect();
                differ(&format!("{conv} heard"), json!(told.messages), json!(newest));
            } else {
                differ(&format!("{conv} messages"), json!(told.messages), json!(shown.messages));
                differ(&format!("{conv} shown"), told.shown.clone(), shown.shown.clone());
            }
        }
        found
    }
}

/// Whether an event removes the conversation from this user's picture.
fn ends_for(me: &str, event: &Value) -> bool {
    match text(&event["type"]) {
        "group.delete" => true,
        "membership.delete" => {
            let gone = event["data"]["memberships"].as_array().unwrap();
            gone.iter().any(|it| it["user_id"] == me)
        }
        _ => false,
    }
}

impl Conversation {
    fn of(part: &Value, kind: &str) -> Self {
        let mut shown = part[kind].clone();
        sort_members(&mut shown);
        Self {
            shown,
            messages: part["messages"].as_array().unwrap().clone(),
            n: part["n"].as_u64().unwrap(),
            read_n: part["read_n"].as_u64().unwrap(),
            unread: part["unread"].as_u64().unwrap(),
            lines: Vec::new(),
            polls: BTreeMap::new(),
            events: BTreeMap::new(),
        }
    }

    fn hear(&mut self, event: &Value, n: u64, me: &str) {
        let (kind, data) = (text(&event["type"]), &event["data"]);
        self.n = n;
        match kind {
            "line.create" | "direct_message.create" => self.add(data, n, me),
            "favorite" => self.favor(data),
            "message.deleted" => {
                self.polls.remove(text(&data["id"]));
                self.events.remove(text(&data["id"]));
                self.revise(data);
            }
            "message.update" | "pin" | "unpin" => self.revise(data),
            "poll.create" | "poll.update" | "poll.finished" => {
                let poll = &data["data"];
                match poll["status"] == "deleted" {
                    true => drop(self.polls.remove(text(&poll["id"]))),
                    false => drop(self.polls.insert(text(&poll["id"]).to_owned(), poll.clone())),
                }
            }
            "event.create" | "event.update" | "event.rsvp" | "event.delete" => {
                let id = text(&data["event_id"]).to_owned();
                // An event without a name was deleted with its message, after it was sent.
                match data["deleted_at"].is_null() && data["name"] != "" {
                    true => drop(self.events.insert(id, data.clone())),
                    false => drop(self.events.remove(&id)),
                }
            }
            "membership.create" | "membership.update" => {
                for membership in data["memberships"].as_array().unwrap() {
                    self.seat(membership);
                    if kind == "membership.create" && membership["user_id"] == me {
                        (self.read_n, self.unread) = (n, 0);
                    }
                }
            }
            "membership.delete" => {
                for membership in data["memberships"].as_array().unwrap() {
                    self.unseat(&membership["user_id"]);
                }
            }
            "group.update" => self.update(data),
            "bot.create" | "bot.delete" => {}
            other => panic!("{other}: {event}"),
        }
        if matches!(kind, "membership.create" | "membership.delete") && !self.shown.is_null() {
            self.shown["updated_at"] = json!(event["at"].as_u64().unwrap() / 1000);
        }
    }

    /// Counts a reply at the message that begins its thread.
    fn answer(&mut self, message: &Value) {
        let attachments = message["attachments"].as_array().unwrap();
        let Some(reply) = attachments.iter().find(|it| it["type"] == "reply") else { return };
        for base in self.messages.iter_mut().filter(|it| it["id"] == reply["base_reply_id"]) {
            let count = base["reply_count"].as_u64().unwrap_or(0);
            base["reply_count"] = json!(count + 1);
            base["last_reply_at"] = message["created_at"].clone();
        }
    }

    fn add(&mut self, message: &Value, n: u64, me: &str) {
        self.answer(message);
        self.messages.insert(0, message.clone());
        self.messages.truncate(MESSAGES);
        self.lines.push(n);
        if message["user_id"] == me || message["caused_by"] == me {
            (self.read_n, self.unread) = (n, 0);
        } else {
            self.unread += 1;
        }
        if self.shown.get("messages").is_some() {
            let count = self.shown["messages"]["count"].as_u64().unwrap() + 1;
            self.shown["messages"] = json!({
                "count": count,
                "last_message_id": message["id"],
                "last_message_created_at": message["created_at"],
                "preview": {
                    "nickname": message["name"], "text": message["text"],
                    "image_url": message["avatar_url"], "attachments": message["attachments"],
                },
            });
        } else if self.shown.get("last_message").is_some() {
            let count = self.shown["messages_count"].as_u64().unwrap() + 1;
            self.shown["messages_count"] = json!(count);
            self.shown["last_message"] = message.clone();
            self.shown["updated_at"] = message["created_at"].clone();
        }
    }

    fn favor(&mut self, data: &Value) {
        let last = self.shown.get_mut("last_message");
        for message in self.messages.iter_mut().chain(last) {
            if message["id"] == data["message_id"] {
                message["favorited_by"] = data["favorited_by"].clone();
                let reactions = data["reactions"].clone();
                let fields = message.as_object_mut().unwrap();
                match reactions.as_array().is_some_and(Vec::is_empty) {
                    true => drop(fields.remove("reactions")),
                    false => drop(fields.insert("reactions".to_owned(), reactions)),
                }
            }
        }
    }

    /// Applies an edited or deleted message, also where it is shown as the last one.
    fn revise(&mut self, revised: &Value) {
        let last = self.shown.get_mut("last_message");
        for message in self.messages.iter_mut().chain(last) {
            if message["id"] == revised["id"] {
                *message = revised.clone();
            }
        }
        let Some(of_group) = self.shown.get_mut("messages") else { return };
        if of_group["last_message_id"] == revised["id"] {
            of_group["preview"]["text"] = revised["text"].clone();
            of_group["preview"]["attachments"] = revised["attachments"].clone();
        }
    }

    fn seat(&mut self, membership: &Value) {
        if self.shown.is_null() {
            return;
        }
        self.unseat(&membership["user_id"]);
        let mut member = membership.clone();
        member.as_object_mut().unwrap().remove("app_installed");
        self.shown["members"].as_array_mut().unwrap().push(member);
        sort_members(&mut self.shown);
    }

    fn unseat(&mut self, user: &Value) {
        if !self.shown.is_null() {
            self.shown["members"].as_array_mut().unwrap().retain(|it| it["user_id"] != *user);
        }
    }

    /// Applies the new state of a group, but for its messages: events of their own tell of those.
    fn update(&mut self, group: &Value) {
        if self.shown.is_null() {
            return;
        }
        let messages = self.shown["messages"].clone();
        self.shown = group.clone();
        self.shown["messages"] = messages;
        sort_members(&mut self.shown);
    }

    fn mark(&mut self, n: u64, read: Option<u64>) {
        if n <= self.read_n {
            return;
        }
        self.read_n = n;
        let total = &self.shown["messages"]["count"];
        let total = total.as_u64().or_else(|| self.shown["messages_count"].as_u64());
        self.unread = match total.zip(read) {
            Some((total, read)) => total.saturating_sub(read),
            None => self.lines.iter().filter(|line| **line > n).count() as u64,
        };
    }
}

fn sort_members(shown: &mut Value) {
    if let Some(Value::Array(members)) = shown.get_mut("members") {
        members.sort_by_key(|member| text(&member["user_id"]).to_owned());
    }
}
