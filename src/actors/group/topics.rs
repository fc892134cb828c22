//! Topics: what the room of a group does with each question about them, and what the room of a topic
//! has from the one of its group.

use std::sync::Arc;

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask};
use crate::conversation::ConversationRoom;
use crate::group::GroupActor;
use crate::group::protocol::{ListTopics, MakeTopic, RemoveTopic, UpdateTopic};
use crate::ledger::Recording;
use crate::topic_parents::ParentCell;
use domain::group::{Group, GroupFact, TopicParent, TopicRefusal};

/// What ties the rooms of a group and of its topics together.
pub(super) enum TopicTie {
    /// The room is one of a group without topics.
    None,
    /// The room is one of a group, and puts its state here.
    Parent(Arc<ParentCell>),
    /// The room is one of a topic, and finds the state of its group here.
    Topic(Arc<ParentCell>),
}

impl GroupActor {
    /// Whether the room is one of a topic.
    pub(super) const fn is_topic(&self) -> bool {
        matches!(self.tie, TopicTie::Topic(_))
    }

    /// In a topic, takes over what was decided in the group meanwhile.
    pub(super) fn follow_parent(&mut self) {
        let TopicTie::Topic(cell) = &self.tie else { return };
        let (Some(parent), Some(group)) = (cell.newest(), &mut self.group) else { return };
        let had = Arc::clone(group.rules());
        group.follow(&parent);
        if !Arc::ptr_eq(&had, group.rules()) {
            self.compiled = None;
        }
    }

    /// In a group with topics, shows them the state of the group when the room starts.
    pub(super) fn begin_as_parent(&mut self) {
        let Some(group) = self.group.as_ref().filter(|it| it.parent().is_none()) else { return };
        if group.has_topics() {
            let cell = self.context.topic_parents.of(self.id);
            cell.put(group.as_parent());
            self.tie = TopicTie::Parent(cell);
        }
    }

    /// In a group with topics, shows them the state of the group after a fact.
    pub(super) fn show_topics(&mut self, fact: &GroupFact, snapshot: &Arc<Group>) {
        if matches!(fact, GroupFact::Topic(_)) && matches!(self.tie, TopicTie::None) {
            self.tie = TopicTie::Parent(self.context.topic_parents.of(self.id));
        }
        if let (TopicTie::Parent(cell), Some(group)) = (&self.tie, &self.group) {
            let rules = Arc::clone(group.rules());
            cell.put(TopicParent { group: Arc::clone(snapshot), rules });
        }
    }
}

impl Answers<ListTopics> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ListTopics> {
        Some(Err(TopicRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<ListTopics>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        let reader = ask.question.reader;
        let reply = ask.reply;
        let group = self.group.as_ref().ok_or(TopicRefusal::NotAMember);
        match group.and_then(|group| group.topics_for(reader).map(Arc::clone)) {
            Ok(topics) => self.when_durable(move |room| {
                let topics = topics.values().cloned().collect();
                reply.send(room.map(|_| topics).map_err(Into::into));
            }),
            Err(refusal) => self.refuse_once_durable(refusal, reply),
        }
    }
}

impl Answers<MakeTopic> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<MakeTopic> {
        Some(Err(TopicRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<MakeTopic>, ctx: &mut Context<Self>) {
        let MakeTopic { by, new } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, TopicRefusal::NotAMember, |group, now, id_generator| {
            group.make_topic(by, new, now, id_generator)
        });
        self.record_screened(decided, now, ask.reply, ctx, |_, topic| topic);
    }
}

impl Answers<UpdateTopic> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<UpdateTopic> {
        Some(Err(TopicRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<UpdateTopic>, ctx: &mut Context<Self>) {
        let UpdateTopic { by, topic, update } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, TopicRefusal::NotAMember, |group, now, id_generator| {
            group.update_topic(by, topic, update, now, id_generator)
        });
        self.record_screened(decided, now, ask.reply, ctx, |_, topic| topic);
    }
}

impl Answers<RemoveTopic> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<RemoveTopic> {
        Some(Err(TopicRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<RemoveTopic>, ctx: &mut Context<Self>) {
        let RemoveTopic { by, topic } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, TopicRefusal::NotAMember, |group, now, id_generator| {
            group.remove_topic(by, topic, now, id_generator)
        });
        self.record(decided, now, ask.reply, ctx);
    }
}
