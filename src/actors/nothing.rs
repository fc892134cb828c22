//! Where nothing is: whether anything lives under an id, and what is answered if not. No
//! room starts for what nobody created, however often somebody asks.

use std::hash::Hash;

use crate::actors::ask::Question;
use crate::actors::audit::AuditActor;
use crate::actors::audit::protocol::{Note, NoteFailure};
use crate::actors::chat::ChatActor;
use crate::actors::chat::protocol::{ListDirect, RecallSender, Recalled, ViewChat, WriteMessage};
use crate::actors::group::GroupActor;
use crate::actors::group::protocol::{
    AddBot, ChangeBot, ChangeSettings, CreateGroup, DisableBot, DisbandGroup, HandOver, JoinShared,
    ListLikes, ListMessages, MuteGroup, PostAsBot, PostMessage, RejoinGroup, RemoveBot,
    RemoveMember, RenameMember, RequestAdd, RotateSecret, ShowAddResults, ViewGroup, ViewRefusal,
};
use crate::actors::group::reconciling::{AdmitInvited, Depart, RedrawMember};
use crate::actors::idempotency::KeepAnswer;
use crate::actors::liking::LikeMessage;
use crate::actors::name::NameActor;
use crate::actors::name::protocol::{ClaimName, ConfirmName, GiveUpName, ReleaseName};
use crate::actors::paging::MessagePage;
use crate::actors::user::UserActor;
use crate::actors::user::protocol::{
    AddDevice, AdmitSender, BlockUser, ChangePassword, ChangeProfile, DeleteUser, Disable, Enable,
    HasBlocked, HoldsName, IssueToken, MarkRead, NamingRefusal, NoteTokenUse, PermitWriting,
    PinConversations, Register, RegisterApplication, RemoveApplication, RemoveDevice,
    ResetPassword, RevokeToken, SetSmsMode, ShowBlocks, UnblockUser, UserRefusal, ViewUser,
};
use crate::domain::chat::WriteRefusal;
use crate::domain::group::{
    AddRefusal, BotRefusal, ChangeRefusal, DisbandRefusal, JoinRefusal, MuteRefusal, OwnerRefusal,
    PostRefusal, RemoveRefusal, RenameRefusal, ResultsRefusal,
};
use crate::domain::ids::{GroupId, NameId, Pair, UserId};
use crate::domain::likes::LikeRefusal;
use crate::domain::user::{
    ApplicationRefusal, BlockRefusal, DeleteRefusal, DeviceRefusal, IssueRefusal, LogoutRefusal,
    PasswordRefusal, ReadRefusal,
};
use crate::index::{Index, IndexFault};

/// What comes back without a room, or `None` where the question begins what it asks of.
pub type OfNothing<Q> = Option<Result<<Q as Question>::Answer, <Q as Question>::Refusal>>;

/// A question to rooms of one kind, which knows what they would say if nothing lives there.
pub trait AskedOf<Room>: Question {
    /// What the room of nothing would answer; `None` to have a room start all the same.
    fn of_nothing(&self) -> OfNothing<Self>
    where
        Self: Sized;
}

/// The id of a room.
pub(super) trait RoomId: Copy + Eq + Hash + Send + 'static {
    /// Whether anything lives under it. Blocks on the disk.
    fn is_taken(self, index: &Index) -> Result<bool, IndexFault>;
}

impl RoomId for GroupId {
    fn is_taken(self, index: &Index) -> Result<bool, IndexFault> {
        Ok(index.group(self)?.is_some())
    }
}

impl RoomId for UserId {
    fn is_taken(self, index: &Index) -> Result<bool, IndexFault> {
        Ok(index.account(self)?.is_some())
    }
}

impl RoomId for Pair {
    fn is_taken(self, index: &Index) -> Result<bool, IndexFault> {
        Ok(index.chat(self)?.is_some())
    }
}

impl RoomId for NameId {
    fn is_taken(self, index: &Index) -> Result<bool, IndexFault> {
        Ok(index.name(self)?.is_some())
    }
}

