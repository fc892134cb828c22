//! Creating a group and posting in it: what the room does with each question.

use std::sync::Arc;

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask};
use crate::conversation::ConversationRoom;
use crate::group::GroupActor;
use crate::group::protocol::{CreateCopy, CreateGroup, CreateRefusal, PostMessage};
use crate::ledger::Recording;
use domain::addressees::replied_to;
use domain::event::{Decision, Fact};
use domain::group::{GroupFact, NewGroup, Newcomer, PostRefusal, refused_new_group};
use domain::message::Message;
use domain::time::Moment;

impl Answers<PostMessage> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<PostMessage> {
        Some(Err(PostRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<PostMessage>, ctx: &mut Context<Self>) {
        let original = replied_to(&ask.question.message.attachments);
        // For strangers, nothing is looked up.
        let original = original.filter(|_| self.may_read(ask.question.author));
        self.with_replied_to(original, ask, ctx, Self::post);
    }
}

impl GroupActor {
    /// Posts. `original` is the message that the post replies to, if there is one and it was found.
    fn post(
        &mut self,
        ask: Ask<PostMessage>,
        original: Option<Arc<Message>>,
        ctx: &mut Context<Self>,
    ) {
        let PostMessage { author, message } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, PostRefusal::NotAMember, |group, now, id_generator| {
            group.post(author, (message, original.as_deref()), now, id_generator)
        });
        self.record_screened(decided, now, ask.reply, ctx, Self::with_json);
    }
}

impl GroupActor {
    /// Creates the group, unless a rule of the operators refuses its name or its description.
    fn create(
        &mut self,
        new: NewGroup,
        owner: Newcomer,
        now: Moment,
    ) -> Result<Decision<()>, CreateRefusal> {
        let fact = new.created_by(owner, &*self.context.id_generator);
        self.create_by(vec![Fact::Group(fact)], now)
    }

    /// Creates the group by these facts, unless a rule of the operators refuses its name or its
    /// description, or a group lives under the id already.
    fn create_by(&mut self, facts: Vec<Fact>, now: Moment) -> Result<Decision<()>, CreateRefusal> {
        // Ids are fresh, so no caller gets the id of a group that exists.
        if self.group.is_some() {
            return Err(CreateRefusal::Known);
        }
        self.refresh_operator_rules();
        let first = facts.first().and_then(Fact::group);
        if let (Some(rules), Some(GroupFact::Created { settings, owner })) =
            (self.operator_rules.running(), first)
            && let Some(broken) = refused_new_group(settings, owner, rules, now.wall)
        {
            return Err(broken.into());
        }
        Ok(Decision { facts, answer: () })
    }
}

impl Answers<CreateGroup> for GroupActor {
    fn answer(&mut self, ask: Ask<CreateGroup>, ctx: &mut Context<Self>) {
        let CreateGroup { new, owner } = ask.question;
        let now = self.context.clock.now();
        let decided = self.create(new, owner, now);
        self.record_as(decided, now, ask.reply, ctx, |room, ()| room.view());
    }
}

impl Answers<CreateCopy> for GroupActor {
    fn answer(&mut self, ask: Ask<CreateCopy>, ctx: &mut Context<Self>) {
        let CreateCopy { copy, owner } = ask.question;
        let now = self.context.clock.now();
        let facts = copy.created_by(owner, now.wall, &*self.context.id_generator);
        let decided = self.create_by(facts, now);
        self.record_as(decided, now, ask.reply, ctx, |room, ()| room.view());
        self.look_up_open_requests(ctx);
    }
}
