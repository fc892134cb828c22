//! Scopes of tokens: what a token may be used for. A token never allows more than its user may do.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::event::Fact;
use crate::ids::{Conversation, StreamId};
use crate::operators::OperatorRole;
use crate::user::UserFact;

/// One right of a token. The number of a scope is stored in the journal, so it never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Read profiles, blocks and the own settings.
    ProfileRead = 0,
    /// Change the own profile and blocks.
    ProfileWrite = 1,
    /// Read groups and their members.
    GroupsRead = 2,
    /// Create, join and leave groups.
    GroupsWrite = 3,
    /// Manage groups as their owner or admin.
    GroupsManage = 4,
    /// Read what is in groups.
    MessagesRead = 5,
    /// Write in groups.
    MessagesWrite = 6,
    /// Read what is in chats.
    DmsRead = 7,
    /// Write in chats.
    DmsWrite = 8,
    /// Manage the own bots.
    Bots = 9,
    /// Manage the notices of the user and their devices.
    Notices = 10,
    /// Everything about the account: tokens, password, addresses, factors.
    Account = 11,
    /// Read what operators see.
    AdminRead = 12,
    /// Do what moderators do.
    AdminModerate = 13,
    /// Change settings and roles as an admin.
    AdminWrite = 14,
    /// Manage accounts as a directory, through SCIM.
    Scim = 15,
}

impl Scope {
    /// Every scope, in the order of lists.
    pub const ALL: [Self; 16] = [
        Self::ProfileRead,
        Self::ProfileWrite,
        Self::GroupsRead,
        Self::GroupsWrite,
        Self::GroupsManage,
        Self::MessagesRead,
        Self::MessagesWrite,
        Self::DmsRead,
        Self::DmsWrite,
        Self::Bots,
        Self::Notices,
        Self::Account,
        Self::AdminRead,
        Self::AdminModerate,
        Self::AdminWrite,
        Self::Scim,
    ];

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ProfileRead => "profile:read",
            Self::ProfileWrite => "profile:write",
            Self::GroupsRead => "groups:read",
            Self::GroupsWrite => "groups:write",
            Self::GroupsManage => "groups:manage",
            Self::MessagesRead => "messages:read",
            Self::MessagesWrite => "messages:write",
            Self::DmsRead => "dms:read",
            Self::DmsWrite => "dms:write",
            Self::Bots => "bots",
            Self::Notices => "notices",
            Self::Account => "account",
            Self::AdminRead => "admin:read",
            Self::AdminModerate => "admin:moderate",
            Self::AdminWrite => "admin:write",
            Self::Scim => "scim",
        }
    }

    /// The scope as the end of the sentence "It could …", for the page that asks for consent.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::ProfileRead => "read your profile, your blocks and the profiles that you can see",
            Self::ProfileWrite => "change your name, your picture and your blocks",
            Self::GroupsRead => "read your groups and their members",
            Self::GroupsWrite => "create, join, leave and mute groups in your name",
            Self::GroupsManage => "change your groups and their members, as far as you may",
            Self::MessagesRead => "read messages, files, polls and events in your groups",
            Self::MessagesWrite => "write, edit, delete and like in your groups in your name",
            Self::DmsRead => "read your direct messages",
            Self::DmsWrite => "write, edit, delete and like direct messages in your name",
            Self::Bots => "create, change and remove your bots",
            Self::Notices => "change your notifications and the devices that get them",
            Self::Account => "change everything about your account, and delete it",
            Self::AdminRead => "read what you see as an operator of this server",
            Self::AdminModerate => "disable, enable and log out accounts as an operator",
            Self::AdminWrite => "change settings and roles of this server",
            Self::Scim => "create, change and disable accounts of this server as its directory",
        }
    }

    /// The scope with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name)
    }

    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// A set of scopes, stored as the sum of their bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScopeSet(u32);

impl ScopeSet {
    /// Every scope: a log-in, which is the user themselves.
    pub const WHOLE: Self = Self::of(&Scope::ALL);
    /// The scopes of an application that names none, and the most that an application may have.
    pub const APPLICATION: Self = Self::of(&[
        Scope::ProfileRead,
        Scope::ProfileWrite,
        Scope::GroupsRead,
        Scope::GroupsWrite,
        Scope::GroupsManage,
        Scope::MessagesRead,
        Scope::MessagesWrite,
        Scope::DmsRead,
        Scope::DmsWrite,
        Scope::Bots,
        Scope::Notices,
    ]);
    /// The scopes that only operators can use.
    pub const OPERATOR: Self =
        Self::of(&[Scope::AdminRead, Scope::AdminModerate, Scope::AdminWrite, Scope::Scim]);

    /// What the token of an account without the second factor that it must have may still be used for:
    /// setting one up, and the work of a directory, behind which there is no person.
    pub const WITHOUT_FACTOR: Self = Self::of(&[Scope::Account, Scope::Scim]);

    /// The set of these scopes.
    pub const fn of(scopes: &[Scope]) -> Self {
        let mut bits = 0;
        let mut index = 0;
        while index < scopes.len() {
            bits |= scopes[index].bit();
            index += 1;
        }
        Self(bits)
    }

