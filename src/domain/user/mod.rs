//! A user: the account, its profile, its keys and its applications.
//!
//! State and what each fact does to it. Tokens are known by their hash only.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::attachment::ImageRef;
use crate::domain::group::Contact;
use crate::domain::ids::{ClientId, Conversation, Pair, TokenId, UserId};
use crate::domain::notices::NoticeLevel;
use crate::domain::text::{Email, Phone, UserName};
use crate::domain::time::Timestamp;

mod account_status;
mod applications;
mod blocks;
mod deleting;
mod devices;
mod drafts;
mod flood;
mod keys;
mod notices;
mod password;
mod pinned;
mod profile;
mod reading;
#[cfg(test)]
mod testing;

pub use applications::{Application, ApplicationName, ApplicationRefusal, RedirectUrl};
pub use blocks::{Block, BlockRefusal};
pub use deleting::DeleteRefusal;
pub use devices::{Device, DeviceRefusal};
pub use drafts::Draft;
pub use flood::{Acquaintance, Flood, FloodLimits, Pace};
pub use keys::{DeadToken, IssueRefusal, LogoutRefusal, TokenHash, TokenRecord};
pub use password::PasswordRefusal;
pub use profile::{PhoneChange, ProfileChange, SmsMode};
pub use reading::{ReadByRefusal, ReadMark, ReadRefusal, Unread, UpTo};

/// What a user tells about themselves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// What they are called.
    pub name: UserName,
    /// Where they log in with.
    pub email: Email,
    /// How to reach them by SMS.
    pub phone: Option<Phone>,
    /// Their picture.
    #[serde(default)]
    pub image: Option<ImageRef>,
    /// Where they live, as far as they said.
    #[serde(default)]
    pub zip_code: Option<String>,
}

impl Profile {
    /// The names in it that only one account may have.
    pub fn contacts(&self) -> impl Iterator<Item = Contact> {
        let phone = self.phone.as_ref().map(Contact::from);
        std::iter::once(Contact::from(&self.email)).chain(phone)
    }

    /// Those names in it that another profile does not have.
    pub fn contacts_beyond(&self, other: &Self) -> Vec<Contact> {
        let known: Vec<Contact> = other.contacts().collect();
        self.contacts().filter(|contact| !known.contains(contact)).collect()
    }

    /// Whether both show the same public profile: the name and the picture that others see.
    pub fn looks_like(&self, other: &Self) -> bool {
        self.name == other.name && self.image == other.image
    }
}

/// A fact about one user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum UserFact {
    /// The account exists.
    Registered {
        /// Who they say they are.
        profile: Profile,
        /// Argon2id in PHC form; never the password.
        password: String,
    },
    /// The profile is another one now.
    ProfileChanged {
        /// All of it.
        profile: Profile,
    },
    /// A token works from now on.
    TokenIssued(TokenRecord),
    /// A token is dead.
    TokenRevoked {
        /// The token.
        id: TokenId,
        /// Its hash, so that the index finds its row.
        hash: TokenHash,
    },
    /// Messages go out by SMS until then.
    SmsModeOn(SmsMode),
    /// They do no more.
    SmsModeOff,
    /// The user wants no direct messages from somebody.
    Blocked {
        /// From whom.
        other: UserId,
    },
    /// A block is over.
    Unblocked {
        /// Who may write again.
        other: UserId,
        /// Since when they were blocked.
        since: Timestamp,
    },
    /// Notices reach the user there from now on.
    DeviceAdded(Device),
    /// They do so no more.
    DeviceRemoved {
        /// Where.
        id: String,
    },
    /// A conversation is read up to here.
    ReadUpTo(ReadMark),
    /// Many tokens are dead at once.
    TokensRevoked {
        /// The tokens that end, with their hashes.
        tokens: Vec<DeadToken>,
    },
    /// A token is in use: noted once a day at most.
    TokenUsed {
        /// The token.
        id: TokenId,
    },
    /// Another password counts from now on.
    PasswordChanged {
        /// Argon2id in PHC form; never the password.
        password: String,
    },
    /// An application may ask people for tokens.
    ApplicationRegistered(Application),
    /// Applications are gone, and with them every token that was given to them, whoever
    /// gave it.
    ApplicationsRemoved {
        /// The applications.
        clients: Vec<ClientId>,
    },
    /// The account is gone. Its name stays beside what it wrote.
    Deleted,
    /// An operator shut the account: it cannot log in.
    Disabled,
    /// It may log in again.
    Enabled,
    /// These conversations are pinned, in this order, and no others.
    ConversationsPinned {
        /// The conversations.
        conversations: Vec<Conversation>,
    },
    /// What is written in a conversation and not sent; an empty one is the end of it.
    Drafted {
        /// Where.
        conv: Conversation,
        /// What.
        draft: Draft,
    },
    /// Of what in a conversation the user wants notices.
    LevelSet {
        /// Where.
        conv: Conversation,
        /// Of what.
        level: NoticeLevel,
    },
    /// The user wants no notices of this chat until then; nothing ends that.
    ChatMuted {
        /// Which chat.
        chat: Pair,
        /// Until when.
        until: Option<Timestamp>,
    },
    /// The user wants no notices of any conversation until then; nothing ends that.
    AllMuted {
        /// Until when.
        until: Option<Timestamp>,
    },
}

