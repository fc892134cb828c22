//! Routing: a question whose stream another node decides travels there, and its answer back.
//!
//! What comes back is durable, and shown here too before it is handed on: who is answered
//! here reads it here. A question that was not heard, or came to a node that does not decide
//! it, was not done, and is asked again. Where a node died over one, whoever owns its shard
//! next took it over in the log: what stands before that was done, and nothing of the dead
//! one's can come after it. So whoever asked finds the answer there, or asks again.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::actors::ask::{
    Answered, Answers, Failure, Fault, Noted, Question, Travel, pack, unpack,
};
use crate::actors::asked::{AskedElsewhere, Decided, QuestionUnderWay};
use crate::actors::audit::protocol::{Note, NoteFailure};
use crate::actors::chat::protocol::{RecallSender, WriteMessage};
use crate::actors::directory::kinds::RoomId;
use crate::actors::directory::packed::{PackedQuestion, Response, VERSION};
use crate::actors::directory::{Directory, Inner, Keeping};
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
use crate::clock::Deadline;
use crate::domain::ids::{GroupId, Pair, StreamId, UserId};
use crate::journal::Cursor;
use crate::journal::replicated::shard::{Shard, TakeOver};

/// When a question is asked again that came to nobody who decides it.
const AGAIN: Duration = Duration::from_millis(20);
/// How long it is asked again; nothing was done by then.
const PATIENCE: Duration = Duration::from_secs(30);

/// Brings questions to the nodes that decide them.
pub trait Router: Send + Sync {
    /// Has what others ask answered here.
    fn serve(&self, answerer: Answerer);

    /// Asks the node that owns this shard: this run of it, if one was heard to take it over.
    fn ask(&self, shard: Shard, owner: Option<u64>, request: Vec<u8>) -> Routed;

    /// Whether the node of this run lives.
    fn lives(&self, run: u64) -> bool;

    /// Waits until every other node shows the journal up to here, as long as that is
    /// reasonable: whoever is answered then may ask any of them.
    fn shown_everywhere(&self, newest: Cursor) -> Shown;
}

/// A wait for other nodes.
pub type Shown = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What comes of a question on its way.
pub type Routed = Pin<Box<dyn Future<Output = RoutedAnswer> + Send>>;

/// What came back.
#[derive(Debug)]
pub enum RoutedAnswer {
    /// This.
    Came(Vec<u8>),
    /// Nobody heard it.
    Unheard,
    /// It may have been heard, and no answer came.
    Lost {
        /// Which run was asked.
        run: u64,
    },
}

/// Answers what other nodes ask. It keeps no server from ending.
#[derive(Clone)]
pub struct Answerer(Weak<Inner>);

impl Answerer {
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

/// A question whose answer did not come.
struct LostQuestion<'a> {
    under_way: &'a QuestionUnderWay,
    /// Who was asked.
    run: u64,
    shard: Shard,
    /// How the shard had come to them, as far as was heard.
    before: Option<TakeOver>,
}

/// What became of it.
enum FoundOut {
    /// This.
    Done(Decided),
    /// It was not done, and never will be.
    NotDone,
    /// Nobody can tell yet.
    Nothing,
}

/// How one question gets to the node that decides it.
struct Way<Q: Question> {
    router: Arc<dyn Router>,
    travel: Travel<Q>,
    stream: StreamId,
    body: Vec<u8>,
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
    /// Has questions that other nodes decide brought there, and theirs answered here.
    pub fn route_by(&self, router: Arc<dyn Router>) {
        router.serve(Answerer(Arc::downgrade(&self.0)));
        // A directory is routed once, where it is made.
        drop(self.0.router.set(router));
        let journal = &self.0.context.archive.journal;
        journal.follow(self.0.elsewhere.follower());
        self.0.shown.is_at_least(journal.end().get());
    }

    /// Asks whoever decides it, which may be another node, and waits until whoever is asked
    /// next shows what was decided.
    pub(super) async fn ask_routed<I: RoomId, Q: Question>(
        &self,
        id: I,
        question: Q,
        keep: Keeping<Q>,
        router: &Arc<dyn Router>,
    ) -> Answered<Q>
    where
        I::Room: Answers<Q>,
    {
        let answer = match Q::TRAVEL {
            None => self.ask_here(id, question, keep).await,
            Some(travel) => {
                let (router, body) = (Arc::clone(router), (travel.pack)(&question));
                let way = Way { router, travel, stream: id.stream(), body };
                self.ask_wherever(id, question, keep, way).await
            }
        };
        if Q::DECIDES && answer.is_ok() {
            router.shown_everywhere(self.0.context.archive.journal.newest()).await;
        }
        answer
    }