/// There is always an audit log.
impl RoomId for () {
    fn is_taken(self, _: &Index) -> Result<bool, IndexFault> {
        Ok(true)
    }
}

/// Questions and what is refused where nothing is, by the kind of room.
macro_rules! refused {
    ($room:ty: $($refusal:expr => $($question:ty),+;)*) => { $($(
        impl AskedOf<$room> for $question {
            fn of_nothing(&self) -> OfNothing<Self> {
                Some(Err($refusal))
            }
        }
    )+)* };
}

/// Questions that begin something, or write where nothing has to be.
macro_rules! begins {
    ($room:ty: $($question:ty),+) => { $(
        impl AskedOf<$room> for $question {
            fn of_nothing(&self) -> OfNothing<Self> {
                None
            }
        }
    )+ };
}

/// Questions that change nothing where nothing is.
macro_rules! idle {
    ($room:ty: $($question:ty),+) => { $(
        impl AskedOf<$room> for $question {
            fn of_nothing(&self) -> OfNothing<Self> {
                Some(Ok(()))
            }
        }
    )+ };
}

begins!(GroupActor: CreateGroup, KeepAnswer);
idle!(GroupActor: RedrawMember, Depart);
refused! { GroupActor:
    ViewRefusal::NotAMember => ViewGroup, ListMessages, ListLikes;
    PostRefusal::NotAMember => PostMessage;
    LikeRefusal::NotAMember => LikeMessage;
    AddRefusal::NotAMember => RequestAdd;
    ResultsRefusal::NotAMember => ShowAddResults;
    BotRefusal::NotAMember => AddBot;
    BotRefusal::NoBot => RemoveBot, ChangeBot, RotateSecret, DisableBot, PostAsBot;
    ChangeRefusal::NotAMember => ChangeSettings;
    DisbandRefusal::NotAMember => DisbandGroup;
    OwnerRefusal::NoSuchGroup => HandOver;
    RemoveRefusal::NotAMember => RemoveMember;
    RenameRefusal::NotAMember => RenameMember;
    MuteRefusal::NotAMember => MuteGroup;
    JoinRefusal::NoSuchGroup => JoinShared, RejoinGroup, AdmitInvited;
}

begins!(UserActor: Register, KeepAnswer);
refused! { UserActor:
    UserRefusal::Unknown => ViewUser, HoldsName, NoteTokenUse, SetSmsMode, UnblockUser,
        ShowBlocks, HasBlocked, AddDevice, Disable, Enable, ResetPassword, PinConversations;
    NamingRefusal::Unknown => ChangeProfile;
    IssueRefusal::Unknown => IssueToken;
    LogoutRefusal::Unknown => RevokeToken;
    PasswordRefusal::Unknown => ChangePassword;
    DeleteRefusal::Unknown => DeleteUser;
    ApplicationRefusal::NoUser => RegisterApplication, RemoveApplication;
    BlockRefusal::Unknown => BlockUser;
    WriteRefusal::Unknown => AdmitSender, PermitWriting;
    DeviceRefusal::Unknown => RemoveDevice;
    ReadRefusal::NotAMember => MarkRead;
}

begins!(ChatActor: WriteMessage);
refused! { ChatActor: LikeRefusal::NoMessage => LikeMessage; }

impl AskedOf<ChatActor> for ViewChat {
    fn of_nothing(&self) -> OfNothing<Self> {
        Some(Ok(None))
    }
}

impl AskedOf<ChatActor> for RecallSender {
    fn of_nothing(&self) -> OfNothing<Self> {
        Some(Ok(Recalled { repeated: None, has_begun: false }))
    }
}

impl AskedOf<ChatActor> for ListDirect {
    fn of_nothing(&self) -> OfNothing<Self> {
        Some(Ok(MessagePage { count: 0, messages: Vec::new() }))
    }
}

begins!(NameActor: ClaimName);

idle!(NameActor: ConfirmName, ReleaseName, GiveUpName);

begins!(AuditActor: Note, NoteFailure);
