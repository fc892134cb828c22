//! Random acts of five people: everything that changes what somebody sees. Some acts are refused,
//! as in life.

use fastrand::Rng;
use serde_json::{Value, json};

use crate::caller::{Caller, text};
use crate::site::Site;
use crate::waiting::until;

/// The five people, and what they have made so far.
pub(crate) struct Stage {
    /// The five people.
    pub(crate) people: Vec<Caller>,
    pub(crate) groups: Vec<String>,
    /// A web site to whose pages messages link.
    pub(crate) site: Site,
    /// For each message the conversation, as paths name it, and the message's id.
    pub(crate) messages: Vec<(String, String)>,
    bots: Vec<(usize, String)>,
    /// The path of each poll.
    polls: Vec<String>,
    /// For each calendar event the conversation, as paths name it, and the event's id.
    events: Vec<(String, String)>,
    pub(crate) acts: u64,
}

impl Stage {
    /// These people, before anything has happened.
    pub(crate) fn with(people: Vec<Caller>) -> Self {
        Self {
            people,
            groups: Vec::new(),
            site: Site::at("127.0.0.1"),
            messages: Vec::new(),
            bots: Vec::new(),
            polls: Vec::new(),
            events: Vec::new(),
            acts: 0,
        }
    }

    /// One random act of a random person.
    pub(crate) async fn acts(&mut self, random: &mut Rng) {
        self.acts += 1;
        let (who, whom) = (random.usize(..self.people.len()), random.usize(..self.people.len()));
        match random.u8(..100) {
            _ if self.groups.len() < 3 => self.founds(who).await,
            0..3 => self.founds(who).await,
            3..14 => self.says(who, random).await,
            14..17 => self.drafts(who, random).await,
            17..20 => self.sends_files(who, random).await,
            20..23 => self.links(who, random).await,
            23..26 => self.pins(who, random).await,
            26..29 => self.polls(who, random).await,
            29..32 => self.plans(who, random).await,
            32..35 => self.revises(random).await,
            35..47 => self.writes(who, whom).await,
            47..57 => self.likes(who, random).await,
            57..69 => self.marks(who, random).await,
            69..76 => self.adds(who, whom, random).await,
            76..78 => self.removes(who, whom, random).await,
            78..80 => self.changes_roles(who, whom, random).await,
            80..83 => self.rejoins(who, random).await,
            83..88 => self.changes(who, random).await,
            88..91 => self.renames(who, random).await,
            91..93 => self.hands_over(who, whom, random).await,
            93..95 => self.makes_bots(who, random).await,
            95..98 => self.changes_themselves(who, random).await,
            98..99 => self.blocks(who, whom, random).await,
            _ => self.destroys(who, random).await,
        }
    }

    /// Everybody posts at the same time while the server dies, so it is not known which posts were
    /// stored.
    pub(crate) async fn act_at_once(&self, random: &mut Rng) {
        let group = self.group(random);
        let posts = self.people.iter().enumerate().map(|(number, person)| {
            let message =
                json!({"source_guid": format!("k{}-{number}", self.acts), "text": "at once"});
            let path = format!("/v3/groups/{group}/messages");
            async move { person.posts(&path, &json!({"message": message})).await }
        });
        drop(futures_util::future::join_all(posts).await);
    }

    pub(crate) fn group(&self, random: &mut Rng) -> String {
        self.groups[random.usize(..self.groups.len())].clone()
    }

    /// One of the newest messages, with its conversation; None if there are none.
    pub(crate) fn message(&self, random: &mut Rng) -> Option<(String, String)> {
        let newest = self.messages.len().saturating_sub(40)..self.messages.len();
        (!newest.is_empty()).then(|| self.messages[random.usize(newest)].clone())
    }

    pub(crate) async fn does(&self, who: usize, path: &str, body: Value) -> Option<Value> {
        let (status, payload) = self.people[who].posts(path, &body).await.expect("it answers");
        assert!(status < 500, "{path} {body}: {status} {payload}");
        (status < 300).then_some(payload)
    }