    /// Asks here or there, until somebody decides it.
    ///
    /// What was refused here because another node decides by now was not done, and goes
    /// there; and the other way round.
    async fn ask_wherever<I: RoomId, Q: Question>(
        &self,
        id: I,
        question: Q,
        keep: Keeping<Q>,
        way: Way<Q>,
    ) -> Answered<Q>
    where
        I::Room: Answers<Q>,
    {
        let journal = &self.0.context.archive.journal;
        if !journal.is_reachable() {
            return Err(Fault::Busy.into());
        }
        let (patience, mut asked) = (Deadline::after(PATIENCE), Some((question, keep)));
        loop {
            if !journal.owns(way.stream)
                && let Some(answer) = self.ask_elsewhere(&way, patience).await
            {
                return answer;
            }
            // How it is kept stays here the second time: whoever has the key keeps it.
            let again = || (way.travel.unpack)(&way.body).map(|question| (question, None));
            let Some((question, keep)) = asked.take().or_else(again) else {
                return Err(Fault::Gone.into());
            };
            match self.ask_here(id, question, keep).await {
                Err(Failure::Fault(Fault::Elsewhere)) if !patience.left().is_zero() => {}
                answer => return answer,
            }
        }
    }

    /// Asks the node that decides it, and waits until whoever is asked next shows what was
    /// decided. Comes back without an answer when this node decides it by now; nothing was
    /// done then.
    async fn ask_elsewhere<Q: Question>(
        &self,
        way: &Way<Q>,
        patience: Deadline,
    ) -> Option<Answered<Q>> {
        let Way { router, travel, stream, body } = way;
        let (journal, shard) = (&self.0.context.archive.journal, Shard::of(*stream));
        let under_way = self.0.elsewhere.begin();
        let (name, body, id) = (travel.name.to_owned(), body.clone(), Some(under_way.id()));
        let (version, stream_name, taken_over) = (VERSION, stream.to_string(), None);
        let mut question =
            PackedQuestion { version, stream: stream_name, name, body, id, taken_over };
        while !journal.owns(*stream) {
            if patience.left().is_zero() {
                return Some(Err(Fault::Elsewhere.into()));
            }
            let before = journal.taken_over(shard);
            question.taken_over = before.map(|it| it.sequence);
            let owner = before.map(|it| it.run);
            let response = match router.ask(shard, owner, pack(&question)).await {
                RoutedAnswer::Came(bytes) => unpack(&bytes).unwrap_or(Response::Failed),
                RoutedAnswer::Unheard => Response::NotMine,
                RoutedAnswer::Lost { run } => {
                    let lost = LostQuestion { under_way: &under_way, run, shard, before };
                    match self.find_out(lost, router, patience).await {
                        FoundOut::Done(decided) => {
                            return Some(self.decided_elsewhere(way, &decided).await);
                        }
                        FoundOut::NotDone => Response::NotMine,
                        FoundOut::Nothing => Response::Failed,
                    }
                }
            };
            let fault = match response {
                Response::NotMine => {
                    tokio::time::sleep(AGAIN).await;
                    continue;
                }
                Response::Answer { body, newest } => {
                    self.0.shown.shows(Cursor::new(newest)).await;
                    router.shown_everywhere(Cursor::new(newest)).await;
                    let answer = (travel.unpack_answer)(&body);
                    return Some(answer.ok_or_else(|| Fault::Gone.into()));
                }
                Response::Refusal { body } => match (travel.unpack_refusal)(&body) {
                    Some(refusal) => return Some(Err(Failure::Refused(refusal))),
                    None => Fault::Gone,
                },
                Response::Busy => Fault::Busy,
                Response::Full => Fault::Full,
                Response::Failed => Fault::Gone,
            };
            return Some(Err(fault.into()));
        }
        None
    }

    /// Finds out what became of a question whose answer did not come.
    async fn find_out(
        &self,
        lost: LostQuestion<'_>,
        router: &Arc<dyn Router>,
        patience: Deadline,
    ) -> FoundOut {
        let LostQuestion { under_way, run, shard, before } = lost;
        let sequence = |it: Option<TakeOver>| it.map_or(0, |it| it.sequence);
        loop {
            // In this order: what was decided before the take-over was heard before it.
            let last = self.0.context.archive.journal.taken_over(shard);
            if let Some(decided) = under_way.decided() {
                return FoundOut::Done(decided);
            }
            if sequence(last) > sequence(before) && last.is_some_and(|it| it.run != run) {
                return FoundOut::NotDone;
            }
            // It may still come to it.
            if router.lives(run) || patience.left().is_zero() {
                return FoundOut::Nothing;
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// The answer to what the log shows as decided, once whoever is asked next shows it.
    async fn decided_elsewhere<Q: Question>(&self, way: &Way<Q>, decided: &Decided) -> Answered<Q> {
        self.0.shown.shows(decided.commit.cursor).await;
        way.router.shown_everywhere(decided.commit.cursor).await;
        let answer = match way.travel.from_decided {
            Some(made) => made(&decided.recorded(&self.0.context.instance)),
            None => (way.travel.unpack_answer)(&decided.asked.answer),
        };
        answer.ok_or_else(|| Fault::Gone.into())
    }

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
