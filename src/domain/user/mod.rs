//! A user: the account, its profile, its tokens and its applications.
//!
//! The state, and what each fact changes in it. Only hashes of tokens are kept.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::attachment::ImageRef;
use crate::factors::{FactorChange, Factors};
use crate::file::FileId;
use crate::group::Contact;
use crate::guests::Guest;
use crate::identities::{Identities, IdentityChange};
use crate::ids::{ClientId, Conversation, GroupId, MessageId, Pair, ReportId, TokenId, UserId};
use crate::mail::{MailChange, Mailbox};
use crate::message_requests::{DmFrom, DmRules, RequestChange};
use crate::notices::NoticeLevel;
use crate::operators::OperatorRole;
use crate::registration::AccountWait;
use crate::scim::{Provisioning, ProvisioningChange};
use crate::text::{Email, Phone, UserName};
use crate::time::Timestamp;

mod account_status;
mod additions;
mod applications;
mod blocks;
mod contacts;
mod conversation_list;
mod deletion;
mod devices;
mod drafts;
mod factors;
#[cfg(test)]
mod fixtures;
mod flood;
mod identities;
mod keys;
mod mail;
mod message_requests;
mod notices;
mod own_settings;
mod password;
mod profile;
mod read_marks;
mod registration;
mod saved;
mod scim;

pub use additions::{Adder, AddingRefusal, Additions, Person};
pub use applications::{Application, ApplicationName, ApplicationRefusal, RedirectUrl};
pub use blocks::{Block, BlockRefusal};
pub use contacts::ContactChanges;
pub use conversation_list::{ConversationList, ConversationListChange, Folder};
pub use deletion::DeleteRefusal;
pub use devices::{Device, DeviceRefusal};
pub use drafts::Draft;
pub use factors::{FactorRefusal, VerificationOutcome, VerificationUse};
pub use flood::{Acquaintance, Flood, FloodLimits, Pace, RecentReports, ReportingRefusal};
pub use identities::{IdentityRefusal, ProviderLogout, begun_with};
pub use keys::{DeadToken, IssueRefusal, LogoutRefusal, TokenHash, TokenRecord};
pub use mail::{EmailInviteRefusal, EnteredAddress, InviteToMail, LinkRefusal, MailToSend};
pub use message_requests::{MessageRequestRefusal, SenderStanding};
pub use own_settings::{OwnChoices, OwnSettingsChange};
pub use password::PasswordRefusal;
pub use profile::{PhoneChange, ProfileChange, SmsMode};
pub use read_marks::{ReadByRefusal, ReadMark, ReadRefusal, Unread, UpTo};
pub use registration::{AccountDecision, AccountDecisionRefusal, RepeatedRegistration};
pub use saved::{SaveRefusal, SavedMessage};
pub use scim::{WantedProvisioning, begun_by_directory};

/// A user's profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// The user's name.
    pub name: UserName,
    /// The email address, with which the user logs in.
    pub email: Email,
    /// The phone number for SMS.
    pub phone: Option<Phone>,
    /// The user's picture.
    #[serde(default)]
    pub image: Option<ImageRef>,
    /// The user's zip code.
    #[serde(default)]
    pub zip_code: Option<String>,
    /// Present if the user is a guest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guest: Option<Guest>,
}

impl Profile {
    /// The email address and phone number, which no other account may have.
    pub fn contacts(&self) -> impl Iterator<Item = Contact> {
        let phone = self.phone.as_ref().map(Contact::from);
        std::iter::once(Contact::from(&self.email)).chain(phone)
    }

    /// Those of its contacts that another profile does not have.
    pub fn contacts_beyond(&self, other: &Self) -> Vec<Contact> {
        let known: Vec<Contact> = other.contacts().collect();
        self.contacts().filter(|contact| !known.contains(contact)).collect()
    }

    /// Whether both show the same public profile: the name, the picture and the kind of account that
    /// others see.
    pub fn looks_like(&self, other: &Self) -> bool {
        self.name == other.name && self.image == other.image && self.kind() == other.kind()
    }
}

