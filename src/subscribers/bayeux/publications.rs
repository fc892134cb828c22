//! Publishing: clients can only send a ping and that they type. Everything else goes through REST.

use std::sync::Arc;

use serde_json::Value;

use crate::bayeux::channels::ClientChannel;
use crate::bayeux::message::{BayeuxTrouble, Incoming};
use crate::bayeux::session::Session;
use crate::bayeux::translate;
use crate::client_requests::{self, ClientRequest};
use auth::keyring::TokenOwner;

impl Session {
    /// Answers a message on a channel: its reply, and the echo of a ping.
    pub(super) async fn publish(
        &mut self,
        message: &Incoming,
        channel: ClientChannel,
    ) -> Result<Vec<Value>, BayeuxTrouble> {
        let caller = self.caller_of(message).await?;
        let data = message.field("data");
        let kind = data.and_then(|data| data.get("type")).and_then(Value::as_str);
        let is_heard = self.feed.has(message.channel());
        let forbidden = |why| Err(BayeuxTrouble::new(403, message.channel(), why));
        match (kind, channel) {
            // Some clients answer a ping with a message without data.
            (None, _) if data.is_none() && is_heard => Ok(vec![message.succeeds()]),
            (Some("ping"), _) if is_heard || channel == ClientChannel::User(caller.user) => {
                self.spoke();
                let echo = self.feed.unlogged(message.channel(), &translate::ping().data);
                Ok(vec![message.succeeds(), echo])
            }
            // The caller types, whichever user the message names.
            (Some("typing"), ClientChannel::Conversation(conversation)) => {
                let request = ClientRequest::Type(conversation);
                match self.is_granted(caller, request).await {
                    true => Ok(vec![message.succeeds()]),
                    false => forbidden("Forbidden channel"),
                }
            }
            _ => forbidden("Only ping and typing can be published"),
        }
    }

    async fn is_granted(&self, caller: TokenOwner, request: ClientRequest) -> bool {
        // A refusal is answered with a frame.
        client_requests::grant(Arc::clone(&self.context.shared), caller, request)
            .await
            .frames
            .is_empty()
    }
}
