//! The reconciler: carries what happened to an account into its groups. A new name or picture is
//! shown in every group, an invite becomes a membership, deleted accounts are taken out, and so are
//! the bots of an application that ended. A request to add people is settled, whatever interrupted
//! it.
//!
//! What is to be done stays in the index (see [`index::due`]) until it is done, so it is
//! found again after a crash, and the client that asked for it need not be connected any more. Each
//! step does nothing if it was done before.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use tokio::sync::watch;

use actors::ask::{Failure, Fault};
use actors::directory::Directory;
use actors::group::account_changes::{
    Depart, RedeemInvites, ResumeAdds, ResumedAdds, UpdateMemberProfile,
};
use actors::group::protocol::RemoveBot;
use base::bounds::turns::Owner;
use domain::group::Newcomer;
use domain::ids::{GroupId, StreamId, UserId};
use domain::user::UserFact;
use index::IndexFault;
use index::archive::Archive;
use index::due::{OrphanBot, UserInGroup};
use journal::{Committed, Cursor, Follower};

/// Steps that are listed at once.
const LISTED: usize = 256;
/// Concurrent steps; each is a question to a room.
const AT_ONCE: usize = 16;
/// Timeout of one step; past that it is left for the next pass.
const STEP: Duration = Duration::from_secs(5);
/// Delay before a failed pass is repeated.
const AGAIN: Duration = Duration::from_secs(1);
/// How long a request that changed an account waits for its consequences; they continue in the
/// background.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a list of groups waits for them.
const PATIENCE_OF_LISTS: Duration = Duration::from_secs(1);

/// Carries the changes of accounts into groups. Cheap to clone.
#[derive(Clone)]
pub struct Reconciler(Arc<Inner>);

struct Inner {
    directory: Directory,
    /// The newest commit that may have made a step due.
    heard: watch::Sender<Cursor>,
    /// Counts steps, to wake those who wait.
    steps: watch::Sender<u64>,
    /// Steps that a room refused, or that changed nothing: tried again when something else happens
    /// to the user or the group.
    answered: Mutex<AnsweredWork>,
}

/// How a step or a pass ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Nothing more is to be done until another commit.
    Over,
    /// It is to be tried again.
    Failed,
}

impl Reconciler {
    /// Starts to follow the journal and to do what is due, steps left undone before included.
    /// Called once, on a thread with an actix system.
    pub fn start(directory: Directory) -> Self {
        let heard = watch::Sender::new(Cursor::START);
        let steps = watch::Sender::new(0);
        let inner = Arc::new(Inner { directory, heard, steps, answered: Mutex::default() });
        let follower = ReconcilerFollower(Arc::downgrade(&inner));
        inner.directory.context().archive.journal.follow(Box::new(follower));
        let working = Arc::clone(&inner);
        actix::spawn(async move { working.run().await });
        Self(inner)
    }

    /// Waits until everything is done that follows from the account's changes so far, as far as
    /// rooms can do it now; for ten seconds at most, since it continues by itself.
    pub async fn settled(&self, user: UserId) {
        if tokio::time::timeout(PATIENCE, self.0.settled(user)).await.is_err() {
            tracing::info!(
                user.id = %user,
                "applying an account's changes to its groups takes long; continuing in the \
                 background"
            );
        }
    }

    /// As [`Self::settled`], before a list of a user's groups; for a second at most.
    pub async fn settled_soon(&self, user: UserId) {
        // After a timeout the list shows what is there.
        drop(tokio::time::timeout(PATIENCE_OF_LISTS, self.0.settled(user)).await);
    }
}