/// A fact about one user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum UserFact {
    /// The account was registered.
    Registered {
        /// The first profile.
        profile: Profile,
        /// The password hash: Argon2id in PHC form.
        password: String,
    },
    /// The profile changed.
    ProfileChanged {
        /// The whole profile after the change.
        profile: Profile,
    },
    /// A token was issued.
    TokenIssued(TokenRecord),
    /// A token was revoked.
    TokenRevoked {
        /// The token's id.
        id: TokenId,
        /// The token's hash, by which the index finds its row.
        hash: TokenHash,
    },
    /// Messages go out by SMS until a time.
    SmsModeOn(SmsMode),
    /// SMS mode ended.
    SmsModeOff,
    /// The user blocked another user.
    Blocked {
        /// The blocked user.
        other: UserId,
    },
    /// The user removed a block.
    Unblocked {
        /// The user who was blocked.
        other: UserId,
        /// When the block was set.
        since: Timestamp,
    },
    /// A device was added: notices reach the user there.
    DeviceAdded(Device),
    /// A device was removed.
    DeviceRemoved {
        /// The device's id.
        id: String,
    },
    /// A conversation was read up to a mark.
    ReadUpTo(ReadMark),
    /// Several tokens were revoked at once.
    TokensRevoked {
        /// The revoked tokens, with their hashes.
        tokens: Vec<DeadToken>,
    },
    /// A token is in use: recorded once a day at most.
    TokenUsed {
        /// The token's id.
        id: TokenId,
    },
    /// The password changed.
    PasswordChanged {
        /// The new password hash: Argon2id in PHC form.
        password: String,
    },
    /// An application was registered: it may ask users for tokens.
    ApplicationRegistered(Application),
    /// Applications were removed, and with them every token that any user gave them.
    ApplicationsRemoved {
        /// The client ids of the applications.
        clients: Vec<ClientId>,
    },
    /// The account was deleted. Its name stays beside its messages.
    Deleted,
    /// An operator disabled the account: it cannot log in.
    Disabled,
    /// An operator enabled the account again.
    Enabled,
    /// These conversations are pinned, in this order, and no others. Of journals from before there
    /// were folders.
    ConversationsPinned {
        /// The conversations.
        conversations: Vec<Conversation>,
    },
    /// The list of conversations was arranged.
    ListArranged {
        /// The pinned conversations and no others, in the user's order.
        pinned: Vec<Conversation>,
        /// The folders and no others, in the user's order.
        folders: Vec<Folder>,
    },
    /// The user saved a message.
    MessageSaved(SavedMessage),
    /// The user took a message out of the saved ones.
    MessageUnsaved {
        /// The conversation.
        conv: Conversation,
        /// The message.
        message: MessageId,
    },
    /// The bytes of a picture came, for which the user had an id before.
    PictureNamed {
        /// The id.
        picture: FileId,
        /// The picture.
        image: ImageRef,
    },
    /// A draft was saved; an empty one ends the draft.
    Drafted {
        /// The conversation it is for.
        conv: Conversation,
        /// Its text and attachments.
        draft: Draft,
    },
    /// The user chose for what in a conversation they want notices.
    LevelSet {
        /// The conversation.
        conv: Conversation,
        /// The level of notices.
        level: NoticeLevel,
    },
    /// A chat was muted or unmuted.
    ChatMuted {
        /// The chat.
        chat: Pair,
        /// When the mute ends; `None` if the chat is unmuted.
        until: Option<Timestamp>,
    },
    /// A topic was muted or unmuted.
    TopicMuted {
        /// The topic.
        topic: GroupId,
        /// When the mute ends; `None` if the topic is unmuted.
        until: Option<Timestamp>,
    },
    /// All conversations were muted or unmuted.
    AllMuted {
        /// When the mute ends; `None` if they are unmuted.
        until: Option<Timestamp>,
    },
    /// The user's mails, links or addresses changed.
    Mailed(MailChange),
    /// The second factor, trusted devices or proofs changed.
    Factored(FactorChange),
    /// The identities at providers changed, or log-ins through them.
    Identified(IdentityChange),
    /// The account got another role of an operator, or lost it.
    OperatorRoleSet {
        /// The role; `None` if the user is no operator any more.
        role: Option<OperatorRole>,
    },
    /// A directory changed its names for the account, or deactivated or activated it.
    Provisioned(ProvisioningChange),
    /// Operators looked at a report of the user.
    ReportResolved {
        /// The report.
        report: ReportId,
    },
    /// The new account waits: nobody can log in to it yet.
    Waits(AccountWait),
    /// The account waits no more.
    Admitted,
    /// The user chose from whom they take direct messages; `None` for the default of the server.
    DmFromChosen {
        /// The choice.
        choice: Option<DmFrom>,
    },
    /// A message request to the user was opened, accepted or declined.
    RequestChanged {
        /// The chat of the two.
        chat: Pair,
        /// What happened to the request.
        change: RequestChange,
    },
}

