//! What other nodes ask: the questions that travel, each by its name, answered by the rooms here.

use std::sync::{Arc, Weak};

use crate::actors::ask::{Answers, Failure, Fault, Noted, Question, Travel, pack, unpack};
use crate::actors::asked::AskedElsewhere;
use crate::actors::audit::protocol::{Note, NoteFailure};
use crate::actors::chat::protocol::{RecallSender, WriteMessage};
use crate::actors::directory::kinds::RoomId;
use crate::actors::directory::packed::{PackedQuestion, Response, VERSION};
use crate::actors::directory::{Directory, Inner};
use crate::actors::group::polling::{EndPoll, MakePoll, Vote};
use crate::actors::group::protocol::{
    AddBot, ChangeBot, ChangeSettings, CreateGroup, DisableBot, DisbandGroup, HandOver, JoinShared,
    MuteGroup, PostAsBot, PostMessage, RejoinGroup, RemoveBot, RemoveMember, RenameMember,
    RequestAdd, RotateSecret,
};
use crate::actors::keep_answer::KeepAnswer;
use crate::actors::liking::LikeMessage;
use crate::actors::name::protocol::{ClaimName, ConfirmName, GiveUpName, ReleaseName};
use crate::actors::pinning::PinMessage;
use crate::actors::planning::{ActOnEvent, PlanInChat, PlanInGroup};
use crate::actors::revising::{DeleteMessage, EditMessage};
use crate::actors::user::drafts::KeepDraft;
use crate::actors::user::notices::{MuteAll, MuteChat, SetLevel};
use crate::actors::user::protocol::{
    AddDevice, AdmitSender, BlockUser, ChangePassword, ChangeProfile, DeleteUser, Disable, Enable,
    HoldsName, IssueToken, MarkRead, NoteTokenUse, PermitWriting, PinConversations,
    RegisterApplication, RemoveApplication, RemoveDevice, ResetPassword, RevokeToken, SetSmsMode,
    UnblockUser,
};
use crate::domain::ids::{GroupId, Pair, StreamId, UserId};

/// Answers what other nodes ask. It keeps no server from ending.
#[derive(Clone)]
pub struct Answerer(Weak<Inner>);

impl Answerer {
    /// Has this directory answer.
    pub(super) fn of(directory: &Directory) -> Self {
        Self(Arc::downgrade(&directory.0))
    }

    /// Answers a question that came packed; nothing where the server is ending.
    pub async fn answer(&self, request: &[u8]) -> Option<Vec<u8>> {
        let directory = Directory(self.0.upgrade()?);
        let response = match unpack::<PackedQuestion>(request) {
            Some(question) if question.version == VERSION => directory.respond(&question).await,
            Some(_) | None => Response::NotMine,
        };
        Some(pack(&response))
    }
}

/// Answers a question by the first of these that is called like it.
macro_rules! first_named {
    ($directory:expr, $id:expr, $asked:expr; $($question:ty),*) => {{
        $(if let Some(travel) = <$question>::TRAVEL && travel.name == $asked.name {
            return $directory.respond_to::<_, $question>($id, &travel, $asked).await;
        })*
        Response::NotMine
    }};
}

impl Directory {
    /// Answers a question of another node.
    async fn respond(&self, question: &PackedQuestion) -> Response {
        match question.stream.parse() {
            Ok(StreamId::Group(id)) => self.respond_in_group(id, question).await,
            Ok(StreamId::User(id)) => self.respond_of_user(id, question).await,
            Ok(StreamId::Chat(id)) => self.respond_in_chat(id, question).await,
            Ok(StreamId::Name(id)) => match self.respond_to_attempt(id, question).await {
                Some(response) => response,
                None => first_named!(
                    self, id, question;
                    ClaimName, ConfirmName, ReleaseName, GiveUpName
                ),
            },
            Ok(StreamId::Audit) => first_named!(self, (), question; Note, NoteFailure),
            Ok(StreamId::Callbacks) | Err(_) => Response::NotMine,
        }
    }

    async fn respond_in_group(&self, id: GroupId, question: &PackedQuestion) -> Response {
        first_named!(
            self, id, question;
            PostMessage, LikeMessage, PostAsBot, EditMessage, DeleteMessage,
            PinMessage, CreateGroup, ChangeSettings, JoinShared, RejoinGroup,
            RequestAdd, RemoveMember, RenameMember, MuteGroup, DisbandGroup,
            HandOver, AddBot, ChangeBot, RotateSecret, DisableBot, RemoveBot,
            MakePoll, Vote, EndPoll, PlanInGroup, ActOnEvent, KeepAnswer
        )
    }

    async fn respond_of_user(&self, id: UserId, question: &PackedQuestion) -> Response {
        first_named!(
            self, id, question;
            PermitWriting, AdmitSender, MarkRead, BlockUser, UnblockUser, HoldsName,
            IssueToken, NoteTokenUse, RevokeToken, ChangePassword, ResetPassword,
            DeleteUser, RegisterApplication, RemoveApplication, SetSmsMode,
            AddDevice, RemoveDevice, PinConversations, SetLevel, MuteChat, MuteAll,
            Disable, Enable, KeepAnswer, ChangeProfile, KeepDraft
        )
    }

    async fn respond_in_chat(&self, id: Pair, question: &PackedQuestion) -> Response {
        first_named!(
            self, id, question;
            WriteMessage, RecallSender, LikeMessage, EditMessage, DeleteMessage, PinMessage,
            PlanInChat, ActOnEvent
        )
    }

    async fn respond_to<I: RoomId, Q: Question>(
        &self,
        id: I,
        travel: &Travel<Q>,
        asked: &PackedQuestion,
    ) -> Response
    where
        I::Room: Answers<Q>,
    {
        let journal = &self.0.context.archive.journal;
        let is_ours = self.decides(id.stream(), asked.taken_over);
        let Some(question) = (travel.unpack)(&asked.body).filter(|_| is_ours) else {
            return Response::NotMine;
        };
        let pack = travel.from_decided.is_none().then_some(travel.pack_answer);
        let noted = asked.id.map(|id| Box::new(Noted::Asked(AskedElsewhere { id, pack })));
        match self.ask_here(id, question, noted).await {
            Ok(answer) => {
                let newest = journal.newest().get();
                Response::Answer { body: (travel.pack_answer)(&answer), newest }
            }
            Err(Failure::Refused(refusal)) => {
                Response::Refusal { body: (travel.pack_refusal)(&refusal) }
            }
            // Said before anything is staged.
            Err(Failure::Fault(Fault::Elsewhere)) => Response::NotMine,
            Err(Failure::Fault(Fault::Busy)) => Response::Busy,
            Err(Failure::Fault(Fault::Full)) => Response::Full,
            Err(Failure::Fault(Fault::Gone | Fault::Storage(_) | Fault::Late)) => Response::Failed,
        }
    }
}
