//! Answers other nodes: finds the type of a packed question by its name, and has a room of this
//! node answer it.

use std::sync::{Arc, Weak};

use crate::ask::{Fault, Question, pack, unpack};
use crate::audit::protocol::{Note, NoteFailure};
use crate::chat::protocol::{RecallSender, WriteMessage};
use crate::conversation::calendar::{ActOnEvent, PlanInChat, PlanInGroup};
use crate::conversation::likes::LikeMessage;
use crate::conversation::pins::PinMessage;
use crate::conversation::revisions::{DeleteMessage, EditMessage};
use crate::directory::packed_question::{PackedQuestion, Response, VERSION};
use crate::directory::rooms::InstanceId;
use crate::directory::{Directory, ErasedAsk, Inner, PendingAsk};
use crate::group::bots::RemoveBotByNumber;
use crate::group::invite_links::{EndInviteLink, MakeInviteLink};
use crate::group::polling::{EndPoll, MakePoll, Vote};
use crate::group::protocol::{
    AddBot, BanUser, ChangeBot, ChangeRole, ChangeSettings, CreateGroup, DecideJoinRequest,
    DeleteRule, DisableBot, DisbandGroup, EndTimeout, FileAppeal, FileReport, HandOver, JoinShared,
    MuteGroup, PostAsBot, PostMessage, RejoinGroup, RemoveBot, RemoveMember, RenameMember,
    RequestAdd, ResolveReport, RotateSecret, SaveRule, SettleHeld, TimeOutMember, UnbanUser,
};
use crate::instance::SetSettings;
use crate::keep_answer::KeepAnswer;
use crate::name::protocol::{ClaimName, ConfirmName, GiveUpName, ReleaseName};
use crate::user::drafts::KeepDraft;
use crate::user::factors::{
    AddPasskey, BeginTotp, BeginVerification, ConfirmTotp, FinishVerification, ForgetDevice,
    LogInByPasskey, Prove, RemoveFactors, RemovePasskey, RenamePasskey, RenewRecovery,
    ResetFactors, UseFactor, Verify,
};
use crate::user::identities::{HoldsIdentity, LinkIdentity, LogOutByProvider, UnlinkIdentity};
use crate::user::mail::{
    BeginMail, ConfirmAddress, MakeRecoveryLink, Protest, Recover, RequestConfirmation,
    RequestRecovery, SettleMail,
};
use crate::user::notices::{MuteAll, MuteChat, SetLevel};
use crate::user::permits::ReturnPermit;
use crate::user::protocol::{
    AddDevice, AdmitSender, BlockUser, ChangePassword, ChangeProfile, DeleteUser, Disable, Enable,
    EndTokens, HoldsName, IssueToken, MarkRead, NoteTokenUse, PermitAdding, PermitReporting,
    PermitWriting, PinConversations, RegisterApplication, RemoveApplication, RemoveDevice,
    ResetPassword, RevokeToken, SetOperatorRole, SetSmsMode, UnblockUser,
};
use domain::ids::{GroupId, StreamId, UserId};

/// Answers questions of other nodes. Holds the directory weakly, so that it does not keep a server
/// alive that is shutting down.
#[derive(Clone)]
pub struct Answerer(Weak<Inner>);

impl Answerer {
    /// An answerer that uses this directory.
    pub(super) fn of(directory: &Directory) -> Self {
        Self(Arc::downgrade(&directory.0))
    }

    /// Answers a packed question; `None` if the server is shutting down.
    pub async fn answer(&self, request: &[u8]) -> Option<Vec<u8>> {
        let directory = Directory(self.0.upgrade()?);
        let response = match unpack::<PackedQuestion>(request) {
            Some(question) if question.version == VERSION => directory.respond(&question).await,
            Some(_) | None => Response::NotMine,
        };
        Some(pack(&response))
    }
}

/// Unpacks the question as the first of these types that has its name.
macro_rules! first_named {
    ($id:expr, $asked:expr; $($question:ty),*) => {{
        $(if let Some(travel) = <$question>::TRAVEL && travel.name == $asked.name {
            return PendingAsk::<_, $question>::of_other_node($id, &travel, $asked);
        })*
        None
    }};
}