impl UserFact {
    /// Whether the user's own readers receive it (see [`crate::event::Fact::is_audible`]).
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
            | Self::TopicMuted { .. }
            | Self::AllMuted { .. }
            | Self::RequestChanged { .. }
            | Self::ListArranged { .. }
            | Self::MessageSaved(_)
            | Self::MessageUnsaved { .. }
            | Self::ReportResolved { .. } => true,
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
            | Self::PictureNamed { .. }
            | Self::Mailed(_)
            | Self::Factored(_)
            | Self::Identified(_)
            | Self::Provisioned(_)
            | Self::OperatorRoleSet { .. }
            | Self::Waits(_)
            | Self::Admitted
            | Self::DmFromChosen { .. }
            | Self::ConversationsPinned { .. } => false,
        }
    }

    /// Whether the account may have been disabled by it, or enabled.
    pub const fn changes_standing(&self) -> bool {
        if let Self::Provisioned(change) = self {
            return change.changes_standing();
        }
        matches!(self, Self::Disabled | Self::Enabled)
    }

    /// Whether the account may be enabled after it.
    pub const fn may_enable(&self) -> bool {
        let change = if let Self::Provisioned(change) = self { Some(change) } else { None };
        matches!(self, Self::Enabled)
            || matches!(change, Some(ProvisioningChange::Activated | ProvisioningChange::Restored))
    }

    /// Whether it saves or ends a draft without attachments, which only lists of drafts show.
    pub const fn is_text_draft(&self) -> bool {
        matches!(self, Self::Drafted { draft, .. } if draft.attachments.is_empty())
    }

    /// The chat or the topic that was muted or unmuted, and when the mute ends.
    pub fn muted(&self) -> Option<(Conversation, Option<Timestamp>)> {
        if let Self::ChatMuted { chat, until } = self {
            return Some(((*chat).into(), *until));
        }
        if let Self::TopicMuted { topic, until } = self {
            return Some(((*topic).into(), *until));
        }
        None
    }

    /// The conversation that it is about, if it is about one.
    pub fn conversation(&self) -> Option<Conversation> {
        if let Some((conv, _)) = self.muted() {
            return Some(conv);
        }
        if let Self::Drafted { conv, .. } | Self::LevelSet { conv, .. } = self {
            return Some(*conv);
        }
        if let Self::RequestChanged { chat, .. } = self {
            return Some((*chat).into());
        }
        if let Self::MessageSaved(SavedMessage { conv, .. }) | Self::MessageUnsaved { conv, .. } =
            self
        {
            return Some(*conv);
        }
        if let Self::ReadUpTo(mark) = self { Some(mark.conv) } else { None }
    }

    /// Whether it is written even when the disk is almost full: facts that let somebody in or lock
    /// somebody out.
    pub const fn is_vital(&self) -> bool {
        match self {
            Self::TokenIssued(_)
            | Self::TokenRevoked { .. }
            | Self::TokensRevoked { .. }
            | Self::PasswordChanged { .. }
            | Self::Disabled
            | Self::Enabled
            | Self::Mailed(_)
            | Self::Factored(_)
            | Self::Identified(_)
            | Self::Provisioned(_)
            | Self::OperatorRoleSet { .. }
            | Self::Admitted
            | Self::DeviceRemoved { .. } => true,
            Self::Registered { .. }
            | Self::Waits(_)
            | Self::ProfileChanged { .. }
            | Self::SmsModeOn(_)
            | Self::SmsModeOff
            | Self::Blocked { .. }
            | Self::Unblocked { .. }
            | Self::ReadUpTo(_)
            | Self::Drafted { .. }
            | Self::LevelSet { .. }
            | Self::ChatMuted { .. }
            | Self::TopicMuted { .. }
            | Self::AllMuted { .. }
            | Self::DeviceAdded(_)
            | Self::TokenUsed { .. }
            | Self::ApplicationRegistered(_)
            | Self::ApplicationsRemoved { .. }
            | Self::Deleted
            | Self::PictureNamed { .. }
            | Self::ReportResolved { .. }
            | Self::DmFromChosen { .. }
            | Self::RequestChanged { .. }
            | Self::ListArranged { .. }
            | Self::MessageSaved(_)
            | Self::MessageUnsaved { .. }
            | Self::ConversationsPinned { .. } => false,
        }
    }
}

