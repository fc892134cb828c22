//! The fixture of the access table: every kind of caller that has a column, and groups in which
//! each caller has the role that the column says.

use futures_util::future::join_all;
use serde_json::{Value, json};
use web_push_native::p256::SecretKey;

use crate::direct_messages::{conversation, writes};
use crate::files;
use crate::group_acts::member;
use crate::notices::subscription;
use crate::world::asking::Asking;
use crate::world::person::{Group, Person, fresh_guid, text};
use crate::world::pictures;
use crate::world::{Address, PASSWORD, World};

/// A kind of caller: a column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asker {
    Owner,
    Admin,
    Member,
    /// Left the group by themselves.
    Former,
    /// Was removed from the group by somebody else.
    Removed,
    /// Was never in the group, and is blocked by Tom, whom the acts are about.
    Blocked,
    /// Was never in the group.
    Stranger,
    /// Sends no token.
    Nobody,
    /// Sends a token of the owner that was logged out.
    Revoked,
    /// Sends the id of the group's bot instead of a token.
    Bot,
}

impl Asker {
    /// The asker with this name in the head of the table.
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "owner" => Self::Owner,
            "admin" => Self::Admin,
            "member" => Self::Member,
            "former" => Self::Former,
            "removed" => Self::Removed,
            "blocked" => Self::Blocked,
            "stranger" => Self::Stranger,
            "nobody" => Self::Nobody,
            "revoked" => Self::Revoked,
            "bot" => Self::Bot,
            other => panic!("nobody is called {other}"),
        }
    }
}

/// Where the request is made: what follows the `@` of a path in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a group.
    Group,
    /// In a group in office mode.
    Office,
    /// In the chat of the owner and Tom.
    Chat,
}

impl Place {
    /// The place with this name in the table.
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "group" => Self::Group,
            "office" => Self::Office,
            "chat" => Self::Chat,
            other => panic!("no place is called {other}"),
        }
    }
}

/// All the people of the table.
pub(crate) struct Cast {
    owner: Person,
    admin: Person,
    member: Person,
    former: Person,
    removed: Person,
    blocked: Person,
    stranger: Person,
    /// The user whom the acts are about: a plain member who has blocked `blocked`.
    tom: Person,
    /// A user in no group and in no chat.
    una: Person,
    revoked: String,
    /// The name of an image that Tom uploaded.
    image: String,
    /// The ids of Tom's token and of Tom's application, which only Tom may end.
    toms_token: String,
    toms_client: String,
    address: Address,
}

impl Cast {
    /// The body for a path about accounts or applications.
    fn account_body(&self, path: &str) -> Value {
        match path {
            "/auth/register" => {
                let email = format!("{}@example.org", fresh_guid());
                json!({"name": "New", "email": email, "password": PASSWORD})
            }
            // A code that is wrong: an admin may be made once only.
            "/auth/setup" => json!({"name": "New", "email": "new@example.org",
                "password": PASSWORD, "code": "wrong"}),
            "/auth/login" | "/auth/recover" | "/auth/recover/{secret}" => {
                json!({"email": self.tom.email, "password": PASSWORD})
            }
            "/auth/login/verify" => json!({"code": "0".repeat(64), "totp": "12345"}),
            "/auth/oidc/finish" => json!({"code": "0".repeat(64)}),
            "/auth/fresh" => json!({"password": PASSWORD}),
            "/auth/passkeys/{passkey_id}" => json!({"name": "Key"}),
            "/auth/totp/confirm" => json!({"code": "12345"}),
            "/auth/totp" | "/auth/totp/recovery-codes" => {
                json!({"password": PASSWORD, "totp": "12345"})
            }
            "/auth/password" => json!({"current_password": PASSWORD, "new_password": PASSWORD}),
            // The wrong password: if an account were deleted here, its later rows could not be
            // tried.
            "/auth/account" => json!({"password": "another horse"}),
            "/oauth/token" | "/oauth/access_token" => json!({"grant_type": "authorization_code",
                "client_id": self.toms_client, "code": "A".repeat(43),
                "code_verifier": "A".repeat(43)}),
            "/oauth/revoke" => json!({"client_id": "0".repeat(32), "token": "A".repeat(43)}),
            "/auth/tokens" => json!({"name": "Script", "scopes": ["groups:read"]}),
            "/oauth/applications" => {
                json!({"name": "Tides", "callback_url": "http://localhost:9000/back"})
            }
            _ => json!({}),
        }
    }

