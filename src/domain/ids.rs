//! Ids. Every kind is a type of its own, so that a user can never be taken for a group. As text,
//! ids of these types are decimal numbers, except those of bots, applications and names.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The text is no id of the expected kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("is not an id")]
pub struct NotAnId;

macro_rules! numeric_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(u64);

        impl $name {
            /// Wraps a number that is known to be such an id.
            pub const fn new(raw: u64) -> Self {
                Self(raw)
            }

            /// The number, for keys and arithmetic.
            pub const fn get(self) -> u64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(out)
            }
        }

        impl FromStr for $name {
            type Err = NotAnId;

            fn from_str(text: &str) -> Result<Self, NotAnId> {
                decimal(text).map(Self)
            }
        }
    };
}

numeric_id! {
    /// The id of an account. Never reused.
    UserId
}
numeric_id! {
    /// The id of a group. Never reused.
    GroupId
}
numeric_id! {
    /// The id of one stay of a user in a group; used in the path of a removal.
    MembershipId
}
numeric_id! {
    /// The id of a message, unique in the installation. Its first ten digits are the second in
    /// which it was written, so ids sort by time.
    MessageId
}
numeric_id! {
    /// The id of a mail, unique among those of its user.
    MailId
}
numeric_id! {
    /// The id of a poll: the number of the message that carries it.
    PollId
}
numeric_id! {
    /// The id of a calendar event: the number of the message that carries it.
    CalendarEventId
}
numeric_id! {
    /// The id of a report of a message, unique in its group; later reports have larger ids.
    ReportId
}
numeric_id! {
    /// The id of a rule of a group, unique in its group; later rules have larger ids.
    RuleId
}
numeric_id! {
    /// The id of an invite link of a group, unique in its group; later links have larger ids.
    InviteLinkId
}
numeric_id! {
    /// The id of an invitation of the operators; later ones have larger ids.
    InvitationId
}
numeric_id! {
    /// The id of a held message: that of the message that it would have been.
    HeldId
}
numeric_id! {
    /// The id of a request to add people to a group.
    AddId
}
numeric_id! {
    /// The id of a callback delivery, unique among those of its bot.
    DeliveryId
}
numeric_id! {
    /// The id of a group of a directory (SCIM). Never reused.
    DirectoryGroupId
}
numeric_id! {
    /// The id of an access token; not the token itself.
    TokenId
}

/// The id of an application that may ask people for tokens. It is public, but cannot be guessed, so
/// that nobody finds applications by counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClientId([u8; 16]);

impl ClientId {
    /// Makes an id of random bytes.
    pub const fn new(raw: [u8; 16]) -> Self {
        Self(raw)
    }

    /// The bytes, for keys.
    pub const fn bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for ClientId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl FromStr for ClientId {
    type Err = NotAnId;

    /// Accepts exactly what [`Display`](fmt::Display) writes.
    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() != 32 || !text.bytes().all(is_hex) {
            return Err(NotAnId);
        }
        let number = u128::from_str_radix(text, 16).map_err(|_| NotAnId)?;
        Ok(Self(number.to_be_bytes()))
    }
}

/// The id of the stream of an email address or a phone number: a hash of the name (see
/// [`crate::name`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NameId([u8; 16]);

impl NameId {
    /// Wraps a finished hash.
    pub const fn new(raw: [u8; 16]) -> Self {
        Self(raw)
    }

    /// The bytes, for keys.
    pub const fn bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for NameId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl MessageId {
    /// The number of message ids in one second.
    pub const PER_SECOND: u64 = 100_000_000;

    /// The Unix second in which the message was written, unless the clock had gone back (see
    /// `Message::written_at`).
    pub const fn second(self) -> u64 {
        self.0 / Self::PER_SECOND
    }
}

/// Parses digits only: no sign, no space, no overflow.
fn decimal(text: &str) -> Result<u64, NotAnId> {
    let digits_only = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits_only { text.parse().map_err(|_| NotAnId) } else { Err(NotAnId) }
}

/// The two people of a chat, smaller id first. They are never the same person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Pair {
    low: UserId,
    high: UserId,
}

impl Pair {
    /// Makes a pair in order; `None` if both are the same person.
    pub fn of(one: UserId, other: UserId) -> Option<Self> {
        (one != other).then(|| Self { low: one.min(other), high: one.max(other) })
    }

    /// The smaller id.
    pub const fn low(self) -> UserId {
        self.low
    }

    /// The larger id.
    pub const fn high(self) -> UserId {
        self.high
    }

    /// The other person of the pair; `None` if `user` is not in it.
    pub fn other(self, user: UserId) -> Option<UserId> {
        match user {
            user if user == self.low => Some(self.high),
            user if user == self.high => Some(self.low),
            _ => None,
        }
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}+{}", self.low, self.high)
    }
}