impl Inner {
    async fn run(&self) {
        let mut heard = self.heard.subscribe();
        loop {
            let upto = *heard.borrow_and_update();
            let pass = self.pass(upto).await;
            self.steps.send_modify(|steps| *steps += 1);
            let again = match pass {
                Ok(Step::Over) => None,
                Ok(Step::Failed) => Some(AGAIN),
                Err(fault) => {
                    tracing::warn!(%fault, "reading the pending changes failed; retrying");
                    Some(AGAIN)
                }
            };
            tokio::select! {
                // `self` holds the sender, so this never fails.
                changed = heard.changed() => if changed.is_err() { return },
                () = tokio::time::sleep(again.unwrap_or_default()), if again.is_some() => {}
            }
        }
    }

    /// Does everything that is due as of this commit, once, if this node leads.
    async fn pass(&self, upto: Cursor) -> Result<Step, IndexFault> {
        self.archive().index.reached(upto).await?;
        if !self.archive().journal.leads() {
            return Ok(Step::Over);
        }
        let fitted = self.fit_all().await?;
        let removed = self.remove_orphans().await?;
        let added = self.take_up_adds().await?;
        let is_over = [fitted, removed, added].iter().all(|step| *step == Step::Over);
        Ok(if is_over { Step::Over } else { Step::Failed })
    }

    async fn fit_all(&self) -> Result<Step, IndexFault> {
        let mut after = None;
        let mut outcome = Step::Over;
        loop {
            let due = self.archive().blocking(Owner::Server, move |it| it.index.due(after, LISTED));
            let due = due.await?;
            let Some(last) = due.last() else { return Ok(outcome) };
            after = Some(*last);
            let steps = stream::iter(self.not_answered(due)).map(|due| self.step(due));
            let mut steps = steps.buffer_unordered(AT_ONCE);
            while let Some(step) = steps.next().await {
                self.steps.send_modify(|steps| *steps += 1);
                if step == Step::Failed {
                    outcome = Step::Failed;
                }
            }
        }
    }

    /// Removes bots of applications that ended.
    async fn remove_orphans(&self) -> Result<Step, IndexFault> {
        let mut after = None;
        let mut outcome = Step::Over;
        loop {
            let from = after.take();
            let listed = self
                .archive()
                .blocking(Owner::Server, move |it| it.index.orphans(from, LISTED))
                .await?;
            let Some(last) = listed.last() else { return Ok(outcome) };
            after = Some(last.clone());
            for orphan in listed {
                let (by, group, bot) = orphan.clone();
                let work = DueWork::RemoveBot(orphan);
                if !self.answered().begin(&work) {
                    continue;
                }
                let removed = self.directory.ask(group, RemoveBot { by, bot }).await;
                let is_answered = !matches!(removed, Err(Failure::Fault(_)));
                self.answered().end(&work, is_answered);
                if let Err(Failure::Fault(fault)) = removed {
                    tracing::warn!(
                        group.id = %group, %fault,
                        "removing the bot of a deleted application failed; retrying"
                    );
                    outcome = Step::Failed;
                }
            }
        }
    }

    /// Settles requests to add people. They are looked at again until each is settled: the look-up
    /// may fail, and so may its commit.
    async fn take_up_adds(&self) -> Result<Step, IndexFault> {
        let mut after = None;
        let mut outcome = Step::Over;
        loop {
            let listed =
                self.archive().blocking(Owner::Server, move |it| it.index.open_adds(after, LISTED));
            let listed = listed.await?;
            let Some(last) = listed.last() else { return Ok(outcome) };
            after = Some(*last);
            for group in listed {
                let work = DueWork::SettleAdds(group);
                if !self.answered().begin(&work) {
                    continue;
                }
                let resumed = self.directory.ask(group, ResumeAdds).await;
                let is_over = matches!(resumed, Ok(ResumedAdds::NoneOpen));
                self.answered().end(&work, is_over);
                if !is_over {
                    outcome = Step::Failed;
                }
                if let Err(Failure::Fault(fault)) = resumed {
                    tracing::warn!(
                        group.id = %group, %fault,
                        "adding users to a group failed; retrying"
                    );
                }
            }
        }
    }

    fn archive(&self) -> &Archive {
        &self.directory.context().archive
    }