    /// The owner of the groups.
    pub(crate) fn owner(&self) -> &Person {
        &self.owner
    }

    /// Registers all the people.
    pub(crate) async fn of(world: &World) -> Self {
        let names = ["Owen", "Ada", "Max", "Fay", "Rob", "Bea", "Sid", "Tom", "Una"];
        let [owner, admin, member, former, removed, blocked, stranger, tom, una] =
            world.people(names).await;
        let block = format!("/v3/blocks?user={}&otherUser={}", tom.id, blocked.id);
        tom.posts(&block).await.created();
        let welcome = world.logs_in(&owner.email, PASSWORD).await.ok();
        let revoked = text(&welcome["access_token"]).to_owned();
        world.post("/auth/logout").token(&revoked).await.ok();
        let image = tom.has_image().await.rsplit('/').next().unwrap().to_owned();
        let application = json!({"name": "Ropes", "callback_url": "https://ropes.example/back"});
        let application = tom.posts("/oauth/applications").json(&application).await.created();
        let toms_client = text(&application["client_id"]).to_owned();
        let toms_token = text(&tom.gets("/auth/tokens").await.ok()[0]["id"]).to_owned();
        let address = world.address.clone();
        Self {
            owner,
            admin,
            member,
            former,
            removed,
            blocked,
            stranger,
            tom,
            una,
            revoked,
            image,
            toms_token,
            toms_client,
            address,
        }
    }

    /// Makes a group in which everybody has their role, with a message, a file, a poll, a calendar
    /// event, a bot and a settled add request.
    pub(crate) async fn fixture(&self, place: Place) -> Fixture<'_> {
        let body = json!({"name": "Climbers", "share": true});
        let created = self.admin.posts("/v3/groups").json(&body).await.created();
        let group = Group { id: text(&created["id"]).to_owned() };
        let (_, token) = text(&created["share_url"]).rsplit_once('/').unwrap();
        let joining = [&self.owner, &self.member, &self.former, &self.removed, &self.tom];
        let items: Vec<Value> =
            joining.iter().map(|it| json!({"nickname": it.name, "user_id": it.id})).collect();
        assert_eq!(self.admin.adds_items(&group, json!(items)).await.len(), items.len());
        assert_eq!(self.admin.hands(&group, &self.owner).await, "200");
        self.former.leaves(&group).await;
        self.owner.removes(&self.removed, &group).await.ok();
        let asked = self.owner.posts(&group.path("/members/add")).json(&json!({"members": []}));
        let request = text(&asked.await.accepted()["results_id"]).to_owned();
        self.owner.sees_results(&group, &request).await;
        if place == Place::Office {
            self.owner.updates(&group, json!({"office_mode": true})).await.ok();
        }
        let (conversation, message) = match place {
            Place::Group | Place::Office => {
                (group.id.clone(), self.tom.says(&group, "rope at six").await)
            }
            Place::Chat => {
                let written = writes(&self.tom, &self.owner, "rope at six").await;
                (conversation(&self.tom, &self.owner), written)
            }
        };
        let file = files::uploads(&self.tom, &conversation, "a", b"rope".to_vec()).await;
        let carried = json!([file]);
        match place {
            Place::Group | Place::Office => {
                self.tom.posting(&group, json!({"attachments": carried})).await.created()
            }
            Place::Chat => {
                let letter = json!({"direct_message": {"source_guid": fresh_guid(),
                    "recipient_id": self.owner.id, "attachments": carried}});
                self.tom.posts("/v3/direct_messages").json(&letter).await.created()
            }
        };
        let bot = json!({"name": "Weather", "group_id": group.id});
        let bot = self.owner.posts("/v3/bots").json(&bot).await.created();
        let listed = self.owner.gets(&group.path("/bots")).await.ok();
        let membership = member(&self.owner.sees(&group).await, &self.tom)["id"].clone();
        let part = |value: &Value| text(value).to_owned();
        let report = self.report(&group).await;
        let rule = self.rule(&group).await;
        let held = self.held(&group).await;
        let invite = self.invite(&group).await;
        let poll = self.poll(&group).await;
        let event = self.event(&conversation).await;
        Fixture {
            token: token.to_owned(),
            request,
            message: part(&message["id"]),
            file: part(&file["file_id"]),
            conversation,
            bot: part(&bot["bot_id"]),
            sender: part(&listed["bots"][0]["sender_id"]),
            membership: part(&membership),
            report,
            rule,
            invite,
            topic: self.topic(&group).await,
            held,
            poll,
            event,
            group,
            cast: self,
        }
    }

    /// Makes an invite and returns its id.
    async fn invite(&self, group: &Group) -> String {
        let made = self.owner.posts(&group.path("/invites")).json(&json!({})).await.created();
        text(&made["invite"]["id"]).to_owned()
    }

    /// Makes a topic and returns its id.
    async fn topic(&self, group: &Group) -> String {
        let made = self.owner.posts(&group.path("/subgroups")).json(&json!({"topic": "Knots"}));
        made.await.created()["id"].to_string()
    }

    /// Asks a question and returns the poll's id.
    async fn poll(&self, group: &Group) -> String {
        let made = self.tom.posts(&format!("/v3/poll/{}", group.id)).json(&question()).await;
        text(&made.created()["poll"]["data"]["id"]).to_owned()
    }

    /// Plans an event and returns its id.
    async fn event(&self, conversation: &str) -> String {
        let place = format!("/v3/conversations/{conversation}/events/create");
        let made = self.tom.posts(&place).json(&climb()).await;
        text(&made.created()["event"]["event_id"]).to_owned()
    }

    /// Makes a rule and returns its id.
    async fn rule(&self, group: &Group) -> String {
        let saved = self.owner.posts(&group.path("/rules")).json(&rule()).await.created();
        text(&saved["rule"]["id"]).to_owned()
    }

    /// Has a message of Tom held, and returns the id of the held message.
    async fn held(&self, group: &Group) -> String {
        let rule = json!({"name": "Sales", "kind": "words", "words": ["auction"],
            "action": "hold"});
        self.owner.posts(&group.path("/rules")).json(&rule).await.created();
        let answer = self.tom.posting(group, json!({"text": "auction"})).await.accepted();
        text(&answer["held"]["id"]).to_owned()
    }

    /// Reports a message of Tom and returns the report's id.
    async fn report(&self, group: &Group) -> String {
        let said = self.tom.says(group, "cheap ropes").await;
        let place = format!("/v3/conversations/{}/messages/{}/report", group.id, text(&said["id"]));
        let filed = self.member.posts(&place).json(&json!({"reason": "spam"})).await.created();
        text(&filed["report"]["id"]).to_owned()
    }

    /// Makes this many fixtures at the same time.
    pub(crate) async fn fixtures(&self, place: Place, count: usize) -> Vec<Fixture<'_>> {
        join_all((0..count).map(|_| self.fixture(place))).await
    }
}

