//! Polls of a group: making one, voting, ending it.

use std::sync::Arc;

use crate::alarm::AlarmAnswer;
use crate::attachment::Attachment;
use crate::event::{Decision, Fact};
use crate::group::{Group, GroupAct, GroupFact};
use crate::id_generator::IdGenerator;
use crate::ids::{PollId, UserId};
use crate::message::{Author, Message, SystemMessage};
use crate::named::PollOutcome;
use crate::polls::{MadePoll, NewPoll, Poll, PollChange, PollRefusal};
use crate::revision::MessageState;
use crate::time::{Moment, Timestamp};

impl Group {
    /// Makes a poll, and a message from its maker that carries it.
    ///
    /// # Errors
    /// If the caller is no member, or the poll is not allowed.
    pub fn make_poll(
        &self,
        by: UserId,
        new: NewPoll,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<(PollId, Arc<Message>)>, PollRefusal> {
        let member = self.member(by).ok_or(PollRefusal::NotAMember)?;
        self.permit(member, GroupAct::MakePolls, now.wall)?;
        self.keep_pace(member, now.wall)?;
        self.polls.admit(&new, now.wall)?;
        let id = id_generator.message(now.wall);
        let poll = PollId::new(id.get());
        let user = member.named();
        let subject = new.subject.clone();
        let line = SystemMessage::PollCreated { user, poll, subject };
        let message = Arc::new(Message {
            id,
            author: Author::Member(by),
            name: member.nickname.as_str().to_owned(),
            avatar: member.image.clone(),
            source_guid: format!("{:032x}", id.get()),
            text: Some(line.text()),
            attachments: vec![Attachment::Poll { poll }],
            count: self.count + 1,
            line: Some(line),
            written_at: Message::written_at(id, now.wall),
            parent: self.parent(),
            state: MessageState::default(),
        });
        let made = MadePoll { id: poll, owner: by, at: now.wall, poll: new };
        let facts = vec![polled(PollChange::Made(made)), posted(&message)];
        Ok(Decision { facts, answer: (poll, message) })
    }

    /// Votes, or replaces the caller's earlier vote.
    ///
    /// # Errors
    /// If the caller is no member, the poll is over, or it does not take such a vote.
    pub fn vote(
        &self,
        by: UserId,
        (poll, options): (PollId, Vec<u8>),
        now: Timestamp,
    ) -> Result<Decision<()>, PollRefusal> {
        let member = self.member(by).ok_or(PollRefusal::NotAMember)?;
        self.permit(member, GroupAct::Vote, now)?;
        let change = self.polls.vote(poll, by, options, now)?;
        Ok(Decision { facts: change.into_iter().map(polled).collect(), answer: () })
    }

    /// Ends a poll before its time. Its maker, the owner and admins may do so.
    ///
    /// # Errors
    /// If the caller is no member or may not end the poll, or if it is over.
    pub fn end_poll(
        &self,
        by: UserId,
        poll: PollId,
        now: Timestamp,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<()>, PollRefusal> {
        let member = self.member(by).ok_or(PollRefusal::NotAMember)?;
        self.refuse_timed_out(by, now)?;
        let known = self.polls.open(poll).ok_or(PollRefusal::Over)?;
        if known.made.owner != by && !self.grants(member, GroupAct::EndPolls) {
            return Err(PollRefusal::NotTheMaker);
        }
        Ok(Decision { facts: self.over(known, Some(by), now, id_generator), answer: () })
    }

    /// The facts of the end of a poll whose time has come.
    pub(super) fn expire_poll(
        &self,
        poll: PollId,
        now: Timestamp,
        id_generator: &dyn IdGenerator,
    ) -> AlarmAnswer<Vec<Fact>> {
        let open = self.polls.open(poll).map(|open| (open.made.poll.ends, open));
        AlarmAnswer::due(open, now).map(|poll| self.over(poll, None, now, id_generator))
    }

    fn over(
        &self,
        poll: &Poll,
        by: Option<UserId>,
        now: Timestamp,
        id_generator: &dyn IdGenerator,
    ) -> Vec<Fact> {
        let MadePoll { id, poll: asked, .. } = &*poll.made;
        let outcome = |(title, votes): (&String, u32)| PollOutcome { title: title.clone(), votes };
        let line = SystemMessage::PollFinished {
            poll: *id,
            subject: asked.subject.clone(),
            options: asked.options.iter().zip(poll.tally()).map(outcome).collect(),
            by,
        };
        vec![
            polled(PollChange::Ended { poll: *id, by }),
            self.system_message(line, now, id_generator),
        ]
    }
}

fn polled(change: PollChange) -> Fact {
    Fact::Group(GroupFact::Polled(Arc::new(change)))
}

fn posted(message: &Arc<Message>) -> Fact {
    Fact::Group(GroupFact::Posted(Arc::clone(message)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::fixtures::{ANA, BEN, Table};
    use crate::polls::{PollKind, Visibility};

    fn asks(table: &mut Table, by: UserId) -> PollId {
        let made = table.does(|group, now, id_generator| {
            let options = vec!["six".to_owned(), "seven".to_owned()];
            let kind = PollKind::Single;
            let visibility = Visibility::Anonymous;
            let ends = now.wall.plus_millis(3_600_000);
            let new = NewPoll { subject: "when?".to_owned(), options, ends, kind, visibility };
            group.make_poll(by, new, now, id_generator)
        });
        made.unwrap().0
    }

    fn ends(table: &mut Table, by: UserId, poll: PollId) -> Result<(), PollRefusal> {
        table.does(|group, now, id_generator| group.end_poll(by, poll, now.wall, id_generator))
    }

    #[test]
    fn creator_owner_and_admins_end_a_poll() {
        let mut table = Table::of_three();
        let bens = asks(&mut table, BEN);
        let anas = asks(&mut table, ANA);
        table.does(|group, now, _| group.vote(BEN, (bens, vec![2]), now.wall)).unwrap();
        assert_eq!(ends(&mut table, BEN, anas), Err(PollRefusal::NotTheMaker));
        ends(&mut table, ANA, bens).unwrap();
        assert_eq!(table.lines(), ["The poll 'when?' has ended: six 0, seven 1."]);
        assert_eq!(ends(&mut table, BEN, bens), Err(PollRefusal::Over));
    }

    #[test]
    fn poll_expires_once() {
        let mut table = Table::of_two();
        let poll = asks(&mut table, BEN);
        let expires = |table: &mut Table, at: Timestamp| {
            let expire = |group: &Group, _, ids: &dyn IdGenerator| {
                let facts = match group.expire_poll(poll, at, ids) {
                    AlarmAnswer::Rung(facts) => facts,
                    AlarmAnswer::NothingToDo | AlarmAnswer::NotBefore(_) => Vec::new(),
                };
                Ok::<_, PollRefusal>(Decision { facts, answer: () })
            };
            table.does(expire).unwrap();
            table.facts.len()
        };
        let end = table.group.polls.open(poll).unwrap().made.poll.ends;
        assert_eq!(expires(&mut table, Timestamp::from_millis(end.millis() - 1)), 0);
        assert_eq!(expires(&mut table, end), 2);
        assert_eq!(expires(&mut table, end), 0);
    }
}