    /// Whether the set has this scope.
    pub const fn has(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// Whether the set has at least one of the other set's scopes.
    pub const fn has_any_of(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the set has no scope.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The set with this scope.
    #[must_use]
    pub const fn with(self, scope: Scope) -> Self {
        Self(self.0 | scope.bit())
    }

    /// The scopes of this set that the other one has too.
    #[must_use]
    pub const fn within(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The scopes of this set that the other one lacks.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The scopes, in the order of lists.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.into_iter().filter(move |scope| self.has(*scope))
    }

    /// The names of the scopes, in the order of lists.
    pub fn names(self) -> Vec<&'static str> {
        self.iter().map(Scope::as_str).collect()
    }

    /// Whether the set shows what is in this conversation.
    pub const fn reads(self, conversation: Conversation) -> bool {
        self.has(match conversation {
            Conversation::Group(_) => Scope::MessagesRead,
            Conversation::Chat(_) => Scope::DmsRead,
        })
    }

    /// Whether the set allows to write in this conversation.
    pub const fn writes(self, conversation: Conversation) -> bool {
        self.has(match conversation {
            Conversation::Group(_) => Scope::MessagesWrite,
            Conversation::Chat(_) => Scope::DmsWrite,
        })
    }

    /// Whether the set shows what is in groups and in chats.
    pub const fn reads_everything(self) -> bool {
        self.has(Scope::MessagesRead) && self.has(Scope::DmsRead)
    }

    /// Whether the set shows an event of this stream to one who may receive it.
    pub fn shows(self, stream: StreamId, fact: &Fact) -> bool {
        let about = fact.user().and_then(UserFact::conversation).or(stream.conversation());
        about.map_or(self.has(Scope::ProfileRead), |conversation| self.reads(conversation))
    }

    /// The scopes that the role of an operator lets somebody use; all others for everybody.
    pub const fn of_role(role: Option<OperatorRole>) -> Self {
        let most = match role {
            Some(OperatorRole::Admin) => Self::OPERATOR,
            Some(OperatorRole::Moderator) => Self::of(&[Scope::AdminRead, Scope::AdminModerate]),
            Some(OperatorRole::Auditor) => Self::of(&[Scope::AdminRead]),
            None => Self::of(&[]),
        };
        Self::WHOLE.without(Self::OPERATOR.without(most))
    }
}

/// The names, with spaces between them (RFC 6749, section 3.3).
impl fmt::Display for ScopeSet {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.names().join(" "))
    }
}

/// The scopes of which a token needs one to receive events or a snapshot.
pub const SHOWN_SCOPES: ScopeSet = ScopeSet::of(&[Scope::MessagesRead, Scope::DmsRead]);

/// A name that no scope has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown scope `{0}`")]
pub struct UnknownScope(pub String);

/// Parses names of scopes.
///
/// # Errors
/// With the first name that no scope has.
pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<ScopeSet, UnknownScope> {
    names.into_iter().try_fold(ScopeSet::default(), |set, name| match Scope::named(name) {
        Some(scope) => Ok(set.with(scope)),
        None => Err(UnknownScope(name.chars().take(NAME_CHARS).collect())),
    })
}

/// Characters of an unknown name that its refusal repeats.
const NAME_CHARS: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sets_have_one_form() {
        for (number, scope) in Scope::ALL.into_iter().enumerate() {
            assert_eq!(scope as usize, number, "{scope}");
            assert_eq!(Scope::named(scope.as_str()), Some(scope));
        }
        assert_eq!(
            parse(["dms:read", "messages:read"]).unwrap().to_string(),
            "messages:read dms:read"
        );
        assert_eq!(parse(["bots", "x"]), Err(UnknownScope("x".to_owned())));
    }

    #[test]
    fn documentation_prints_the_table() {
        let printed = include_str!("../../static/docs/index.html");
        for scope in Scope::ALL {
            let allowed = if ScopeSet::APPLICATION.has(scope) { "yes" } else { "no" };
            let row = format!(
                "<tr><td><code>{scope}</code></td><td>{}</td><td>{allowed}</td>\
                 <td data-scope=\"{scope}\"></td></tr>",
                scope.sentence(),
            );
            assert!(printed.contains(&row), "static/docs/index.html lacks {row}");
        }
        assert_eq!(printed.matches("<td data-scope=").count(), Scope::ALL.len());
        let of_client = include_str!("../../static/js/account/scopes.js");
        let names = Scope::ALL.iter().filter(|scope| {
            let quoted = format!("  \"{scope}\": t(");
            of_client.contains(&quoted) || of_client.contains(&format!("  {scope}: t("))
        });
        assert_eq!(names.count(), Scope::ALL.len());
    }

    #[test]
    fn applications_have_neither_account_nor_operators_scopes() {
        let others = ScopeSet::WHOLE.without(ScopeSet::APPLICATION);
        assert_eq!(others, ScopeSet::OPERATOR.with(Scope::Account));
        assert!(!ScopeSet::APPLICATION.has_any_of(others));
    }
}
