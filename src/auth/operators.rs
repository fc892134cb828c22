//! The operators' roles of accounts, the guard of the last admin, and the lists that operators see.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::{Mutex, MutexGuard, OwnedMutexGuard};

use crate::accounts::Accounts;
use domain::canonical::folds::{self, FoldedPart};
use domain::group::Rules;
use domain::ids::{GroupId, MailId, ReportId, StreamId, UserId};
use domain::instance::PlaceSettings;
use domain::operators::invitations::{AccountInvitation, Invitations};
use domain::operators::lists::{
    AuditQuery, ListQuery, ListedAccount, ListedAct, ListedGroup, ListedMail, MailPage, MailPlace,
    MailQuery, MailState, NamedAccount, NamedReport, OperatorPage,
};
use domain::operators::reports::{OperatorReport, OperatorReportQuery};
use domain::operators::{OperatorRefusal, OperatorRole};
use domain::time::Timestamp;
use index::mails::{DeadMailRow, UnsentMail};
use index::rows::{GroupRow, UserRow};
use index::{Flow, Index, IndexFault};

/// Looks up roles, and lets one act at a time take an admin away. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Operators {
    accounts: Accounts,
    turn: Arc<Mutex<()>>,
    directory: Arc<Mutex<()>>,
    reports: Arc<Mutex<()>>,
}

/// Why an act that may take an admin away did not begin.
#[derive(Debug, thiserror::Error)]
pub enum OperatorFailure {
    /// The rules refuse it.
    #[error("{0}")]
    Refused(#[from] OperatorRefusal),
    /// The index cannot be read.
    #[error("{0}")]
    Index(#[from] IndexFault),
}

/// The turn of an act that may take an admin away: held until the act is durable, so that two acts
/// at once cannot take the last two admins.
#[derive(Debug)]
pub struct AdminTurn {
    _held: OwnedMutexGuard<()>,
}

impl Operators {
    /// Looks up roles in these accounts.
    pub fn new(accounts: Accounts) -> Self {
        Self { accounts, turn: Arc::default(), directory: Arc::default(), reports: Arc::default() }
    }

    /// The role of a user; `None` for everybody else, and for disabled accounts.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub async fn role_of(&self, user: UserId) -> Result<Option<OperatorRole>, IndexFault> {
        let row = self.accounts.account(user).await?;
        Ok(row.filter(|row| !row.is_disabled()).and_then(|row| row.operator))
    }

    /// Waits until no other request of a directory writes, so that two at once cannot give two
    /// accounts the same `userName`.
    pub async fn directory_turn(&self) -> MutexGuard<'_, ()> {
        self.directory.lock().await
    }

    /// Waits until no other request resolves a report, so that of two operators at once only one acts.
    pub async fn report_turn(&self) -> MutexGuard<'_, ()> {
        self.reports.lock().await
    }

    /// Begins an act after which `user` is no admin who can log in: a lost role, a disabled account
    /// or a deleted one.
    ///
    /// # Errors
    /// If no other admin is left, or the index cannot be read.
    pub async fn begin_without(&self, user: UserId) -> Result<AdminTurn, OperatorFailure> {
        let turn = AdminTurn { _held: Arc::clone(&self.turn).lock_owned().await };
        let admins = self.accounts.admins().await?;
        if admins.as_slice() == [user] {
            return Err(OperatorRefusal::LastAdmin.into());
        }
        Ok(turn)
    }
}

/// The most rows that one search of a list reads; the next page continues there.
const ROWS_READ: usize = 20_000;

/// Text that is searched in names and addresses without regard to case, accents and width.
struct Needle {
    letters: String,
    id: Option<u64>,
}

impl Needle {
    fn of(query: &ListQuery) -> Option<Self> {
        let text = query.text.as_deref()?;
        Some(Self { letters: folded(text), id: text.trim().parse().ok() })
    }

    fn is_in(&self, id: u64, texts: &[&str]) -> bool {
        self.id == Some(id) || texts.iter().any(|text| folded(text).contains(&self.letters))
    }
}

fn folded(text: &str) -> String {
    let text_of = |part| match part {
        FoldedPart::Letters(letters) => letters.into_iter().map(|it| it.letter).collect(),
        FoldedPart::Emoji { folded, .. } => folded,
    };
    folds::folded(text).into_iter().map(text_of).collect::<String>()
}