    async fn step(&self, due: UserInGroup) -> Step {
        let ((user, group), work) = (due, DueWork::Fit(due));
        self.answered().begin(&work);
        let done = tokio::time::timeout(STEP, self.fit(due)).await;
        let done = done.unwrap_or(Err(Failure::Fault(Fault::Late)));
        self.answered().end(&work, !matches!(done, Err(Failure::Fault(_))));
        match done {
            Ok(()) => Step::Over,
            Err(Failure::Refused(reason)) => {
                tracing::debug!(
                    user.id = %user, group.id = %group, %reason,
                    "the group refused a pending change; dropping it"
                );
                Step::Over
            }
            Err(Failure::Fault(fault)) => {
                tracing::warn!(
                    user.id = %user, group.id = %group, %fault,
                    "applying a pending change to a group failed; retrying"
                );
                Step::Failed
            }
        }
    }

    /// Makes a group show what an account is now.
    async fn fit(&self, (user, group): UserInGroup) -> Result<(), Failure<String>> {
        let account = self.directory.context().accounts.account(user).await;
        let Some(row) = account.map_err(Fault::from)? else {
            let departed = self.directory.ask(group, Depart { user }).await;
            return departed.map_err(plain);
        };
        let names = row.profile.contacts().collect();
        let name = row.profile.name;
        let image = row.profile.image;
        let is_guest = row.profile.guest.is_some();
        let redrawn = UpdateMemberProfile {
            user,
            name: name.as_str().to_owned(),
            image: image.clone(),
            is_guest,
        };
        self.directory.ask(group, redrawn).await.map_err(plain)?;
        let admitted = RedeemInvites { user: Newcomer { id: user, name, image, is_guest }, names };
        self.directory.ask(group, admitted).await.map_err(|failure| match failure {
            Failure::Refused(refusal) => Failure::Refused(refusal.to_string()),
            Failure::Fault(fault) => Failure::Fault(fault),
        })
    }

    async fn settled(&self, user: UserId) {
        let mut steps = self.steps.subscribe();
        let archive = &self.directory.context().archive;
        loop {
            steps.borrow_and_update();
            let due = async {
                archive.index.current().await?;
                archive.blocking(user, move |archive| archive.index.due_of(user)).await
            };
            let is_settled = due.await.is_ok_and(|due| self.not_answered(due).is_empty());
            if is_settled || steps.changed().await.is_err() {
                return;
            }
        }
    }

    fn not_answered(&self, mut due: Vec<UserInGroup>) -> Vec<UserInGroup> {
        let answered = self.answered();
        due.retain(|due| !answered.has(&DueWork::Fit(*due)));
        due
    }

    fn answered(&self) -> MutexGuard<'_, AnsweredWork> {
        self.answered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn plain(failure: Failure<Infallible>) -> Failure<String> {
    Failure::Fault(Fault::from(failure))
}

/// The follower on the journal's thread. It holds a weak reference, because [`Inner`] holds the
/// journal.
struct ReconcilerFollower(Weak<Inner>);

impl Follower for ReconcilerFollower {
    fn durable(&mut self, batch: &Arc<[Arc<Committed>]>) {
        let mut newest = None;
        for commit in batch.iter().filter(|commit| may_make_due(commit)) {
            let Some(inner) = self.0.upgrade() else { return };
            inner.answered().reconsider(commit.stream);
            newest = Some((inner, commit.cursor));
        }
        if let Some((inner, cursor)) = newest {
            inner.heard.send_replace(cursor);
        }
    }