impl FromStr for Pair {
    type Err = NotAnId;

    /// Parses the ids in either order. Accepts a space for the plus, since form decoders turn a
    /// plus into a space.
    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let (one, other) = text.split_once(['+', ' ']).ok_or(NotAnId)?;
        Self::of(one.parse()?, other.parse()?).ok_or(NotAnId)
    }
}

/// A conversation: a group, or the chat of two people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Conversation {
    /// A group.
    Group(GroupId),
    /// A chat.
    Chat(Pair),
}

impl fmt::Display for Conversation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Group(id) => id.fmt(out),
            Self::Chat(pair) => pair.fmt(out),
        }
    }
}

impl From<GroupId> for Conversation {
    fn from(id: GroupId) -> Self {
        Self::Group(id)
    }
}

impl From<Pair> for Conversation {
    fn from(pair: Pair) -> Self {
        Self::Chat(pair)
    }
}

impl From<Conversation> for StreamId {
    fn from(conversation: Conversation) -> Self {
        match conversation {
            Conversation::Group(id) => Self::Group(id),
            Conversation::Chat(pair) => Self::Chat(pair),
        }
    }
}

impl StreamId {
    /// The conversation whose stream this is, if it is one.
    pub const fn conversation(self) -> Option<Conversation> {
        match self {
            Self::Group(id) => Some(Conversation::Group(id)),
            Self::Chat(pair) => Some(Conversation::Chat(pair)),
            Self::User(_) | Self::Callbacks | Self::Audit | Self::Name(_) | Self::Instance => None,
        }
    }
}

/// An ordered sequence of events: of a group, a chat, a user, the callbacks, the audit log, an
/// email address or phone number, or the installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum StreamId {
    /// `g:<id>`
    Group(GroupId),
    /// `d:<low>+<high>`
    Chat(Pair),
    /// `u:<id>`
    User(UserId),
    /// `b`: the state of all callback deliveries of the installation.
    Callbacks,
    /// `a:log`: the audit log of the installation.
    Audit,
    /// `n:<hash>`: the claims of an email address or a phone number.
    Name(NameId),
    /// `i:settings`: the settings of the installation.
    Instance,
}

impl fmt::Display for StreamId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Group(id) => write!(out, "g:{id}"),
            Self::Chat(pair) => write!(out, "d:{pair}"),
            Self::User(id) => write!(out, "u:{id}"),
            Self::Callbacks => out.write_str("b"),
            Self::Audit => out.write_str("a:log"),
            Self::Name(id) => write!(out, "n:{id}"),
            Self::Instance => out.write_str("i:settings"),
        }
    }
}

impl FromStr for StreamId {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        match text.split_once(':').ok_or(NotAnId)? {
            ("g", id) => id.parse().map(Self::Group),
            ("d", pair) => pair.parse().map(Self::Chat),
            ("u", id) => id.parse().map(Self::User),
            ("a", "log") => Ok(Self::Audit),
            ("i", "settings") => Ok(Self::Instance),
            ("n", hash) => hash.parse().map(|id: ClientId| Self::Name(NameId(id.0))),
            _ => Err(NotAnId),
        }
    }
}

/// The id of a bot, which is also the secret with which it posts: 26 letters and digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BotId(String);

impl BotId {
    /// Wraps the text of a bot's id.
    pub const fn new(raw: String) -> Self {
        Self(raw)
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BotId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_the_same_from_both_sides() {
        let pair: Pair = "12+9".parse().unwrap();
        assert_eq!(pair.to_string(), "9+12");
        assert_eq!(pair, "9 12".parse().unwrap());
        assert_eq!(pair.other(UserId::new(9)), Some(UserId::new(12)));
        assert_eq!(pair.other(UserId::new(7)), None);
    }

    #[test]
    fn nobody_talks_to_themselves() {
        assert_eq!("7+7".parse::<Pair>(), Err(NotAnId));
    }

    #[test]
    fn ids_are_digits_and_nothing_else() {
        for text in ["", "+1", "-1", " 1", "1.0", "x", "18446744073709551616"] {
            assert_eq!(text.parse::<UserId>(), Err(NotAnId), "{text:?}");
        }
        assert_eq!("007".parse(), Ok(UserId::new(7)));
    }

    #[test]
    fn streams_are_written_as_they_are_read() {
        const NAME: &str = "n:00112233445566778899aabbccddeeff";
        for text in ["g:10000001", "d:1+2", "u:3", "a:log", NAME] {
            assert_eq!(text.parse::<StreamId>().unwrap().to_string(), text);
        }
        assert!("r:1".parse::<StreamId>().is_err());
    }
}