    async fn founds(&mut self, who: usize) {
        let body =
            json!({"name": format!("group {}", self.acts), "share": self.acts.is_multiple_of(2)});
        let made = self.does(who, "/v3/groups", body).await.unwrap();
        self.groups.push(text(&made["id"]).to_owned());
    }

    async fn says(&mut self, who: usize, random: &mut Rng) {
        let group = self.group(random);
        let text_of = format!("m{}", self.acts);
        let attachments = self.names(&group, random);
        let message = json!({"source_guid": text_of, "text": text_of, "attachments": attachments});
        let path = format!("/v3/groups/{group}/messages");
        if let Some(said) = self.does(who, &path, json!({"message": message})).await {
            self.messages.push((group, text(&said["message"]["id"]).to_owned()));
        }
    }

    /// Attachments for a new message: now and then a reply to one of the newest messages, and a
    /// mention. Not every person mentioned is in the group, so some messages are refused.
    fn names(&self, group: &str, random: &mut Rng) -> Vec<Value> {
        let mut named = Vec::new();
        let answered = self.message(random).filter(|(of, _)| of == group && random.u8(..3) == 0);
        if let Some((_, id)) = answered {
            named.push(json!({"type": "reply", "reply_id": id}));
        }
        if random.u8(..8) == 0 {
            let whom = &self.people[random.usize(..self.people.len())].id;
            named.push(json!({"type": "mentions", "user_ids": [whom], "loci": [[0, 1]]}));
        }
        named
    }

    async fn writes(&mut self, who: usize, whom: usize) {
        let guid = format!("d{}", self.acts);
        let to = &self.people[whom].id;
        let message = json!({"source_guid": guid, "recipient_id": to, "text": guid});
        let body = json!({"direct_message": message});
        if let Some(said) = self.does(who, "/v3/direct_messages", body).await {
            let message = &said["message"];
            let chat = text(&message["conversation_id"]).to_owned();
            self.messages.push((chat, text(&message["id"]).to_owned()));
        }
    }

    async fn likes(&self, who: usize, random: &mut Rng) {
        let Some((conversation, message)) = self.message(random) else { return };
        let act = if random.u8(..3) == 0 { "unlike" } else { "like" };
        let sign = ["❤️", "🔥", "👍🏽"][random.usize(..3)];
        let body = json!({"like_icon": {"type": "unicode", "code": sign}});
        self.does(who, &format!("/v3/messages/{conversation}/{message}/{act}"), body).await;
    }

    /// Edits or deletes one of the newest messages, by the first person who may.
    async fn revises(&self, random: &mut Rng) {
        let Some((conversation, message)) = self.message(random) else { return };
        let path = format!("/v3/conversations/{conversation}/messages/{message}");
        let change = json!({"text": format!("edited {}", self.acts)});
        let is_deleted = random.u8(..3) == 0;
        for person in &self.people {
            let status = match is_deleted {
                true => person.deletes(&path).await,
                false => person.puts(&path, &change).await.map(|(status, _)| status),
            };
            let status = status.expect("it answers");
            assert!(status < 500, "{path}: {status}");
            if status < 300 {
                return;
            }
        }
    }

    async fn pins(&self, who: usize, random: &mut Rng) {
        let Some((conversation, message)) = self.message(random) else { return };
        let act = if random.u8(..3) == 0 { "unpin" } else { "pin" };
        let path = format!("/v3/conversations/{conversation}/messages/{message}/{act}");
        self.does(who, &path, json!({})).await;
    }

