//! Subscribing: checks the token and whether the caller may receive the channels, and from which
//! cursor on events are sent.

use serde_json::{Value, json};

use crate::bayeux::CHANNELS;
use crate::bayeux::channels::ClientChannel;
use crate::bayeux::feed::{Feed, TypeSet};
use crate::bayeux::message::{BayeuxTrouble, Incoming};
use crate::bayeux::session::Session;
use auth::keyring::TokenOwner;
use domain::scopes::SHOWN_SCOPES;
use wire::old_form::MessageForm;

impl Session {
    /// `/meta/subscribe`: subscribes to all channels of the message or to none. A refused message
    /// has no effect on the caller and the subscriptions.
    pub(super) async fn subscribe(&mut self, message: &Incoming) -> Result<Value, BayeuxTrouble> {
        let caller = self.caller_of(message).await?;
        let names = message.subscription().filter(|names| !names.is_empty());
        let names = names.ok_or_else(|| BayeuxTrouble::missing("subscription"))?;
        let channels: Vec<(&str, ClientChannel)> = names
            .into_iter()
            .map(|name| Ok((name, ClientChannel::parse(name)?)))
            .collect::<Result<_, BayeuxTrouble>>()?;
        if self.feed.subscriptions().len() + channels.len() > CHANNELS {
            return Err(BayeuxTrouble::new(429, "", "Too many channels"));
        }
        for (_, channel) in &channels {
            let is_own = self.feed.belongs_to(&caller, *channel).await;
            if !is_own.map_err(|fault| BayeuxTrouble::fault(&fault))? {
                return Err(forbidden(message));
            }
        }
        let types = match message.ext("types") {
            Some("all") => TypeSet::All,
            Some(_) | None => TypeSet::Original,
        };
        let was_open = self.feed.caller().is_some();
        let is_honoured = self.listen(caller, message.ext("after")).await?;
        if let Err(trouble) = self.add_all(message, channels, types).await {
            // The user was removed from a conversation just now.
            if !was_open {
                self.feed.end();
            }
            return Err(trouble);
        }
        self.place.claim(caller.user);
        let mut reply = message.succeeds();
        if self.context.form == MessageForm::Old && message.ext("after").is_none() {
            return Ok(reply);
        }
        reply["ext"] = json!({"c": self.feed.cursor()});
        if !is_honoured {
            reply["ext"]["reset"] = json!("unknown");
        }
        Ok(reply)
    }

    /// Adds all of these channels or none.
    async fn add_all(
        &mut self,
        message: &Incoming,
        channels: Vec<(&str, ClientChannel)>,
        types: TypeSet,
    ) -> Result<(), BayeuxTrouble> {
        let mut added = Vec::new();
        for (name, channel) in channels {
            if self.feed.has(name) {
                self.feed.set_types(name, types);
                continue;
            }
            added.push(name);
            let trouble = match self.feed.add(name, channel, types).await {
                Ok(true) => continue,
                Ok(false) => forbidden(message),
                Err(fault) => BayeuxTrouble::fault(&fault),
            };
            for name in added {
                self.feed.remove(name).await;
            }
            return Err(trouble);
        }
        Ok(())
    }

    /// `/meta/unsubscribe`
    pub(super) async fn unsubscribe(&mut self, message: &Incoming) -> Result<Value, BayeuxTrouble> {
        let names = message.subscription().ok_or_else(|| BayeuxTrouble::missing("subscription"))?;
        for name in names {
            self.feed.remove(name).await;
        }
        Ok(message.succeeds())
    }

    /// Opens the feed, or moves it back to an earlier cursor. Returns whether that goes back as far
    /// as the client asked.
    async fn listen(
        &mut self,
        caller: TokenOwner,
        after: Option<&str>,
    ) -> Result<bool, BayeuxTrouble> {
        let opened = match (self.feed.caller(), after) {
            (None, after) => self.feed.begin(caller, after).await,
            (Some(_), Some(after)) => self.feed.reach_back(after).await,
            (Some(_), None) => Ok(true),
        };
        opened.map_err(BayeuxTrouble::of_close)
    }

    /// The caller by the token in a message. A client is bound to the token of its first
    /// subscription.
    pub(super) async fn caller_of(&self, message: &Incoming) -> Result<TokenOwner, BayeuxTrouble> {
        let known = self.feed.caller();
        let refused = |why| Err(BayeuxTrouble::new(403, "access_token", why));
        let Some(token) = message.ext("access_token") else {
            return known.copied().map_or_else(|| refused("No access token in ext"), Ok);
        };
        let found = self.context.shared.keyring.caller(token).await;
        match (found.map_err(|fault| BayeuxTrouble::fault(&fault))?, known) {
            (None, _) => refused("The access token does not work"),
            (Some(caller), Some(known)) if known.token != caller.token => {
                refused("This client belongs to another access token")
            }
            (Some(caller), _) if !caller.scopes.has_any_of(SHOWN_SCOPES) => {
                refused("The access token lacks messages:read or dms:read")
            }
            (Some(caller), _) => Ok(caller),
        }
    }
}

fn forbidden(message: &Incoming) -> BayeuxTrouble {
    let names = message.subscription().unwrap_or_default().join(",");
    BayeuxTrouble::new(403, names.chars().take(100).collect::<String>(), "Forbidden channel")
}

impl Feed {
    /// Whether there is a subscription of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.subscriptions().iter().any(|it| it.name == name)
    }
}
