//! The channels that exist, and their names. Wildcards are refused.

use std::str::FromStr;

use crate::bayeux::message::BayeuxTrouble;
use domain::ids::{Conversation, GroupId, Pair, UserId};

/// A channel that a message may be on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Channel {
    /// `/meta/handshake`
    Handshake,
    /// `/meta/connect`
    Connect,
    /// `/meta/subscribe`
    Subscribe,
    /// `/meta/unsubscribe`
    Unsubscribe,
    /// `/meta/disconnect`
    Disconnect,
    /// A channel that can be subscribed to.
    ClientChannel(ClientChannel),
}

/// A channel that can be subscribed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClientChannel {
    /// `/user/<id>`: everything that the user's phone would be notified of.
    User(UserId),
    /// `/group/<id>`, `/direct_message/<a>_<b>`: typing and likes of all members.
    Conversation(Conversation),
}

impl Channel {
    /// Parses the name of a channel.
    pub(super) fn parse(name: &str) -> Result<Self, BayeuxTrouble> {
        match name {
            "" => Err(BayeuxTrouble::missing("channel")),
            "/meta/handshake" => Ok(Self::Handshake),
            "/meta/connect" => Ok(Self::Connect),
            "/meta/subscribe" => Ok(Self::Subscribe),
            "/meta/unsubscribe" => Ok(Self::Unsubscribe),
            "/meta/disconnect" => Ok(Self::Disconnect),
            _ => ClientChannel::parse(name).map(Self::ClientChannel),
        }
    }
}

impl ClientChannel {
    /// The conversation of the channel; `None` for a user's channel.
    pub(super) const fn conversation(self) -> Option<Conversation> {
        match self {
            Self::User(_) => None,
            Self::Conversation(conversation) => Some(conversation),
        }
    }

    /// Parses the name of a channel that can be subscribed to.
    pub(super) fn parse(name: &str) -> Result<Self, BayeuxTrouble> {
        let shown: String = name.chars().take(100).collect();
        let invalid = || BayeuxTrouble::new(405, shown.clone(), "Invalid channel");
        if name.contains('*') || name.starts_with("/meta/") || name.starts_with("/service/") {
            return Err(BayeuxTrouble::new(403, shown, "Forbidden channel"));
        }
        let (kind, rest) =
            name.strip_prefix('/').and_then(|it| it.split_once('/')).ok_or_else(invalid)?;
        let channel = match kind {
            "user" => rest.parse().ok().map(Self::User),
            "group" => GroupId::from_str(rest).ok().map(|id| Self::Conversation(id.into())),
            "direct_message" => pair(rest).map(|pair| Self::Conversation(pair.into())),
            _ => None,
        };
        channel.ok_or_else(invalid)
    }
}

fn pair(text: &str) -> Option<Pair> {
    let (one, other) = text.split_once('_')?;
    Pair::of(one.parse().ok()?, other.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_channel_kinds_parse() {
        assert_eq!(ClientChannel::parse("/user/7"), Ok(ClientChannel::User(UserId::new(7))));
        let group = Conversation::Group(GroupId::new(7));
        assert_eq!(ClientChannel::parse("/group/7"), Ok(ClientChannel::Conversation(group)));
        let chat = Conversation::Chat(Pair::of(UserId::new(3), UserId::new(7)).unwrap());
        for name in ["/direct_message/3_7", "/direct_message/7_3"] {
            assert_eq!(ClientChannel::parse(name), Ok(ClientChannel::Conversation(chat)));
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for (name, code) in [
            ("/user/*", 403),
            ("/**", 403),
            ("/meta/connect/x", 403),
            ("/service/x", 403),
            ("/user/", 405),
            ("/user/x", 405),
            ("/group/7/x", 405),
            ("/direct_message/3+7", 405),
            ("/direct_message/3_3", 405),
            ("user/7", 405),
            ("/", 405),
        ] {
            assert_eq!(Channel::parse(name).unwrap_err().code, code, "{name}");
        }
        assert_eq!(Channel::parse("").unwrap_err().code, 402);
    }
}