    /// Starts a poll, votes in one, or ends one.
    async fn polls(&mut self, who: usize, random: &mut Rng) {
        let is_new = self.polls.is_empty() || random.u8(..4) == 0;
        if is_new {
            let options = [json!({"title": "six"}), json!({"title": "seven"})];
            let visibility = ["public", "anonymous"][random.usize(..2)];
            let poll = json!({"subject": format!("p{}", self.acts), "options": options,
                "expiration": 4_102_444_800_u64, "type": "multi", "visibility": visibility});
            let group = self.group(random);
            let path = format!("/v3/poll/{group}");
            if let Some(made) = self.does(who, &path, poll).await {
                self.polls.push(format!("{path}/{}", text(&made["poll"]["data"]["id"])));
                self.messages.push((group, text(&made["message"]["id"]).to_owned()));
            }
            return;
        }
        let at = random.usize(..self.polls.len());
        let path = self.polls[at].clone();
        if random.u8(..6) == 0 {
            if self.does(who, &format!("{path}/end"), json!({})).await.is_some() {
                self.polls.swap_remove(at);
            }
            return;
        }
        let votes = [json!(["1"]), json!(["2"]), json!(["1", "2"])][random.usize(..3)].clone();
        self.does(who, &path, json!({"votes": votes})).await;
    }

    /// Creates, answers, changes or cancels a calendar event.
    async fn plans(&mut self, who: usize, random: &mut Rng) {
        let below = |conv: &str, what: &str| format!("/v3/conversations/{conv}/events/{what}");
        if self.events.is_empty() || random.u8(..4) == 0 {
            let conv = match self.message(random).filter(|_| random.bool()) {
                Some((conversation, _)) => conversation,
                None => self.group(random),
            };
            let event = json!({"name": format!("e{}", self.acts), "reminders": [600],
                "start_at": "2100-01-01T18:00:00+01:00", "end_at": "2100-01-01T21:00:00+01:00"});
            if let Some(made) = self.does(who, &below(&conv, "create"), event).await {
                let part = |value: &Value| text(value).to_owned();
                self.messages.push((conv.clone(), part(&made["message"]["id"])));
                self.events.push((conv, part(&made["event"]["event_id"])));
            }
            return;
        }
        let (conv, event) = self.events[random.usize(..self.events.len())].clone();
        let path = |what: &str| format!("{}?event_id={event}", below(&conv, what));
        match random.u8(..8) {
            0 => self.takes_away(who, &path("delete")).await,
            1 => self.takes_away(who, &path("rsvp/delete")).await,
            2 => {
                let change = json!({"name": format!("c{}", self.acts), "description": "rope"});
                self.does(who, &path("update"), change).await;
            }
            _ => {
                let going = random.bool();
                self.does(who, &format!("{}&going={going}", path("rsvp")), json!({})).await;
            }
        }
    }

    async fn takes_away(&self, who: usize, path: &str) {
        let status = self.people[who].deletes(path).await.expect("it answers");
        assert!(status < 500, "{path}: {status}");
    }

    async fn marks(&self, who: usize, random: &mut Rng) {
        let Some((conversation, message)) = self.message(random) else { return };
        let path = format!("/v3/conversations/{conversation}/read");
        self.does(who, &path, json!({"message_id": message})).await;
    }

    async fn adds(&self, who: usize, whom: usize, random: &mut Rng) {
        let group = self.group(random);
        let item = json!({"nickname": format!("N{}", self.acts), "user_id": self.people[whom].id});
        let path = format!("/v3/groups/{group}/members/add");
        let asked = self.does(who, &path, json!({"members": [item]})).await;
        let Some(asked) = asked else { return };
        let results = format!("/v3/groups/{group}/members/results/{}", text(&asked["results_id"]));
        // Waits until the request is settled, so that the next act sees its result.
        let person = &self.people[who];
        until("the members are added", async || person.asks(&results).await != 503).await;
    }

    async fn removes(&self, who: usize, whom: usize, random: &mut Rng) {
        let group = self.group(random);
        let Some(membership) = self.membership(who, whom, &group).await else { return };
        let path = format!("/v3/groups/{group}/members/{membership}/remove");
        self.does(who, &path, json!({})).await;
    }

    async fn changes_roles(&self, who: usize, whom: usize, random: &mut Rng) {
        let group = self.group(random);
        let Some(membership) = self.membership(who, whom, &group).await else { return };
        let role = if random.bool() { "admin" } else { "user" };
        let path = format!("/v3/groups/{group}/members/{membership}/update");
        self.does(who, &path, json!({"role": role})).await;
    }