/// An account as its room knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// The user's id.
    pub id: UserId,
    /// The user's profile.
    pub profile: Profile,
    /// The password hash: Argon2id in PHC form.
    pub password: String,
    /// When the account was registered.
    pub created_at: Timestamp,
    /// When the profile last changed.
    pub updated_at: Timestamp,
    /// The SMS mode, if it was switched on; it may have ended by time.
    pub sms: Option<SmsMode>,
    /// The tokens that this room did not revoke. Expired ones stay in it, and so do those of an
    /// application that its owner removed, until the room is loaded again or a token is issued past
    /// the limit.
    pub tokens: BTreeMap<TokenId, TokenRecord>,
    /// The applications that the user registered.
    pub applications: BTreeMap<ClientId, Application>,
    /// When an operator disabled the account; `None` if it is enabled.
    pub disabled_at: Option<Timestamp>,
    /// The blocked users, and when each was blocked. Shared, so that an answer can hold it without
    /// a copy.
    pub blocks: Arc<BTreeMap<UserId, Timestamp>>,
    /// The devices at which notices reach the user, by id.
    pub devices: BTreeMap<String, Device>,
    /// How often the public profile changed after the first one.
    pub public_profiles: u64,
    /// Read marks that were set since the room was loaded; older ones are looked up.
    pub reads: Arc<BTreeMap<Conversation, ReadMark>>,
    /// The pinned conversations, in the user's order.
    pub pinned: Vec<Conversation>,
    /// The folders of conversations, in the user's order.
    #[serde(default)]
    pub folders: Vec<Folder>,
    /// The saved messages, in the order in which they were saved.
    #[serde(default)]
    pub saved: Vec<SavedMessage>,
    /// The newest changes of the email address and the phone number.
    #[serde(default)]
    pub contact_changes: ContactChanges,
    /// Mails to the user, links in them, and confirmed addresses.
    #[serde(default)]
    pub mailbox: Mailbox,
    /// The second factor, and what depends on it.
    #[serde(default)]
    pub factors: Factors,
    /// The identities at providers, and log-ins through them.
    #[serde(default)]
    pub identities: Identities,
    /// The role of an operator, if the user is one.
    #[serde(default)]
    pub operator: Option<OperatorRole>,
    /// What a directory did to the account.
    #[serde(default)]
    pub provisioning: Provisioning,
    /// What the account waits for before anybody can log in; `None` for most.
    #[serde(default)]
    pub waiting: Option<AccountWait>,
    /// From whom the user takes direct messages, and the requests to them.
    #[serde(default)]
    pub dm_rules: DmRules,
}

impl UserFact {
    /// Whether readers receive it as a frame with the whole account.
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
            | Self::TopicMuted { .. }
            | Self::AllMuted { .. }
            | Self::TokensRevoked { .. }
            | Self::TokenUsed { .. }
            | Self::PasswordChanged { .. }
            | Self::ApplicationRegistered(_)
            | Self::ApplicationsRemoved { .. }
            | Self::Deleted
            | Self::Disabled
            | Self::Enabled
            | Self::PictureNamed { .. }
            | Self::Mailed(_)
            | Self::Factored(_)
            | Self::Identified(_)
            | Self::Provisioned(_)
            | Self::OperatorRoleSet { .. }
            | Self::ReportResolved { .. }
            | Self::Waits(_)
            | Self::Admitted
            | Self::DmFromChosen { .. }
            | Self::RequestChanged { .. }
            | Self::ListArranged { .. }
            | Self::MessageSaved(_)
            | Self::MessageUnsaved { .. }
            | Self::ConversationsPinned { .. } => false,
        }
    }
}

