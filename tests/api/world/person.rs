//! A user with an account: what people do over REST, as short sentences.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::world::Address;
use crate::world::asking::Asking;
use crate::world::feed::{Feed, Socket};
use crate::world::pictures;

/// The number of the next guid that a test does not choose itself.
static GUIDS: AtomicU64 = AtomicU64::new(1);
/// The longest time for which a test waits for anything.
pub(crate) const SOON: Duration = Duration::from_secs(120);

/// A guid that no message has yet.
pub(crate) fn fresh_guid() -> String {
    format!("guid-{}", GUIDS.fetch_add(1, Ordering::Relaxed))
}

/// A user with a token, and the server that the user talks to.
#[derive(Clone)]
pub(crate) struct Person {
    /// The user's id.
    pub(crate) id: String,
    /// The user's name.
    pub(crate) name: String,
    /// The email address with which the user logs in.
    pub(crate) email: String,
    /// The user's access token.
    pub(crate) token: String,
    /// The address of the server.
    pub(crate) address: Address,
}

/// A group, by its id.
#[derive(Clone)]
pub(crate) struct Group {
    /// The group's id.
    pub(crate) id: String,
}

impl Group {
    /// The group's path, followed by `below`.
    pub(crate) fn path(&self, below: &str) -> String {
        format!("/v3/groups/{}{below}", self.id)
    }

    /// The group's conversation as events name it (`conv`).
    pub(crate) fn conv(&self) -> String {
        format!("g:{}", self.id)
    }
}

/// The text of a JSON string; panics for any other value.
#[track_caller]
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("not a text: {value}"))
}

impl Person {
    /// The user in the response to a registration or a log-in.
    pub(crate) fn new(address: Address, welcome: &Value) -> Self {
        let user = &welcome["user"];
        let field = |value: &Value| text(value).to_owned();
        Self {
            id: field(&user["id"]),
            name: field(&user["name"]),
            email: field(&user["email"]),
            token: field(&welcome["access_token"]),
            address,
        }
    }

    /// A GET by this person.
    pub(crate) fn gets(&self, path: &str) -> Asking {
        self.address.asks("GET", path).token(&self.token)
    }

    /// A request of any method by this person.
    pub(crate) fn asks(&self, method: &str, path: &str) -> Asking {
        self.address.asks(method, path).token(&self.token)
    }

    /// A POST by this person.
    pub(crate) fn posts(&self, path: &str) -> Asking {
        self.address.asks("POST", path).token(&self.token)
    }

    /// Creates a group with nothing but a name.
    pub(crate) async fn creates_group(&self, name: &str) -> Group {
        let created = self.posts("/v3/groups").json(&json!({"name": name})).await.created();
        Group { id: text(&created["id"]).to_owned() }
    }

    /// Adds somebody to a group, and waits until they are a member.
    pub(crate) async fn adds(&self, other: &Self, group: &Group) {
        let item = json!({"nickname": other.name, "user_id": other.id});
        let members = self.adds_items(group, json!([item])).await;
        assert_eq!(members.len(), 1, "{members:?}");
    }

    /// Asks for people to be added to a group, waits for the result, and returns the new
    /// memberships.
    pub(crate) async fn adds_items(&self, group: &Group, items: Value) -> Vec<Value> {
        let asked = self.posts(&group.path("/members/add")).json(&json!({"members": items}));
        let accepted = asked.await.accepted();
        self.sees_results(group, text(&accepted["results_id"])).await
    }

    /// Waits until an add request is settled and returns the new memberships.
    pub(crate) async fn sees_results(&self, group: &Group, request: &str) -> Vec<Value> {
        let path = group.path(&format!("/members/results/{request}"));
        let deadline = Instant::now() + SOON;
        loop {
            let answer = self.gets(&path).await;
            if answer.status != 503 {
                return serde_json::from_value(answer.ok()["members"].take()).unwrap();
            }
            assert!(Instant::now() < deadline, "the request is never settled");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// A request that posts a message with these fields, and with a fresh `source_guid` if it has
    /// none.
    pub(crate) fn posting(&self, group: &Group, mut message: Value) -> Asking {
        if message.get("source_guid").is_none() {
            message["source_guid"] = json!(fresh_guid());
        }
        self.posts(&group.path("/messages")).json(&json!({"message": message}))
    }

    /// Posts a text to a group; returns the message as it was stored.
    pub(crate) async fn says(&self, group: &Group, words: &str) -> Value {
        self.posting(group, json!({"text": words})).await.created()["message"].take()
    }

    /// Returns a page of a group's messages; empty for a 304.
    pub(crate) async fn reads(&self, group: &Group, query: &str) -> Vec<Value> {
        let answer = self.gets(&group.path(&format!("/messages{query}"))).await;
        if answer.status == 304 {
            return Vec::new();
        }
        serde_json::from_value(answer.ok()["messages"].take()).unwrap()
    }

    /// Returns the texts of a page of a group's messages.
    pub(crate) async fn reads_texts(&self, group: &Group, query: &str) -> Vec<String> {
        let messages = self.reads(group, query).await;
        messages.iter().map(|message| text(&message["text"]).to_owned()).collect()
    }

    /// A request that uploads an image.
    pub(crate) fn sends_image(&self, bytes: Vec<u8>) -> Asking {
        self.posts("/pictures").bytes(bytes)
    }

    /// Uploads an image and returns its URL.
    pub(crate) async fn stores_image(&self, bytes: Vec<u8>) -> String {
        pictures::url(&self.sends_image(bytes).await)
    }

    /// Uploads a small image and returns its URL.
    pub(crate) async fn has_image(&self) -> String {
        self.stores_image(pictures::png(10, 20)).await
    }

    /// Opens a socket, says `hello` and waits for `synced`.
    pub(crate) async fn listens(&self) -> Feed {
        Feed::of(self, None).await
    }

    /// Opens a socket, says `hello` with a cursor and waits for `synced`.
    pub(crate) async fn listens_after(&self, cursor: &str) -> Feed {
        Feed::of(self, Some(cursor)).await
    }

    /// Opens a socket without saying `hello`.
    pub(crate) async fn connects(&self) -> Socket {
        Socket::open(&self.address, &[("X-Access-Token", &self.token)]).await.unwrap()
    }
}