impl UserFact {
    /// Whether the user's own readers hear of it (see [`crate::domain::event::Fact::is_audible`]).
    pub fn is_audible(&self) -> bool {
        match self {
            Self::ProfileChanged { .. }
            | Self::SmsModeOn(_)
            | Self::SmsModeOff
            | Self::Blocked { .. }
            | Self::Unblocked { .. }
            | Self::ReadUpTo(_)
            | Self::Drafted { .. }
            | Self::LevelSet { .. }
            | Self::ChatMuted { .. }
            | Self::AllMuted { .. } => true,
            Self::Registered { .. }
            | Self::TokenIssued(_)
            | Self::TokenRevoked { .. }
            | Self::DeviceAdded(_)
            | Self::DeviceRemoved { .. }
            | Self::TokensRevoked { .. }
            | Self::TokenUsed { .. }
            | Self::PasswordChanged { .. }
            | Self::ApplicationRegistered(_)
            | Self::ApplicationsRemoved { .. }
            | Self::Deleted
            | Self::Disabled
            | Self::Enabled
            | Self::ConversationsPinned { .. } => false,
        }
    }

    /// Whether it is written even where there is hardly any room left: what lets somebody
    /// in, or keeps somebody out.
    pub const fn is_vital(&self) -> bool {
        match self {
            Self::TokenIssued(_)
            | Self::TokenRevoked { .. }
            | Self::TokensRevoked { .. }
            | Self::PasswordChanged { .. }
            | Self::Disabled
            | Self::Enabled
            | Self::DeviceRemoved { .. } => true,
            Self::Registered { .. }
            | Self::ProfileChanged { .. }
            | Self::SmsModeOn(_)
            | Self::SmsModeOff
            | Self::Blocked { .. }
            | Self::Unblocked { .. }
            | Self::ReadUpTo(_)
            | Self::Drafted { .. }
            | Self::LevelSet { .. }
            | Self::ChatMuted { .. }
            | Self::AllMuted { .. }
            | Self::DeviceAdded(_)
            | Self::TokenUsed { .. }
            | Self::ApplicationRegistered(_)
            | Self::ApplicationsRemoved { .. }
            | Self::Deleted
            | Self::ConversationsPinned { .. } => false,
        }
    }
}

/// One account, as its room knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// Who.
    pub id: UserId,
    /// What they tell about themselves.
    pub profile: Profile,
    /// Argon2id in PHC form.
    pub password: String,
    /// When the account began.
    pub created_at: Timestamp,
    /// When the profile last changed.
    pub updated_at: Timestamp,
    /// Until when messages go out by SMS, if it was switched on.
    pub sms: Option<SmsMode>,
    /// Tokens that work.
    pub tokens: BTreeMap<TokenId, TokenRecord>,
    /// Applications that they registered.
    pub applications: BTreeMap<ClientId, Application>,
    /// Since when an operator keeps the account shut, if one does.
    pub disabled_at: Option<Timestamp>,
    /// Whom they block, and since when. Shared, so that an answer can hold it without a
    /// copy.
    pub blocks: Arc<BTreeMap<UserId, Timestamp>>,
    /// Where notices reach them.
    pub devices: BTreeMap<String, Device>,
    /// How many public profiles they have had after the first one.
    pub public_profiles: u64,
    /// Read marks that were set since the room was loaded; older ones are looked up.
    pub reads: Arc<BTreeMap<Conversation, ReadMark>>,
    /// Conversations that they pinned, in their order.
    pub pinned: Vec<Conversation>,
}