/// Gathers a page while rows are visited.
struct PageDraft<T> {
    found: Vec<(u64, T)>,
    limit: usize,
    read: usize,
    last: u64,
    is_cut: bool,
}

impl<T> PageDraft<T> {
    fn of(limit: usize) -> Self {
        Self { found: Vec::new(), limit, read: 0, last: 0, is_cut: false }
    }

    fn visit(&mut self, id: u64, entry: Option<T>) -> Flow {
        if self.found.len() == self.limit || self.read == ROWS_READ {
            self.is_cut = true;
            return Flow::Stop;
        }
        self.read += 1;
        self.last = id;
        self.found.extend(entry.map(|entry| (id, entry)));
        Flow::Continue
    }

    fn before(&self) -> Option<u64> {
        self.is_cut.then_some(self.last)
    }
}

impl Accounts {
    /// Returns the settings of the installation.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub async fn place_settings(&self) -> Result<PlaceSettings, IndexFault> {
        self.ask(Index::place_settings).await
    }

    /// Returns the rules of the operators, the oldest first.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub async fn operator_rules(&self) -> Result<Rules, IndexFault> {
        self.ask(Index::operator_rules).await
    }

    /// Returns the invitations of the operators, the oldest first.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub async fn invitations(&self) -> Result<Invitations, IndexFault> {
        self.ask(Index::account_invitations).await
    }

    /// Lists the invitations with the operators who made them, the newest first.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub async fn invitations_with_makers(
        &self,
    ) -> Result<Vec<(Arc<AccountInvitation>, NamedAccount)>, IndexFault> {
        self.ask(|index| {
            let invitations = index.account_invitations()?.into_values().rev();
            invitations.map(|it| named(index, it.by).map(|by| (it, by))).collect()
        })
        .await
    }

    /// Returns a user with their name.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub async fn named(&self, user: UserId) -> Result<NamedAccount, IndexFault> {
        self.ask(move |index| named(index, user)).await
    }

    /// Returns the admins who can log in, in the order of ids.
    ///
    /// # Errors
    /// If the index cannot be read; the same for every function here.
    pub async fn admins(&self) -> Result<Vec<UserId>, IndexFault> {
        self.ask(|index| {
            let mut admins = Vec::new();
            for (user, role) in index.operators()? {
                if role == OperatorRole::Admin && !index.is_shut(user)? {
                    admins.push(user);
                }
            }
            Ok(admins)
        })
        .await
    }

    /// Lists accounts, newest first.
    pub async fn people(
        &self,
        query: ListQuery,
    ) -> Result<OperatorPage<ListedAccount>, IndexFault> {
        self.ask(move |index| {
            let needle = Needle::of(&query);
            let mut page = PageDraft::of(query.limit);
            let before = UserId::new(query.before.unwrap_or(u64::MAX));
            index.users_before(before, &mut |id, row| {
                let texts = [row.profile.name.as_str(), row.profile.email.as_str()];
                let is_wanted = needle.as_ref().is_none_or(|it| it.is_in(id.get(), &texts));
                page.visit(id.get(), is_wanted.then_some(row))
            })?;
            let before = page.before();
            let entries = page.found.into_iter();
            let entries = entries.map(|(id, row)| listed_account(index, UserId::new(id), row));
            Ok(OperatorPage { entries: entries.collect::<Result<_, _>>()?, before })
        })
        .await
    }

    /// Returns an account as operators see it.
    pub async fn person(&self, id: UserId) -> Result<Option<ListedAccount>, IndexFault> {
        self.ask(move |index| index.user(id)?.map(|row| listed_account(index, id, row)).transpose())
            .await
    }

    /// Lists accounts after this one that wait for an approval, oldest first, and whether there are
    /// more.
    pub async fn account_requests(
        &self,
        after: UserId,
        limit: usize,
    ) -> Result<(Vec<ListedAccount>, bool), IndexFault> {
        self.ask(move |index| {
            let (found, are_more) = index.account_requests(after, limit)?;
            let listed = found.into_iter().map(|(id, row)| listed_account(index, id, row));
            Ok((listed.collect::<Result<_, _>>()?, are_more))
        })
        .await
    }

    /// Lists groups, newest first.
    pub async fn groups(&self, query: ListQuery) -> Result<OperatorPage<ListedGroup>, IndexFault> {
        self.ask(move |index| {
            let needle = Needle::of(&query);
            let mut page = PageDraft::of(query.limit);
            let before = GroupId::new(query.before.unwrap_or(u64::MAX));
            index.groups_before(before, &mut |id, row| {
                let texts = [row.settings.name.as_str()];
                let is_wanted = needle.as_ref().is_none_or(|it| it.is_in(id.get(), &texts));
                page.visit(id.get(), is_wanted.then_some(row))
            })?;
            let before = page.before();
            let entries = page.found.into_iter();
            let entries = entries.map(|(id, row)| listed_group(index, GroupId::new(id), row));
            Ok(OperatorPage { entries: entries.collect::<Result<_, _>>()?, before })
        })
        .await
    }

    /// Returns a group as operators see it; `None` for a disbanded one.
    pub async fn group(&self, id: GroupId) -> Result<Option<ListedGroup>, IndexFault> {
        self.ask(move |index| {
            let row = index.group(id)?.filter(|row| !row.disbanded);
            row.map(|row| listed_group(index, id, row)).transpose()
        })
        .await
    }

    /// Lists reports to the operators, newest first, without those that are over by now.
    pub async fn operator_reports(
        &self,
        query: OperatorReportQuery,
        limit: usize,
        now: Timestamp,
    ) -> Result<OperatorPage<NamedReport>, IndexFault> {
        self.ask(move |index| {
            let mut page = PageDraft::of(limit);
            index.operator_reports(query.is_open, query.before, &mut |report| {
                let is_wanted = query.wants(&report) && !report.is_over(now);
                page.visit(report.filed.report.get(), is_wanted.then_some(report))
            })?;
            let before = page.before();
            let entries = page.found.into_iter().map(|(_, report)| named_report(index, report));
            Ok(OperatorPage { entries: entries.collect::<Result<_, _>>()?, before })
        })
        .await
    }

    /// Returns a report to the operators; `None` for one that is over by now.
    pub async fn operator_report(
        &self,
        id: ReportId,
        now: Timestamp,
    ) -> Result<Option<NamedReport>, IndexFault> {
        self.ask(move |index| {
            let found = index.operator_report(id)?.filter(|report| !report.is_over(now));
            found.map(|report| named_report(index, report)).transpose()
        })
        .await
    }

    /// Lists the mails that wait and those that were given up, newest first.
    pub async fn mails(&self, query: MailQuery, now: Timestamp) -> Result<MailPage, IndexFault> {
        self.ask(move |index| {
            let mut unsent = index.unsent_mails(now)?;
            let dead = unsent.iter().filter(|it| state_of(it) == MailState::Dead).count();
            let waiting = unsent.len() - dead;
            unsent.retain(|it| {
                query.state.is_none_or(|state| state == state_of(it))
                    && query.before.is_none_or(|before| it.place() < (before.queued_at, before.id))
            });
            unsent.sort_unstable_by_key(|it| Reverse(it.place()));
            let is_cut = unsent.len() > query.limit;
            unsent.truncate(query.limit);
            let last = unsent.last().filter(|_| is_cut).map(UnsentMail::place);
            let before = last.map(|(queued_at, id)| MailPlace { queued_at, id });
            let listed = unsent.into_iter().map(|it| listed_mail(index, it, now));
            let listed = listed.collect::<Result<Vec<_>, _>>()?;
            Ok(MailPage { mails: listed.into_iter().flatten().collect(), before, waiting, dead })
        })
        .await
    }

    /// Returns a mail that waits or was given up.
    pub async fn mail(&self, id: MailId, now: Timestamp) -> Result<Option<ListedMail>, IndexFault> {
        self.ask(move |index| {
            let found = index.unsent_mails(now)?.into_iter().find(|it| it.place().1 == id);
            found.map_or(Ok(None), |unsent| listed_mail(index, unsent, now))
        })
        .await
    }

    /// Lists what operators did, newest first.
    pub async fn operator_acts(
        &self,
        query: AuditQuery,
    ) -> Result<OperatorPage<ListedAct>, IndexFault> {
        self.ask(move |index| {
            let mut page = PageDraft::of(query.limit);
            index.operator_acts(query.before.unwrap_or(u64::MAX), &mut |id, act| {
                let is_wanted = query.wants(&act);
                page.visit(id, is_wanted.then_some(act))
            })?;
            let before = page.before();
            let entries = page.found.into_iter().map(|(id, act)| -> Result<_, IndexFault> {
                let by = act.deed.account().map(|user| named(index, user)).transpose()?;
                let target = act.deed.act().user().map(|user| named(index, user)).transpose()?;
                Ok(ListedAct { id, act, by, target })
            });
            Ok(OperatorPage { entries: entries.collect::<Result<_, _>>()?, before })
        })
        .await
    }
}