/// A rule that matches nothing that the matrix posts.
fn rule() -> Value {
    json!({"name": "Ads", "kind": "words", "words": ["advertisement"], "action": "refuse"})
}

/// A poll that ends in the year 2100.
fn question() -> Value {
    let options = [json!({"title": "six"}), json!({"title": "seven"})];
    json!({"subject": "When?", "options": options, "expiration": 4_102_444_800_u64})
}

/// A calendar event in the year 2100.
fn climb() -> Value {
    json!({"name": "Climb", "start_at": "2100-01-01T18:00:00+01:00",
        "end_at": "2100-01-01T21:00:00+01:00"})
}

/// A group in which everybody has their role, and the ids of what is in it.
pub(crate) struct Fixture<'a> {
    cast: &'a Cast,
    group: Group,
    token: String,
    request: String,
    membership: String,
    report: String,
    rule: String,
    invite: String,
    topic: String,
    held: String,
    poll: String,
    event: String,
    conversation: String,
    message: String,
    file: String,
    bot: String,
    sender: String,
}

impl Fixture<'_> {
    /// The request of this asker for a route, correct in everything except, perhaps, who asks.
    pub(crate) fn asking(&self, who: Asker, method: &str, path: &str) -> Asking {
        let (person, token) = self.who(who);
        self.asking_as(person, token, method, path)
    }

    /// The request of this person with this token for a route.
    pub(crate) fn asking_as(
        &self,
        person: &Person,
        token: Option<String>,
        method: &str,
        path: &str,
    ) -> Asking {
        let place = path
            .replace("{id}", &self.group.id)
            .replace("{conversation}", &self.conversation)
            .replace("{token}", &self.token)
            .replace("{request}", &self.request)
            .replace("{membership}", &self.membership)
            .replace("{message}", &self.message)
            .replace("{report}", &self.report)
            .replace("{rule}", &self.rule)
            .replace("{invite}", &self.invite)
            .replace("{topic}", &self.topic)
            .replace("{held}", &self.held)
            .replace("{poll}", &self.poll)
            .replace("{ics}", &format!("{}.ics", self.event))
            .replace("{option}", "1")
            .replace("{file}", &self.file)
            .replace("{chat}", &self.cast.una.id)
            .replace("{user}", &self.cast.tom.id)
            .replace("{name}", &self.cast.image)
            .replace("{token_id}", &self.cast.toms_token)
            .replace("{client_id}", &self.cast.toms_client)
            .replace("{bot}", &self.bot)
            .replace("{sender}", &self.sender)
            .replace("{picture}", &self.file)
            .replace("{mail}", "1")
            .replace("{delivery}", "1");
        let place = format!("{place}{}", self.query(person, path));
        let mut asking = self.cast.address.asks(method, &place);
        if let Some(token) = token {
            asking = asking.token(&token);
        }
        if path == "/v3/push" {
            let handshake = [
                ("Connection", "Upgrade"),
                ("Upgrade", "websocket"),
                ("Sec-WebSocket-Version", "13"),
                ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
            ];
            return handshake.into_iter().fold(asking, |it, (name, value)| it.header(name, value));
        }
        match method {
            "POST" if path == "/pictures" => asking.bytes(pictures::png(1, 1)),
            "PATCH" if path.starts_with("/auth") => asking.json(&self.body(person, path)),
            "POST" | "PUT" | "DELETE" => asking.json(&self.body(person, path)),
            _ => asking,
        }
    }

    /// The person who asks (the owner, where the asker is nobody in particular) and the token they
    /// send.
    fn who(&self, who: Asker) -> (&Person, Option<String>) {
        let cast = self.cast;
        let with_own = |person| -> (&Person, Option<String>) {
            let person: &Person = person;
            (person, Some(person.token.clone()))
        };
        match who {
            Asker::Owner => with_own(&cast.owner),
            Asker::Admin => with_own(&cast.admin),
            Asker::Member => with_own(&cast.member),
            Asker::Former => with_own(&cast.former),
            Asker::Removed => with_own(&cast.removed),
            Asker::Blocked => with_own(&cast.blocked),
            Asker::Stranger => with_own(&cast.stranger),
            Asker::Nobody => (&cast.owner, None),
            Asker::Revoked => (&cast.owner, Some(cast.revoked.clone())),
            Asker::Bot => (&cast.owner, Some(self.bot.clone())),
        }
    }

    fn query(&self, person: &Person, path: &str) -> String {
        match path {
            "/v3/direct_messages"
            | "/v3/direct_messages/{message}"
            | "/v3/pinned/direct_messages" => {
                format!("?other_user_id={}", self.cast.tom.id)
            }
            // Text that no message contains.
            "/v3/search/messages" => format!("?q=unsaid&conversation_id={}", self.group.id),
            "/v1/{conversation}/uploadStatus" => format!("?job={}", self.file),
            "/v3/conversations/{conversation}/events/show"
            | "/v3/conversations/{conversation}/events/update"
            | "/v3/conversations/{conversation}/events/delete"
            | "/v3/conversations/{conversation}/events/rsvp"
            | "/v3/conversations/{conversation}/events/rsvp/delete" => {
                format!("?event_id={}&going=true", self.event)
            }
            "/v3/groups/{id}/likes" => "?period=day".to_owned(),
            "/oauth/authorize" => format!("?client_id={}", self.cast.toms_client),
            "/v3/blocks" | "/v3/blocks/between" | "/v3/blocks/delete" => {
                format!("?user={}&otherUser={}", person.id, self.cast.una.id)
            }
            _ => String::new(),
        }
    }

    fn body(&self, person: &Person, path: &str) -> Value {
        let cast = self.cast;
        if path.starts_with("/auth/") || path.starts_with("/oauth/") {
            return cast.account_body(path);
        }
        match path {
            "/v3/access_tokens" => json!({"username": cast.tom.email, "password": PASSWORD}),
            "/v3/verifications/{code}/confirm" => json!({"verification": {"pin": "12345"}}),
            "/v3/poll/{id}" => question(),
            "/v3/conversations/{conversation}/events/create" => climb(),
            "/v3/conversations/{conversation}/events/update" => json!({"name": "Boulder"}),
            "/v3/poll/{id}/{poll}" => json!({"votes": ["2"]}),
            "/v3/drafts/{conversation}" => json!({"text": "rope at"}),
            "/v3/conversations/{conversation}/notifications" => json!({"level": "none"}),
            "/v3/groups" => json!({"name": "Divers"}),
            "/uploads" => json!({"extension": "png"}),
            "/v3/groups/join" => json!({"group_id": self.group.id}),
            "/v3/groups/change_owners" => {
                json!({"requests": [{"group_id": self.group.id, "owner_id": cast.tom.id}]})
            }
            "/v3/groups/{id}/update" => json!({"description": "Ropes"}),
            "/v3/groups/{id}/subgroups" | "/v3/groups/{id}/subgroups/{topic}" => {
                json!({"topic": "Walls"})
            }
            "/v3/groups/{id}/members/add" => {
                json!({"members": [{"nickname": "Una", "user_id": cast.una.id}]})
            }
            "/v3/groups/{id}/invites/email" => json!({"emails": ["zoe@example.net"]}),
            "/v3/groups/{id}/members/{membership}/update" => json!({"role": "admin"}),
            "/v3/groups/{id}/members/{membership}/timeout" => json!({"seconds": 60}),
            "/v3/groups/{id}/members/{membership}/approval" => json!({"approval": true}),
            "/v3/groups/{id}/members/approvals" => {
                json!({"approval": true, "membership_ids": []})
            }
            "/v3/groups/{id}/memberships/update" => json!({"membership": {"nickname": "Me"}}),
            "/v3/groups/{id}/messages" => {
                json!({"message": {"source_guid": fresh_guid(), "text": "here"}})
            }
            "/v3/conversations/{conversation}/read"
            | "/v3/conversations/{conversation}/unread"
            | "/v3/conversations/{conversation}/read_receipt" => {
                json!({"message_id": self.message})
            }
            "/v3/read_receipts" => json!({"receipts": [
                {"conversation_id": self.conversation, "last_read_message_id": self.message}]}),
            "/v3/read_receipts/{conversation}" => json!({"last_read_message_id": self.message}),
            "/v3/groups/{id}/join" => json!({"share_token": self.token}),
            "/v3/users/{user}" => json!({"user": {"name": "Mine"}}),
            "/v3/direct_messages/{user}/messages/{message}" => json!({"text": "rope at seven"}),
            "/v3/direct_messages" => json!({"direct_message": {
                "source_guid": fresh_guid(), "recipient_id": cast.tom.id, "text": "hello"}}),
            "/v3/bots" => json!({"name": "Tides", "group_id": self.group.id}),
            "/v3/bots/post" => json!({"bot_id": self.bot, "text": "rain"}),
            "/v3/bots/destroy" => json!({"bot_id": self.bot}),
            "/v3/groups/{id}/messages/{message}"
            | "/v3/conversations/{conversation}/messages/{message}"
            | "/v3/bots/{bot}/messages/{message}" => json!({"text": "rope at seven"}),
            "/v3/pinned_conversations" | "/v3/conversation_list" => {
                json!({"pinned_conversation_ids": [self.group.id]})
            }
            "/v3/bots/update" => json!({"bot": {"bot_id": self.bot, "name": "Tides"}}),
            "/v3/bots/{bot}/replay" => json!({"state": "dead"}),
            "/v3/users/update" => json!({"name": person.name}),
            "/v3/users/me/settings" => json!({"email_notices": "daily"}),
            "/v3/users/sms_mode" => json!({"duration": 1}),
            "/v3/push/devices" => {
                let keys = SecretKey::from_slice(&[1; 32]).unwrap();
                // Nobody listens there; notices for it are dropped.
                subscription(&keys, "http://127.0.0.1:9/")
            }
            _ => moderation_body(path),
        }
    }
}

/// The body of a request about rules, reports, held messages and appeals; empty for other paths.
fn moderation_body(path: &str) -> Value {
    match path {
        "/v3/groups/{id}/rules" | "/v3/groups/{id}/rules/{rule}" => rule(),
        "/v3/admin/rules" | "/v3/admin/rules/{rule}" => {
            let mut rule = rule();
            rule["reason"] = json!("as agreed");
            rule
        }
        "/v3/groups/{id}/appeals" => json!({"text": "It was a joke."}),
        "/v3/groups/{id}/held/{held}" => json!({"approve": true}),
        "/v3/groups/{id}/rules/test" | "/v3/admin/rules/test" => json!({"text": "cheap ropes"}),
        "/v3/groups/{id}/reports/{report}/resolve" => json!({"action": "dismiss"}),
        "/v3/conversations/{conversation}/messages/{message}/report"
        | "/v3/groups/{id}/report"
        | "/v3/users/{user}/report" => json!({"reason": "spam"}),
        _ => json!({}),
    }
}
