//! Somebody with an account: what people do over REST, as short sentences.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::world::Address;
use crate::world::asking::Asking;
use crate::world::feed::{Feed, Socket};
use crate::world::pictures;

/// Numbers the guids that a test does not choose.
static GUIDS: AtomicU64 = AtomicU64::new(1);
/// How long anything may take that a test waits for.
pub(crate) const SOON: Duration = Duration::from_secs(120);

/// A guid that nobody used.
pub(crate) fn fresh_guid() -> String {
    format!("guid-{}", GUIDS.fetch_add(1, Ordering::Relaxed))
}

/// Somebody.
#[derive(Clone)]
pub(crate) struct Person {
    /// The user's id.
    pub(crate) id: String,
    /// What they are called.
    pub(crate) name: String,
    /// Where they log in with.
    pub(crate) email: String,
    /// What they show at the HTTP layer.
    pub(crate) token: String,
    /// Where the server is.
    pub(crate) address: Address,
}

/// A group that somebody created.
#[derive(Clone)]
pub(crate) struct Group {
    /// Its id.
    pub(crate) id: String,
}

impl Group {
    /// Its path, or one below it.
    pub(crate) fn path(&self, below: &str) -> String {
        format!("/v3/groups/{}{below}", self.id)
    }

    /// How events name it.
    pub(crate) fn conv(&self) -> String {
        format!("g:{}", self.id)
    }
}

/// A text of JSON.
#[track_caller]
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("not a text: {value}"))
}

impl Person {
    /// Who a registration or a log-in welcomed.
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

    /// Adds somebody, and waits until they are in.
    pub(crate) async fn adds(&self, other: &Self, group: &Group) {
        let item = json!({"nickname": other.name, "user_id": other.id});
        let members = self.adds_items(group, json!([item])).await;
        assert_eq!(members.len(), 1, "{members:?}");
    }

    /// Asks for people to be added; the memberships that come of it.
    pub(crate) async fn adds_items(&self, group: &Group, items: Value) -> Vec<Value> {
        let asked = self.posts(&group.path("/members/add")).json(&json!({"members": items}));
        let accepted = asked.await.accepted();
        self.sees_results(group, text(&accepted["results_id"])).await
    }

    /// The memberships of an add request, once it is settled.
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

    /// A post of these fields, with a guid of its own unless it has one.
    pub(crate) fn posting(&self, group: &Group, mut message: Value) -> Asking {
        if message.get("source_guid").is_none() {
            message["source_guid"] = json!(fresh_guid());
        }
        self.posts(&group.path("/messages")).json(&json!({"message": message}))
    }

    /// Says something; the message as it was stored.
    pub(crate) async fn says(&self, group: &Group, words: &str) -> Value {
        self.posting(group, json!({"text": words})).await.created()["message"].take()
    }

    /// A page of messages; empty when there are none.
    pub(crate) async fn reads(&self, group: &Group, query: &str) -> Vec<Value> {
        let answer = self.gets(&group.path(&format!("/messages{query}"))).await;
        if answer.status == 304 {
            return Vec::new();
        }
        serde_json::from_value(answer.ok()["messages"].take()).unwrap()
    }

    /// The texts of a page of messages.
    pub(crate) async fn reads_texts(&self, group: &Group, query: &str) -> Vec<String> {
        let messages = self.reads(group, query).await;
        messages.iter().map(|message| text(&message["text"]).to_owned()).collect()
    }

    /// Sends an image as bytes.
    pub(crate) fn sends_image(&self, bytes: Vec<u8>) -> Asking {
        self.posts("/pictures").bytes(bytes)
    }

    /// Stores an image; its URL.
    pub(crate) async fn stores_image(&self, bytes: Vec<u8>) -> String {
        pictures::url(&self.sends_image(bytes).await)
    }

    /// Has a small image stored; its URL.
    pub(crate) async fn has_image(&self) -> String {
        self.stores_image(pictures::png(10, 20)).await
    }

    /// Opens a socket, says hello, and is live.
    pub(crate) async fn listens(&self) -> Feed {
        Feed::of(self, None).await
    }

    /// Opens a socket and goes on from a cursor; live after `synced`.
    pub(crate) async fn listens_after(&self, cursor: &str) -> Feed {
        Feed::of(self, Some(cursor)).await
    }

    /// Opens a socket and says nothing yet.
    pub(crate) async fn connects(&self) -> Socket {
        Socket::open(&self.address, &[("X-Access-Token", &self.token)]).await.unwrap()
    }
}
