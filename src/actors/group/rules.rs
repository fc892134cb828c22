//! Rules: what the room does with each question about them, and how it compiles them.
//!
//! The room keeps the compiled form from one change to the next. All rooms share a budget for it;
//! a room that finds it full compiles the rules for each post.

use std::sync::Arc;

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Reply};
use crate::group::GroupActor;
use crate::group::protocol::{DeleteRule, ListRules, SaveRule, TestRules};
use crate::ledger::Recording;
use base::bounds::Permit;
use domain::group::{CompiledRules, GroupFact, Rule, RuleRefusal};
use domain::limits::RULES_BYTES;

/// The compiled rules of a room, with their share of the budget.
#[derive(Debug)]
pub(super) struct HeldRules {
    rules: Arc<CompiledRules>,
    _memory: Permit,
}

impl Answers<SaveRule> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<SaveRule> {
        Some(Err(RuleRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<SaveRule>, ctx: &mut Context<Self>) {
        let SaveRule { by, rule, content } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, RuleRefusal::NotAMember, |group, now, id_generator| {
            group.save_rule(by, rule, content, now.wall, id_generator)
        });
        let held = match &decided {
            Ok(decision) if !decision.facts.is_empty() => self.compile_with(&decision.answer),
            Ok(_) | Err(_) => Ok(None),
        };
        let (decided, held) = match held {
            Ok(held) => (decided, held),
            Err(refusal) => (Err(refusal), None),
        };
        self.record_as(decided, now, ask.reply, ctx, move |room, rule| {
            if held.is_some() {
                room.compiled = held;
            }
            rule
        });
    }
}

impl Answers<DeleteRule> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<DeleteRule> {
        Some(Err(RuleRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<DeleteRule>, ctx: &mut Context<Self>) {
        let DeleteRule { by, rule } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, RuleRefusal::NotAMember, |group, now, _| {
            group.delete_rule(by, rule, now.wall)
        });
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<ListRules> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ListRules> {
        Some(Err(RuleRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<ListRules>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        let now = self.context.clock.now().wall;
        let reader = ask.question.reader;
        let group = self.group.as_ref().ok_or(RuleRefusal::NotAMember);
        let rules = group.and_then(|group| group.rules_for(reader, now));
        let rules = rules.map(|rules| rules.values().cloned().collect());
        self.answer_once_durable(rules, ask.reply);
    }
}

impl Answers<TestRules> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<TestRules> {
        Some(Err(RuleRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<TestRules>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        let now = self.context.clock.now().wall;
        let TestRules { by, text } = ask.question;
        let group = self.group.as_ref().ok_or(RuleRefusal::NotAMember);
        let found = group.and_then(|group| group.rules_for(by, now)).map(|rules| {
            let matching = CompiledRules::of_all(rules.values()).matching(&text);
            matching.iter().filter_map(|id| rules.get(id)).cloned().collect()
        });
        self.answer_once_durable(found, ask.reply);
    }
}

impl GroupActor {
    /// Answers with rules once everything that was decided so far is durable.
    fn answer_once_durable(
        &mut self,
        answer: Result<Vec<Arc<Rule>>, RuleRefusal>,
        reply: Reply<Vec<Arc<Rule>>, RuleRefusal>,
    ) {
        match answer {
            Ok(rules) => self.when_durable(move |room| {
                reply.send(room.map(|_| rules).map_err(Into::into));
            }),
            Err(refusal) => self.refuse_once_durable(refusal, reply),
        }
    }

    /// Compiles the rules as they are with this one.
    fn compile_with(&mut self, rule: &Arc<Rule>) -> Result<Option<HeldRules>, RuleRefusal> {
        let known = self.group.as_ref().map(|group| group.rules().clone());
        let mut rules = known.unwrap_or_default();
        Arc::make_mut(&mut rules).insert(rule.id, Arc::clone(rule));
        let compiled = CompiledRules::of(&rules);
        if compiled.bytes() > RULES_BYTES {
            return Err(RuleRefusal::TooLarge);
        }
        // The room gives back what it holds; if this rule is not saved, the next post compiles again.
        self.compiled = None;
        let memory = self.context.rules_memory.try_hold(compiled.bytes());
        let memory = memory.map_err(|_| RuleRefusal::NoMemory)?;
        Ok(Some(HeldRules { rules: Arc::new(compiled), _memory: memory }))
    }

    /// Takes in the rules of the operators, if they changed, and counts what they need.
    pub(super) fn refresh_operator_rules(&mut self) {
        let changed = self.operator_rules.refresh(&self.context.operator_rules);
        if let (Some(rules), Some(group)) = (changed, &mut self.group) {
            group.watch_operators_rules(rules.rules());
        }
    }

    /// Drops the compiled rules if a fact changes the rules.
    pub(super) fn forget_compiled(&mut self, fact: &GroupFact) {
        let is_change = matches!(fact, GroupFact::Disbanded { .. })
            || matches!(fact, GroupFact::Moderated(moderation) if moderation.changes_rules());
        if is_change {
            self.compiled = None;
        }
    }

    /// The compiled rules; `None` if there are none that run.
    pub(super) fn compiled_rules(&mut self) -> Option<Arc<CompiledRules>> {
        let group = self.group.as_ref()?;
        group.running_rules().next()?;
        if let Some(held) = &self.compiled {
            return Some(Arc::clone(&held.rules));
        }
        let compiled = Arc::new(CompiledRules::of_all(group.running_rules()));
        if let Ok(memory) = self.context.rules_memory.try_hold(compiled.bytes()) {
            self.compiled = Some(HeldRules { rules: Arc::clone(&compiled), _memory: memory });
        }
        Some(compiled)
    }
}
