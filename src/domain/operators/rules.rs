//! Rules of the operators: rules of the same form as those of groups. They run in all groups, and those
//! that refuse also in chats, on what everybody but operators writes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::group::{CompiledRules, NOBODY, Rule, RuleContent, RuleListRefusal, Rules, saved_rule};
use crate::id_generator::IdGenerator;
use crate::ids::{RuleId, UserId};
use crate::instance::InstanceFact;
use crate::limits::{GROUP_RULES, RULE_PATTERNS, RULES_BYTES};
use crate::time::Timestamp;

/// Why a rule of the operators was not saved or deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum OperatorRuleRefusal {
    /// There is no such rule.
    #[error("there is no such rule")]
    NoRule,
    /// There are too many rules.
    #[error("the operators have at most {GROUP_RULES} rules")]
    Full,
    /// The rules have too many patterns.
    #[error("the rules of the operators have at most {RULE_PATTERNS} patterns in all")]
    TooManyPatterns,
    /// The rules would take too much memory.
    #[error(
        "the enabled rules of the operators take at most {RULES_BYTES} bytes when they are \
         compiled; use fewer or shorter words and patterns"
    )]
    TooLarge,
}

impl From<RuleListRefusal> for OperatorRuleRefusal {
    fn from(refusal: RuleListRefusal) -> Self {
        match refusal {
            RuleListRefusal::NoRule => Self::NoRule,
            RuleListRefusal::Full => Self::Full,
            RuleListRefusal::TooManyPatterns => Self::TooManyPatterns,
        }
    }
}

/// A rule before and after an act of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedRule {
    /// Before; `None` if it was made.
    pub before: Option<Arc<Rule>>,
    /// After; `None` if it was deleted.
    pub after: Option<Arc<Rule>>,
}

/// The rules of the operators as the room of the installation decides about them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperatorRuleList(Rules);

impl From<Rules> for OperatorRuleList {
    fn from(rules: Rules) -> Self {
        Self(rules)
    }
}

impl OperatorRuleList {
    /// The rules, the oldest first.
    pub const fn rules(&self) -> &Rules {
        &self.0
    }

    /// Makes a rule, or replaces the content of one. Decides nothing if that stays the same.
    ///
    /// # Errors
    /// If there is no such rule, or there are too many rules or patterns, or they would take too much
    /// memory.
    pub fn save(
        &self,
        by: UserId,
        id: Option<RuleId>,
        content: RuleContent,
        now: Timestamp,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<ChangedRule>, OperatorRuleRefusal> {
        let (known, rule) = saved_rule(&self.0, by, id, content, now, id_generator)?;
        let before = known.cloned();
        let answer = ChangedRule { before: before.clone(), after: Some(Arc::clone(&rule)) };
        if before.is_some_and(|before| Arc::ptr_eq(&before, &rule)) {
            return Ok(Decision::unchanged(answer));
        }
        let mut rules = Arc::clone(&self.0);
        Arc::make_mut(&mut rules).insert(rule.id, Arc::clone(&rule));
        if CompiledRules::of(&rules).bytes() > RULES_BYTES {
            return Err(OperatorRuleRefusal::TooLarge);
        }
        let fact = Fact::Instance(InstanceFact::RuleSaved(rule));
        Ok(Decision { facts: vec![fact], answer })
    }

    /// Deletes a rule.
    ///
    /// # Errors
    /// If there is no such rule.
    pub fn delete(&self, rule: RuleId) -> Result<Decision<ChangedRule>, OperatorRuleRefusal> {
        let before = self.0.get(&rule).cloned();
        let before = Some(before.ok_or(OperatorRuleRefusal::NoRule)?);
        let fact = Fact::Instance(InstanceFact::RuleDeleted { rule });
        Ok(Decision { facts: vec![fact], answer: ChangedRule { before, after: None } })
    }

    /// Applies a fact.
    pub fn apply(&mut self, fact: &InstanceFact) {
        match fact {
            InstanceFact::RuleSaved(rule) => {
                Arc::make_mut(&mut self.0).insert(rule.id, Arc::clone(rule));
            }
            InstanceFact::RuleDeleted { rule } => drop(Arc::make_mut(&mut self.0).remove(rule)),
            InstanceFact::SettingsChanged { .. }
            | InstanceFact::DirectoryGroupChanged { .. }
            | InstanceFact::Reported(_)
            | InstanceFact::ReportResolved { .. }
            | InstanceFact::InvitationChanged(_) => {}
        }
    }
}

/// The rules of the operators as rooms run them, and whom they spare. No rule says who saved it.
#[derive(Debug, Clone, Default)]
pub struct OperatorRules {
    rules: Rules,
    operators: BTreeSet<UserId>,
    /// Made when a room needs it first.
    compiled: Arc<OnceLock<CompiledRules>>,
}

impl OperatorRules {
    /// Rules, and the operators whom they spare.
    pub fn of(rules: &Rules, operators: BTreeSet<UserId>) -> Self {
        let unnamed = |rule: &Arc<Rule>| Arc::new(Rule { by: NOBODY, ..Rule::clone(rule) });
        let rules: BTreeMap<_, _> = rules.iter().map(|(id, rule)| (*id, unnamed(rule))).collect();
        Self { rules: Arc::new(rules), operators, compiled: Arc::default() }
    }

    /// The rules.
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Whether a rule runs.
    pub fn is_any_enabled(&self) -> bool {
        self.rules.values().any(|rule| rule.content.enabled)
    }

    /// Whether the rules spare what a user writes.
    pub fn spares(&self, user: UserId) -> bool {
        self.operators.contains(&user)
    }