impl User {
    /// The account that its first event creates.
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
            folders: Vec::new(),
            saved: Vec::new(),
            contact_changes: ContactChanges::default(),
            mailbox: Mailbox::default(),
            factors: Factors::default(),
            identities: Identities::default(),
            operator: None,
            provisioning: Provisioning::default(),
            waiting: None,
            dm_rules: DmRules::default(),
        }
    }

    fn note_token_use(&mut self, id: TokenId, at: Timestamp) {
        if let Some(token) = self.tokens.get_mut(&id) {
            token.last_used_at = Some(at);
        }
    }

    /// Applies a fact. Deterministic: the same facts give the same user.
    pub fn apply(&mut self, at: Timestamp, fact: &UserFact) {
        match fact {
            UserFact::Registered { .. } => debug_assert!(false, "an account is registered once"),
            UserFact::ProfileChanged { profile } => {
                self.public_profiles += u64::from(!self.profile.looks_like(profile));
                self.contact_changes.note(&self.profile, profile, at);
                self.profile = profile.clone();
                self.updated_at = at;
            }
            UserFact::SmsModeOn(mode) => self.sms = Some(mode.clone()),
            UserFact::SmsModeOff => self.sms = None,
            UserFact::TokenIssued(token) => drop(self.tokens.insert(token.id, token.clone())),
            UserFact::TokenRevoked { id, .. } => drop(self.tokens.remove(id)),
            UserFact::Blocked { other } => {
                Arc::make_mut(&mut self.blocks).insert(*other, at);
            }
            UserFact::Unblocked { other, .. } => {
                Arc::make_mut(&mut self.blocks).remove(other);
            }
            UserFact::DeviceAdded(device) => {
                self.devices.insert(device.id.clone(), device.clone());
            }
            UserFact::DeviceRemoved { id } => drop(self.devices.remove(id)),
            UserFact::ReadUpTo(mark) => {
                Arc::make_mut(&mut self.reads).insert(mark.conv, *mark);
            }
            UserFact::TokensRevoked { tokens } => {
                tokens.iter().for_each(|token| drop(self.tokens.remove(&token.id)));
            }
            UserFact::TokenUsed { id } => self.note_token_use(*id, at),
            UserFact::PasswordChanged { password } => {
                self.password = password.clone();
                self.mailbox.end_recovery_links();
                self.factors.end_trust();
                self.identities.has_no_password = false;
            }
            UserFact::Identified(change) => self.identities.apply(at, change),
            UserFact::Factored(change) => self.factors.apply(at, change),
            UserFact::Mailed(change) => self.mailbox.apply(at, change),
            UserFact::ApplicationRegistered(application) => {
                self.applications.insert(application.client, application.clone());
            }
            UserFact::ApplicationsRemoved { clients } => {
                clients.iter().for_each(|client| drop(self.applications.remove(client)));
            }
            UserFact::OperatorRoleSet { role } => self.operator = *role,
            UserFact::Provisioned(change) => self.provisioning.apply(at, change),
            UserFact::Waits(waiting) => self.waiting = Some(waiting.clone()),
            UserFact::Admitted => self.waiting = None,
            UserFact::DmFromChosen { choice } => self.dm_rules.choice = *choice,
            UserFact::RequestChanged { chat, change } => {
                self.dm_rules.apply(at, chat.other(self.id), *change);
            }
            UserFact::Disabled => self.disabled_at = Some(at),
            UserFact::Enabled => self.disabled_at = None,
            UserFact::ConversationsPinned { conversations } => {
                self.pinned.clone_from(conversations)
            }
            UserFact::ListArranged { pinned, folders } => self.set_list(pinned, folders),
            UserFact::MessageSaved(saved) => self.saved.push(saved.clone()),
            UserFact::MessageUnsaved { conv, message } => self.forget_saved(*conv, *message),
            // The index keeps these; no rule reads them.
            UserFact::Drafted { .. }
            | UserFact::PictureNamed { .. }
            | UserFact::LevelSet { .. }
            | UserFact::ChatMuted { .. }
            | UserFact::TopicMuted { .. }
            | UserFact::AllMuted { .. }
            | UserFact::ReportResolved { .. } => {}
            UserFact::Deleted => debug_assert!(false, "its room forgets a deleted account"),
        }
    }
}

/// A person whom a user has a chat with or blocks.
#[derive(Debug, Clone)]
pub struct KnownPerson {
    /// The person.
    pub id: UserId,
    /// The person's name and picture.
    pub profile: Profile,
    /// When the two began to write, or when the person was blocked.
    pub since: Timestamp,
    /// When the person's profile last changed.
    pub updated_at: Timestamp,
    /// Whether the user blocks the person.
    pub is_blocked: bool,
}