impl UserFact {
    /// Whether readers are told of it by showing the whole account.
    pub fn shows_account(&self) -> bool {
        match self {
            Self::ProfileChanged { .. } | Self::SmsModeOn(_) | Self::SmsModeOff => true,
            Self::Registered { .. }
            | Self::TokenIssued(_)
            | Self::TokenRevoked { .. }
            | Self::Blocked { .. }
            | Self::Unblocked { .. }
            | Self::DeviceAdded(_)
            | Self::DeviceRemoved { .. }
            | Self::ReadUpTo(_)
            | Self::Drafted { .. }
            | Self::LevelSet { .. }
            | Self::ChatMuted { .. }
            | Self::AllMuted { .. }
            | Self::TokensRevoked { .. }
            | Self::TokenUsed { .. }
            | Self::PasswordChanged { .. }
            | Self::ApplicationRegistered(_)
            | Self::ApplicationsRemoved { .. }
            | Self::Deleted
            | Self::Disabled
            | Self::Enabled
            | Self::ConversationsPinned { .. } => false,
        }
    }
}

impl User {
    /// The account that a first event makes.
    pub fn registered(id: UserId, profile: Profile, password: String, at: Timestamp) -> Self {
        Self {
            id,
            profile,
            password,
            created_at: at,
            updated_at: at,
            sms: None,
            tokens: BTreeMap::new(),
            blocks: Arc::default(),
            devices: BTreeMap::new(),
            reads: Arc::default(),
            applications: BTreeMap::new(),
            disabled_at: None,
            public_profiles: 0,
            pinned: Vec::new(),
        }
    }

    /// Makes a fact true. Deterministic: the same facts give the same user.
    pub fn apply(&mut self, at: Timestamp, fact: &UserFact) {
        match fact {
            UserFact::Registered { .. } => debug_assert!(false, "an account is registered once"),
            UserFact::ProfileChanged { profile } => {
                self.public_profiles += u64::from(!self.profile.looks_like(profile));
                self.profile = profile.clone();
                self.updated_at = at;
            }
            UserFact::SmsModeOn(mode) => self.sms = Some(mode.clone()),
            UserFact::SmsModeOff => self.sms = None,
            UserFact::TokenIssued(token) => {
                self.tokens.insert(token.id, token.clone());
            }
            UserFact::TokenRevoked { id, .. } => {
                self.tokens.remove(id);
            }
            UserFact::Blocked { other } => {
                Arc::make_mut(&mut self.blocks).insert(*other, at);
            }
            UserFact::Unblocked { other, .. } => {
                Arc::make_mut(&mut self.blocks).remove(other);
            }
            UserFact::DeviceAdded(device) => {
                self.devices.insert(device.id.clone(), device.clone());
            }
            UserFact::DeviceRemoved { id } => {
                self.devices.remove(id);
            }
            UserFact::ReadUpTo(mark) => {
                Arc::make_mut(&mut self.reads).insert(mark.conv, *mark);
            }
            UserFact::TokensRevoked { tokens } => {
                tokens.iter().for_each(|token| drop(self.tokens.remove(&token.id)));
            }
            UserFact::TokenUsed { id } => {
                if let Some(token) = self.tokens.get_mut(id) {
                    token.last_used_at = Some(at);
                }
            }
            UserFact::PasswordChanged { password } => self.password = password.clone(),
            UserFact::ApplicationRegistered(application) => {
                self.applications.insert(application.client, application.clone());
            }
            UserFact::ApplicationsRemoved { clients } => {
                clients.iter().for_each(|client| drop(self.applications.remove(client)));
            }
            UserFact::Disabled => self.disabled_at = Some(at),
            UserFact::Enabled => self.disabled_at = None,
            UserFact::ConversationsPinned { conversations } => {
                self.pinned.clone_from(conversations);
            }
            // The index keeps these; no rule asks for them.
            UserFact::Drafted { .. }
            | UserFact::LevelSet { .. }
            | UserFact::ChatMuted { .. }
            | UserFact::AllMuted { .. } => {}
            UserFact::Deleted => debug_assert!(false, "its room forgets a deleted account"),
        }
    }
}