const fn state_of(unsent: &UnsentMail) -> MailState {
    match unsent {
        UnsentMail::Waiting { .. } => MailState::Waiting,
        UnsentMail::Dead(_) => MailState::Dead,
    }
}

/// Describes a mail that waits or was given up; `None` if it was settled meanwhile.
fn listed_mail(
    index: &Index,
    unsent: UnsentMail,
    now: Timestamp,
) -> Result<Option<ListedMail>, IndexFault> {
    let (queued_at, id) = unsent.place();
    let user = unsent.user();
    let Some(account) = index.account(user)? else { return Ok(None) };
    let can_retry = account.retry_mail(id, now).is_ok();
    let dead = account.mailbox.dead(id, now).map(|dead| &dead.queued);
    let invite = account.mailbox.queued(id).or(dead);
    let invite = invite.and_then(|queued| queued.mail.invite.clone());
    let place = MailPlace { queued_at, id };
    let name = Some(account.profile.name.clone());
    let user = NamedAccount { id: user, name };
    Ok(match unsent {
        UnsentMail::Waiting { .. } => account.mailbox.queued(id).map(|queued| ListedMail {
            place,
            user,
            to: queued.mail.to.clone(),
            kind: queued.mail.kind,
            state: MailState::Waiting,
            attempts: queued.attempts,
            due: Some(queued.due),
            dead_at: None,
            error: queued.error.clone(),
            can_retry,
            invite,
        }),
        UnsentMail::Dead(DeadMailRow { to, kind, reason, at, attempts, .. }) => Some(ListedMail {
            place,
            user,
            to,
            kind,
            state: MailState::Dead,
            attempts,
            due: None,
            dead_at: Some(at),
            error: Some(reason),
            can_retry,
            invite,
        }),
    })
}

