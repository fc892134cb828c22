//! The people of the scenario, and the groups that some of them form.

use std::net::SocketAddr;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{LANES, RunError};
use crate::http::request;
use crate::world::people::{Person, add_members, register};
use crate::world::rest::{Api, CallError};

/// The most members that one request adds.
const ADDED_AT_ONCE: usize = 1000;

/// Registered people.
#[derive(Debug)]
pub(super) struct Crew {
    pub(super) people: Vec<Person>,
}

/// A group that can be joined by its share link.
#[derive(Debug, Clone)]
pub(super) struct Founded {
    pub(super) id: String,
    pub(super) share_token: String,
}

impl Crew {
    /// Takes the people from the file, if there is one, and registers those that are missing.
    pub(super) async fn gather(
        addr: SocketAddr,
        run: u32,
        count: usize,
        file: Option<&Path>,
    ) -> Result<Self, RunError> {
        let mut people: Vec<Person> = match file.filter(|file| file.exists()) {
            Some(file) => serde_json::from_slice(&std::fs::read(file)?)
                .map_err(|error| RunError::Size(format!("{}: {error}", file.display())))?,
            None => Vec::new(),
        };
        let mut registering = JoinSet::new();
        for lane in 0..LANES {
            let numbers = (people.len()..count).skip(lane).step_by(LANES);
            registering.spawn(async move {
                let (mut api, mut registered) = (Api::new(addr), Vec::new());
                for number in numbers {
                    registered.push(register(&mut api, run, number).await?);
                }
                Ok::<_, CallError>(registered)
            });
        }
        while let Some(registered) = registering.join_next().await {
            people.extend(registered.map_err(std::io::Error::other)??);
        }
        if let Some(file) = file {
            let list = serde_json::to_vec(&people).map_err(std::io::Error::other)?;
            std::fs::write(file, list)?;
        }
        Ok(Self { people })
    }

    /// Creates a group of the first `size` people; the first is its owner.
    pub(super) async fn found(&self, addr: SocketAddr, size: usize) -> Result<Founded, CallError> {
        #[derive(Deserialize)]
        struct Created {
            id: String,
            share_url: String,
        }
        let (mut api, owner) = (Api::new(addr), &self.people[0].token);
        let body = json!({ "name": format!("growth {size}"), "share": true });
        let created: Created = api.post("/v3/groups", owner, &body).await?.response(201)?;
        let others: Vec<Value> = self.people[1..size]
            .iter()
            .map(|person| json!({ "nickname": "member", "user_id": person.id }))
            .collect();
        for some in others.chunks(ADDED_AT_ONCE) {
            add_members(&mut api, &created.id, owner, some).await?;
        }
        let share_token = created.share_url.rsplit('/').next().unwrap_or_default().to_owned();
        Ok(Founded { id: created.id, share_token })
    }

    pub(super) fn token(&self, place: usize) -> &str {
        &self.people[place].token
    }
}

impl Founded {
    /// Builds the post of a message of 200 letters.
    pub(super) fn post(&self, addr: SocketAddr, token: &str, guid: &str) -> Vec<u8> {
        let text = request::text_of(200, guid);
        let body = json!({ "message": { "source_guid": guid, "text": text } });
        request::post(addr, &format!("/v3/groups/{}/messages", self.id), token, &body.to_string())
    }
}
