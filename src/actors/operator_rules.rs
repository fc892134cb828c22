//! The rules of the operators that rooms of this node run. The first room that starts loads them; from
//! then on a follower of the journal keeps them current, so that a change is in force before it is
//! answered.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::event::Fact;
use domain::group::Rule;
use domain::ids::{RuleId, StreamId, UserId};
use domain::instance::InstanceFact;
use domain::operators::rules::OperatorRules;
use domain::user::UserFact;
use index::{Index, IndexFault};
use journal::{Committed, Follower, Journal};

/// The rules of the operators, shared by all rooms.
#[derive(Debug, Clone, Default)]
pub struct SharedOperatorRules(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Counts the changes, so that rooms take the lock only after one.
    version: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    /// No room has needed the rules; what changed since the start.
    Unloaded(Changes),
    /// The rules.
    Loaded(Arc<OperatorRules>),
}

impl Default for State {
    fn default() -> Self {
        Self::Unloaded(Changes::default())
    }
}

/// Changes that came before the rules were loaded: the newest of each rule and each user.
#[derive(Debug, Default)]
struct Changes {
    rules: BTreeMap<RuleId, Option<Arc<Rule>>>,
    operators: BTreeMap<UserId, bool>,
}

impl SharedOperatorRules {
    /// The rules, kept current by this journal.
    pub fn following(journal: &dyn Journal) -> Self {
        let shared = Self::default();
        journal.follow(Box::new(OperatorRulesFollower(shared.clone())));
        shared
    }

    /// Loads the rules unless a room has loaded them before. The index must have everything that was
    /// durable when this node began to follow the journal. Blocks on the disk.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn load(&self, index: &Index) -> Result<Arc<OperatorRules>, IndexFault> {
        if let State::Loaded(rules) = &*self.state() {
            return Ok(Arc::clone(rules));
        }
        let operators = index.operators()?.into_iter().map(|(user, _)| user).collect();
        let mut rules = OperatorRules::of(&index.operator_rules()?, operators);
        let mut state = self.state();
        let changes = match &mut *state {
            State::Loaded(rules) => return Ok(Arc::clone(rules)),
            State::Unloaded(changes) => std::mem::take(changes),
        };
        for (id, rule) in changes.rules {
            rules.change(id, rule.as_ref());
        }
        for (user, is_operator) in changes.operators {
            rules.note_operator(user, is_operator);
        }
        let rules = Arc::new(rules);
        *state = State::Loaded(Arc::clone(&rules));
        self.0.version.fetch_add(1, Ordering::Release);
        Ok(rules)
    }

    fn change(&self, id: RuleId, rule: Option<&Arc<Rule>>) {
        match &mut *self.state() {
            State::Unloaded(changes) => drop(changes.rules.insert(id, rule.cloned())),
            State::Loaded(rules) => Arc::make_mut(rules).change(id, rule),
        }
        self.0.version.fetch_add(1, Ordering::Release);
    }

    fn note_operator(&self, user: UserId, is_operator: bool) {
        match &mut *self.state() {
            State::Unloaded(changes) => drop(changes.operators.insert(user, is_operator)),
            State::Loaded(rules) => Arc::make_mut(rules).note_operator(user, is_operator),
        }
        self.0.version.fetch_add(1, Ordering::Release);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The rules of the operators as a room knows them. While they stay the same, looking at them is one
/// load of a number: no lock, and no copy.
#[derive(Debug)]
pub struct KnownOperatorRules {
    version: u64,
    rules: Option<Arc<OperatorRules>>,
}

impl Default for KnownOperatorRules {
    fn default() -> Self {
        Self { version: u64::MAX, rules: None }
    }
}

impl KnownOperatorRules {
    /// Takes in what changed. Returns the rules if they changed.
    pub fn refresh(&mut self, shared: &SharedOperatorRules) -> Option<&Arc<OperatorRules>> {
        let version = shared.0.version.load(Ordering::Acquire);
        if version == self.version {
            return None;
        }
        self.version = version;
        self.rules = match &*shared.state() {
            State::Loaded(rules) => Some(Arc::clone(rules)),
            State::Unloaded(_) => None,
        };
        self.rules.as_ref()
    }

    /// The rules, as of the last [`Self::refresh`].
    pub fn known(&self) -> Option<&OperatorRules> {
        self.rules.as_deref()
    }

    /// The same if one of them runs.
    pub fn running(&self) -> Option<&OperatorRules> {
        self.known().filter(|rules| rules.is_any_enabled())
    }
}

/// Keeps the rules up to date with the journal.
struct OperatorRulesFollower(SharedOperatorRules);

impl Follower for OperatorRulesFollower {
    fn project(&mut self, commits: &[Arc<Committed>]) {
        for commit in commits {
            for entry in &commit.entries {
                match (commit.stream, &entry.event.fact) {
                    (StreamId::Instance, Fact::Instance(InstanceFact::RuleSaved(rule))) => {
                        self.0.change(rule.id, Some(rule));
                    }
                    (StreamId::Instance, Fact::Instance(InstanceFact::RuleDeleted { rule })) => {
                        self.0.change(*rule, None);
                    }
                    (StreamId::User(user), Fact::User(UserFact::OperatorRoleSet { role })) => {
                        self.0.note_operator(user, role.is_some());
                    }
                    (StreamId::User(user), Fact::User(UserFact::Deleted)) => {
                        self.0.note_operator(user, false);
                    }
                    _ => {}
                }
            }
        }
    }

    fn durable(&mut self, _: &Arc<[Arc<Committed>]>) {}
}