    /// Starts a pass when this node begins to lead: steps left undone by the previous node are
    /// due here.
    fn leader_changed(&mut self, leads: bool) {
        let inner = self.0.upgrade().filter(|_| leads);
        inner.into_iter().for_each(|inner| inner.heard.send_modify(|_| {}));
    }
}

/// Whether the commit may have made a step due. Posts and likes never do.
fn may_make_due(commit: &Committed) -> bool {
    commit.entries.iter().any(|entry| {
        let fact = &entry.event.fact;
        match (fact.group(), fact.user()) {
            (Some(_), _) => fact.message().is_none() && fact.like().is_none(),
            (_, Some(fact)) => matches!(
                fact,
                UserFact::Registered { .. }
                    | UserFact::ProfileChanged { .. }
                    | UserFact::ApplicationsRemoved { .. }
                    | UserFact::Deleted
            ),
            (None, None) => false,
        }
    })
}

/// Something that follows for a group from a change of an account, or from a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum DueWork {
    /// The group shows what the account is now.
    Fit(UserInGroup),
    /// A bot of an application that ended is removed.
    RemoveBot(OrphanBot),
    /// Requests to add people are settled.
    SettleAdds(GroupId),
}

impl DueWork {
    const fn group(&self) -> GroupId {
        match self {
            Self::Fit((_, group)) | Self::RemoveBot((_, group, _)) | Self::SettleAdds(group) => {
                *group
            }
        }
    }

    fn is_of(&self, user: UserId) -> bool {
        match self {
            Self::Fit((it, _)) | Self::RemoveBot((it, ..)) => *it == user,
            Self::SettleAdds(_) => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// A room works on it.
    UnderWay,
    /// A room answered, and nothing happened to the user or the group meanwhile.
    Answered,
}

/// The work under way, and that which a room answered since anything happened to its user or group.
#[derive(Debug, Default)]
pub(super) struct AnsweredWork(HashMap<DueWork, Standing>);

impl AnsweredWork {
    /// Whether a room answered the work, so that it is left alone.
    pub(super) fn has(&self, work: &DueWork) -> bool {
        self.0.get(work) == Some(&Standing::Answered)
    }

    /// Notes that a room is asked; returns whether it should be.
    pub(super) fn begin(&mut self, work: &DueWork) -> bool {
        let is_open = !self.has(work);
        if is_open {
            self.0.insert(work.clone(), Standing::UnderWay);
        }
        is_open
    }

    /// Notes that the room answered, or failed to. Its answer stands unless something happened to
    /// the user or the group meanwhile, which may be what the room did.
    pub(super) fn end(&mut self, work: &DueWork, is_answered: bool) {
        if !is_answered {
            self.0.remove(work);
        } else if let Some(standing) = self.0.get_mut(work) {
            *standing = Standing::Answered;
        }
    }

    /// Forgets the answers that a commit of this stream may change.
    pub(super) fn reconsider(&mut self, stream: StreamId) {
        if let StreamId::User(user) = stream {
            self.0.retain(|work, _| !work.is_of(user));
        } else if let StreamId::Group(group) = stream {
            self.0.retain(|work, _| work.group() != group);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USER: UserId = UserId::new(7);
    const GROUP: GroupId = GroupId::new(3);

    #[test]
    fn answer_is_cached_until_user_or_group_changes() {
        for stream in [StreamId::User(USER), StreamId::Group(GROUP)] {
            let mut answered = AnsweredWork::default();
            let work = DueWork::Fit((USER, GROUP));
            assert!(answered.begin(&work));
            answered.end(&work, true);
            assert!(!answered.begin(&work), "the room is left alone");
            answered.reconsider(StreamId::User(UserId::new(8)));
            answered.reconsider(StreamId::Group(GroupId::new(4)));
            assert!(answered.has(&work));
            answered.reconsider(stream);
            assert!(answered.begin(&work));
        }
    }

    #[test]
    fn answer_to_an_older_state_does_not_stand() {
        let mut answered = AnsweredWork::default();
        let work = DueWork::SettleAdds(GROUP);
        assert!(answered.begin(&work));
        answered.reconsider(StreamId::Group(GROUP));
        answered.end(&work, true);
        assert!(answered.begin(&work));
        answered.end(&work, false);
        assert!(answered.begin(&work), "a failure is no answer");
    }
}