fn named(index: &Index, id: UserId) -> Result<NamedAccount, IndexFault> {
    Ok(NamedAccount { id, name: index.profile(id)?.map(|profile| profile.name) })
}

fn named_report(index: &Index, report: OperatorReport) -> Result<NamedReport, IndexFault> {
    let mut names = BTreeMap::new();
    for user in report.people() {
        names.extend(index.profile(user)?.map(|profile| (user, profile.name)));
    }
    Ok(NamedReport { report, names })
}

fn listed_account(index: &Index, id: UserId, row: UserRow) -> Result<ListedAccount, IndexFault> {
    let tokens = index.tokens(id)?;
    let groups = index.seats(id)?.iter().filter(|(_, seat)| seat.is_active()).count();
    let confirmed = row.mailbox.confirmed.as_ref();
    Ok(ListedAccount {
        id,
        is_verified: confirmed.is_some_and(|it| it.key() == row.profile.email.key()),
        profile: row.profile,
        created_at: row.created_at,
        disabled_at: row.disabled_at,
        deactivated_at: row.provisioning.deactivated_at,
        waiting: row.waiting,
        role: row.operator,
        tokens: tokens.len(),
        last_used_at: tokens.iter().filter_map(|token| token.last_used_at).max(),
        groups,
    })
}

fn listed_group(index: &Index, id: GroupId, row: GroupRow) -> Result<ListedGroup, IndexFault> {
    let tail = index.tail(StreamId::Group(id))?.unwrap_or_default();
    Ok(ListedGroup {
        id,
        settings: row.settings,
        owner: named(index, row.creator)?,
        created_at: row.created_at,
        updated_at: row.updated_at,
        members: index.member_count(id)?,
        bots: index.bots_of_group(id)?.len(),
        messages: tail.count,
    })
}