impl Directory {
    /// Answers a question of another node.
    async fn respond(&self, question: &PackedQuestion) -> Response {
        let Ok(stream) = question.stream.parse() else { return Response::NotMine };
        if let StreamId::Name(id) = stream
            && let Some(response) = self.respond_to_attempt(id, question).await
        {
            return response;
        }
        if !self.decides(stream, question.taken_over) {
            return Response::NotMine;
        }
        let Some(mut asking) = understood(stream, question) else { return Response::NotMine };
        match self.ask_here(&mut *asking).await {
            Ok(()) => asking.response(self.0.context.archive.journal.newest().get()),
            // A room says so before it stages anything.
            Err(Fault::Elsewhere) => Response::NotMine,
            Err(Fault::Busy) => Response::Busy,
            Err(Fault::Full) => Response::Full,
            Err(Fault::Limited(exceeded)) => Response::Limited(exceeded),
            Err(Fault::Gone | Fault::Storage(_) | Fault::Late) => Response::Failed,
        }
    }
}

/// Unpacks a question of this stream; `None` if this version does not understand it.
fn understood(stream: StreamId, asked: &PackedQuestion) -> Option<Box<dyn ErasedAsk>> {
    match stream {
        StreamId::Group(id) => in_group(id, asked),
        StreamId::User(id) => of_user(id, asked),
        StreamId::Chat(id) => first_named!(
            id, asked;
            WriteMessage, RecallSender, LikeMessage, EditMessage, DeleteMessage, PinMessage,
            PlanInChat, ActOnEvent
        ),
        StreamId::Name(id) => {
            first_named!(id, asked; ClaimName, ConfirmName, ReleaseName, GiveUpName)
        }
        StreamId::Audit => first_named!((), asked; Note, NoteFailure),
        StreamId::Instance => first_named!(InstanceId, asked; SetSettings),
        StreamId::Callbacks => None,
    }
}

fn in_group(id: GroupId, asked: &PackedQuestion) -> Option<Box<dyn ErasedAsk>> {
    first_named!(
        id, asked;
        PostMessage, LikeMessage, PostAsBot, EditMessage, DeleteMessage,
        PinMessage, CreateGroup, ChangeSettings, JoinShared, RejoinGroup, DecideJoinRequest,
        RequestAdd, RemoveMember, RenameMember, ChangeRole, MuteGroup, DisbandGroup,
        BanUser, UnbanUser, TimeOutMember, EndTimeout, FileReport, ResolveReport, FileAppeal, SaveRule, SettleHeld,
        MakeInviteLink, EndInviteLink, DeleteRule, HandOver, AddBot, ChangeBot, RotateSecret, DisableBot, RemoveBot,
        RemoveBotByNumber, MakePoll, Vote, EndPoll, PlanInGroup, ActOnEvent, KeepAnswer
    )
}

fn of_user(id: UserId, asked: &PackedQuestion) -> Option<Box<dyn ErasedAsk>> {
    first_named!(
        id, asked;
        PermitWriting, PermitAdding, PermitReporting, ReturnPermit, AdmitSender, MarkRead, BlockUser, UnblockUser, HoldsName,
        IssueToken, NoteTokenUse, RevokeToken, ChangePassword, ResetPassword,
        DeleteUser, RegisterApplication, RemoveApplication, SetSmsMode,
        AddDevice, RemoveDevice, PinConversations, SetLevel, MuteChat, MuteAll,
        Disable, Enable, EndTokens, SetOperatorRole, KeepAnswer, ChangeProfile, KeepDraft,
        RequestRecovery, BeginMail, SettleMail, MakeRecoveryLink, Recover, Protest,
        RequestConfirmation, ConfirmAddress,
        BeginTotp, ConfirmTotp, RemoveFactors, RenewRecovery, UseFactor, BeginVerification,
        Verify, FinishVerification, ForgetDevice, Prove,
        ResetFactors, AddPasskey, RenamePasskey, RemovePasskey, LogInByPasskey,
        LinkIdentity, UnlinkIdentity, LogOutByProvider, HoldsIdentity
    )
}
