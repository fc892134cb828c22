//! Polls: the questions about them, and what the room does with each.

use std::sync::Arc;

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Question};
use crate::conversation::ConversationRoom;
use crate::group::GroupActor;
use crate::ledger::Recording;
use domain::ids::{PollId, UserId};
use domain::likes::Likers;
use domain::message::ShownMessage;
use domain::polls::{NewPoll, Poll, PollRefusal};
use wire::message;

/// Starts a poll. Sent by `http::polls::create`; answered once the poll is on disk.
#[derive(Debug)]
pub struct MakePoll {
    /// The member who starts the poll.
    pub by: UserId,
    /// The poll as requested.
    pub new: NewPoll,
}

/// A poll that was started, with its message.
#[derive(Debug, Clone)]
pub struct AskedPoll {
    /// The poll.
    pub poll: Arc<Poll>,
    /// The message that shows the poll.
    pub message: ShownMessage,
}

impl Question for MakePoll {
    type Answer = AskedPoll;
    type Refusal = PollRefusal;
    const DECIDES: bool = true;
    const IN_TOPICS: bool = true;
}

/// Votes in a poll. Sent by `http::polls`; answered with the poll as it is on disk by then, also if
/// the vote changed nothing.
#[derive(Debug)]
pub struct Vote {
    /// The member who votes.
    pub by: UserId,
    /// The poll.
    pub poll: PollId,
    /// The numbers of the chosen options, counted from 1.
    pub options: Vec<u8>,
}

impl Question for Vote {
    type Answer = Arc<Poll>;
    type Refusal = PollRefusal;
    const DECIDES: bool = true;
    const IN_TOPICS: bool = true;
}

/// Ends a poll before its time. Sent by `http::polls::end`; answered with the poll as it is then.
#[derive(Debug)]
pub struct EndPoll {
    /// The member who ends the poll.
    pub by: UserId,
    /// The poll.
    pub poll: PollId,
}

impl Question for EndPoll {
    type Answer = Arc<Poll>;
    type Refusal = PollRefusal;
    const DECIDES: bool = true;
    const IN_TOPICS: bool = true;
}

impl GroupActor {
    fn poll(&self, id: PollId) -> Arc<Poll> {
        let polls = self.group.as_ref().map(|group| &group.polls);
        polls.and_then(|polls| polls.get(id)).cloned().expect("the rule found it")
    }
}

impl Answers<MakePoll> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<MakePoll> {
        Some(Err(PollRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<MakePoll>, ctx: &mut Context<Self>) {
        let MakePoll { by, new } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, PollRefusal::NotAMember, |group, now, id_generator| {
            group.make_poll(by, new, now, id_generator)
        });
        self.record_screened(decided, now, ask.reply, ctx, |room, (poll, message)| {
            let instance = &room.context.instance;
            let json = message::json(room.id, &message, Likers::NOBODY, instance);
            AskedPoll { poll: room.poll(poll), message: ShownMessage { message, json } }
        });
    }
}

impl Answers<Vote> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<Vote> {
        Some(Err(PollRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<Vote>, ctx: &mut Context<Self>) {
        let Vote { by, poll, options } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, PollRefusal::NotAMember, |group, now, _| {
            group.vote(by, (poll, options), now.wall)
        });
        self.record_as(decided, now, ask.reply, ctx, move |room, ()| room.poll(poll));
    }
}

impl Answers<EndPoll> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<EndPoll> {
        Some(Err(PollRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<EndPoll>, ctx: &mut Context<Self>) {
        let EndPoll { by, poll } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, PollRefusal::NotAMember, |group, now, id_generator| {
            group.end_poll(by, poll, now.wall, id_generator)
        });
        self.record_as(decided, now, ask.reply, ctx, move |room, ()| room.poll(poll));
    }
}