    /// The membership of a person in a group, as somebody sees it.
    async fn membership(&self, who: usize, whom: usize, group: &str) -> Option<String> {
        let shown = self.people[who].looks(&format!("/v3/groups/{group}")).await?;
        let members = shown["members"].as_array().unwrap();
        let member = members.iter().find(|it| it["user_id"] == self.people[whom].id.as_str());
        member.map(|member| text(&member["id"]).to_owned())
    }

    async fn rejoins(&self, who: usize, random: &mut Rng) {
        let group = self.group(random);
        self.does(who, "/v3/groups/join", json!({"group_id": group})).await;
    }

    async fn changes(&self, who: usize, random: &mut Rng) {
        let change = match random.u8(..4) {
            0 => json!({"name": format!("name {}", self.acts)}),
            1 => json!({"description": format!("about {}", self.acts)}),
            2 => json!({"share": random.bool()}),
            _ => match random.u8(..6) {
                0 => json!({"group_type": "announcement"}),
                1 => json!({"office_mode": true}),
                _ => json!({"group_type": "private"}),
            },
        };
        let path = format!("/v3/groups/{}/update", self.group(random));
        self.does(who, &path, change).await;
    }

    async fn renames(&self, who: usize, random: &mut Rng) {
        let membership = json!({"nickname": format!("nick {}", self.acts)});
        let path = format!("/v3/groups/{}/memberships/update", self.group(random));
        self.does(who, &path, json!({"membership": membership})).await;
    }

    async fn hands_over(&self, who: usize, whom: usize, random: &mut Rng) {
        let request = json!({"group_id": self.group(random), "owner_id": self.people[whom].id});
        self.does(who, "/v3/groups/change_owners", json!({"requests": [request]})).await;
    }

    async fn makes_bots(&mut self, who: usize, random: &mut Rng) {
        if let Some((maker, bot)) = self.bots.pop() {
            self.does(maker, "/v3/bots/destroy", json!({"bot_id": bot})).await;
            return;
        }
        let body = json!({"name": format!("bot {}", self.acts), "group_id": self.group(random)});
        if let Some(made) = self.does(who, "/v3/bots", body).await {
            let bot = text(&made["bot_id"]).to_owned();
            self.does(who, "/v3/bots/post", json!({"bot_id": bot, "text": "beep"})).await;
            self.bots.push((who, bot));
        }
    }

    async fn changes_themselves(&self, who: usize, random: &mut Rng) {
        match random.u8(..6) {
            5 => {
                // Few numbers, so that people want numbers that others have.
                let number = random.u8(..4);
                let change = match number {
                    0 => json!({"phone_number": null}),
                    _ => json!({"phone_number": format!("+1 555 010 010{number}")}),
                };
                self.does(who, "/v3/users/update", change).await;
            }
            0 => {
                let change = json!({"zip_code": format!("{}", self.acts)});
                self.does(who, "/v3/users/update", change).await;
            }
            1 | 2 => {
                let change = json!({"name": format!("Name {}", self.acts)});
                self.does(who, "/v3/users/update", change).await;
            }
            3 => drop(self.does(who, "/v3/users/sms_mode", json!({"duration": 48})).await),
            _ => drop(self.does(who, "/v3/users/sms_mode/delete", json!({})).await),
        }
    }

    async fn blocks(&self, who: usize, whom: usize, random: &mut Rng) {
        let act = if random.bool() { "" } else { "/delete" };
        let (one, other) = (&self.people[who].id, &self.people[whom].id);
        let path = format!("/v3/blocks{act}?user={one}&otherUser={other}");
        self.does(who, &path, json!({})).await;
    }

    async fn destroys(&mut self, who: usize, random: &mut Rng) {
        let at = random.usize(..self.groups.len());
        let path = format!("/v3/groups/{}/destroy", self.groups[at]);
        if self.does(who, &path, json!({})).await.is_some() {
            self.groups.swap_remove(at);
        }
    }
}