    /// The enabled rules, compiled.
    pub fn compiled(&self) -> &CompiledRules {
        self.compiled.get_or_init(|| CompiledRules::of(&self.rules))
    }

    /// Adds or replaces a rule, or removes it.
    pub fn change(&mut self, id: RuleId, rule: Option<&Arc<Rule>>) {
        let rules = Arc::make_mut(&mut self.rules);
        match rule {
            Some(rule) => {
                rules.insert(id, Arc::new(Rule { by: NOBODY, ..Rule::clone(rule) }));
            }
            None => drop(rules.remove(&id)),
        }
        self.compiled = Arc::default();
    }

    /// Notes whether a user is an operator.
    pub fn note_operator(&mut self, user: UserId, is_operator: bool) {
        match is_operator {
            true => drop(self.operators.insert(user)),
            false => drop(self.operators.remove(&user)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::fixtures::{ANA, BEN, CountingIds, Table};
    use crate::group::{GroupFact, RuleAction, RuleKind, RunningRules, WordList};
    use crate::message::{Author, Message};
    use crate::text::{RuleName, RuleWord};

    fn content(word: &str, action: RuleAction) -> RuleContent {
        RuleContent {
            name: RuleName::parse("Rule".to_owned()).unwrap(),
            enabled: true,
            kind: RuleKind::Words(WordList {
                words: vec![RuleWord::parse(word.to_owned()).unwrap()],
                allow: Vec::new(),
            }),
            action,
            timeout: Some(60),
            message: None,
            exempts_bots: false,
            exempts_topics: Vec::new(),
        }
    }

    /// The rules with one of this action, which spare these operators.
    fn rules(action: RuleAction, operators: &[UserId]) -> OperatorRules {
        let now = Timestamp::from_seconds(1);
        let list = OperatorRuleList::default();
        let ids = CountingIds::default();
        let saved = list.save(UserId::new(9), None, content("rope", action), now, &ids).unwrap();
        let mut list = list;
        for fact in saved.facts {
            let Fact::Instance(fact) = fact else { panic!("{fact:?}") };
            list.apply(&fact);
        }
        OperatorRules::of(list.rules(), operators.iter().copied().collect())
    }

    /// Screens a post in a group, and returns the number of its facts, and its refusal.
    fn posts(table: &mut Table, author: UserId, rules: &OperatorRules) -> (usize, Option<String>) {
        let count = table.group.count + 1;
        let mut facts = 0;
        let screened = table.does(|group, now, ids| {
            let message = Message {
                author: Author::Member(author),
                text: Some("a rope".to_owned()),
                ..Message::silent(count, count)
            };
            let fact = Fact::Group(GroupFact::Posted(message.into()));
            let decided = Decision { facts: vec![fact], answer: () };
            let running = RunningRules { of_operators: Some(rules), of_group: None };
            let screened = group.screen(decided, None, running, now, ids);
            facts = screened.facts.len();
            Ok::<_, ()>(screened)
        });
        (facts, screened.unwrap().err().map(|broken| broken.to_string()))
    }

    #[test]
    fn everybody_but_operators_is_bound() {
        let refused = Some("a rule of this server does not allow this".to_owned());
        for (action, author, facts, refusal) in [
            (RuleAction::Refuse, BEN, 2, refused.clone()),
            (RuleAction::Hold, BEN, 2, Some("this message waits for approval".to_owned())),
            (RuleAction::Report, BEN, 3, None),
            (RuleAction::TimeOut, BEN, 2, None),
            // Nobody in the group decides about its owner.
            (RuleAction::Refuse, ANA, 1, refused.clone()),
            (RuleAction::Hold, ANA, 1, refused),
            (RuleAction::Report, ANA, 1, None),
            (RuleAction::TimeOut, ANA, 1, None),
        ] {
            let bound = rules(action, &[]);
            let done = posts(&mut Table::of_two(), author, &bound);
            assert_eq!(done, (facts, refusal), "{action:?} {author:?}");
            let spared = rules(action, &[author]);
            assert_eq!(posts(&mut Table::of_two(), author, &spared), (1, None));
        }
    }

    #[test]
    fn unchanged_rule_decides_nothing() {
        let now = Timestamp::from_seconds(1);
        let ids = CountingIds::default();
        let mut list = OperatorRuleList::default();
        let made = list.save(ANA, None, content("rope", RuleAction::Refuse), now, &ids).unwrap();
        let Some(Fact::Instance(fact)) = made.facts.first() else { panic!("{made:?}") };
        list.apply(fact);
        let rule = made.answer.after.unwrap();
        let same = list.save(BEN, Some(rule.id), content("rope", RuleAction::Refuse), now, &ids);
        assert_eq!(same.unwrap().facts, []);
        let other = list.save(BEN, Some(rule.id), content("rock", RuleAction::Refuse), now, &ids);
        assert_eq!(other.unwrap().answer.before, Some(Arc::clone(&rule)));
        let gone = list.delete(rule.id).unwrap();
        let Some(Fact::Instance(fact)) = gone.facts.first() else { panic!("{gone:?}") };
        list.apply(fact);
        assert_eq!(list.delete(rule.id).unwrap_err(), OperatorRuleRefusal::NoRule);
    }

    #[test]
    fn changed_rules_are_compiled_again() {
        let mut rules = rules(RuleAction::Refuse, &[]);
        assert_eq!(rules.compiled().matching("a rope").len(), 1);
        let id = *rules.rules().keys().next().unwrap();
        rules.note_operator(ANA, true);
        assert!(rules.spares(ANA) && rules.is_any_enabled());
        rules.change(id, None);
        assert!(rules.compiled().is_empty() && !rules.is_any_enabled());
        rules.note_operator(ANA, false);
        assert!(!rules.spares(ANA));
    }
}
