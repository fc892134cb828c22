//! Mails to users: what they are about, when the server tries to send them, and the links in them.
//!
//! A mail is a fact of its user's stream and stays in the queue of the [`Mailbox`] until another fact
//! settles it. Its text is made when it is sent. A link is known here by its hash alone.

use serde::{Deserialize, Serialize};

use crate::email_notices::{EmailNotices, MissedMail};
use crate::ids::{GroupId, MailId};
use crate::limits::INVITE_EMAILS_OF_USER;
use crate::text::{Email, GroupName};
use crate::time::Timestamp;

const MINUTE: u64 = 60_000;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Milliseconds from a failed attempt to the next one; after the last pause the mail is dead.
const PAUSES: [u64; 6] = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 24 * HOUR];
/// Milliseconds for which a recovery link in a mail is valid, and for which the mail is sent.
pub const RECOVERY_MILLIS: u64 = 30 * MINUTE;
/// Milliseconds for which a recovery link from an operator is valid.
pub const OPERATOR_RECOVERY_MILLIS: u64 = 24 * HOUR;
/// Milliseconds for which a link that confirms an address is valid.
pub const CONFIRMATION_MILLIS: u64 = 7 * 24 * HOUR;
/// Milliseconds for which a link against a change of the account is valid.
const PROTEST_MILLIS: u64 = 48 * HOUR;
/// Milliseconds in which the server tries to send a mail without a shorter deadline.
const SENDING_MILLIS: u64 = 48 * HOUR;
/// Mails of one account in an hour that anybody, or its user, can request: those for recovery, those
/// that confirm an address, and those about registrations with its address.
const REQUESTS: usize = 3;
/// Mails of one account that wait at the same time; further ones are not queued.
const QUEUED: usize = 32;
/// Links of one account that are valid at the same time; the oldest end first.
const LINKS: usize = 32;
/// Dead mails of one account that can be sent again; the oldest are dropped first.
const DEAD: usize = INVITE_EMAILS_OF_USER as usize;
/// Milliseconds for which a dead mail is shown to operators and can be sent again: a week.
pub const DEAD_MILLIS: u64 = 7 * DAY;
/// Why a mail is dead whose deadline was over before an attempt.
pub const DEADLINE_OVER: &str = "the mail server was not reached before the deadline";
/// Why a mail is dead whose account was disabled before an attempt.
pub const ACCOUNT_DISABLED: &str = "the account was disabled";

/// A language in which mails are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum MailLanguage {
    /// English, also where the reader's language is not known.
    #[default]
    English,
    /// German.
    German,
    /// French.
    French,
    /// Arabic.
    Arabic,
    /// Spanish.
    Spanish,
    /// Japanese.
    Japanese,
    /// Chinese, in simplified characters.
    Chinese,
    /// Chinese, in traditional characters.
    TraditionalChinese,
    /// Portuguese.
    Portuguese,
    /// Italian.
    Italian,
}

impl MailLanguage {
    /// Every language by its tag (RFC 5646), without a country.
    pub const TAGS: &[(&'static str, Self)] = &[
        ("en", Self::English),
        ("de", Self::German),
        ("fr", Self::French),
        ("ar", Self::Arabic),
        ("es", Self::Spanish),
        ("ja", Self::Japanese),
        ("zh-Hans", Self::Chinese),
        ("zh-Hant", Self::TraditionalChinese),
        ("pt", Self::Portuguese),
        ("it", Self::Italian),
    ];

    /// The first language of an `Accept-Language` header in which mails are written (RFC 9110,
    /// section 12.5.4). Browsers list languages in the reader's order, so weights are not compared.
    pub fn preferred(header: &str) -> Self {
        let named = header.split(',').find_map(|range| {
            let named = range.split(';').next().unwrap_or_default().trim();
            let named = if is_traditional(named) { "zh-Hant" } else { base_of(named) };
            let of_base = |tag: &str| named.eq_ignore_ascii_case(base_of(tag));
            Self::TAGS.iter().find(|(tag, _)| named == *tag || of_base(tag))
        });
        named.map_or_else(Self::default, |(_, language)| *language)
    }

    /// The tag of the language in HTML.
    pub fn tag(self) -> &'static str {
        Self::TAGS.iter().find(|(_, language)| *language == self).map_or("en", |(tag, _)| tag)
    }
}

/// The language of a tag (RFC 5646), without script and country.
fn base_of(tag: &str) -> &str {
    tag.split('-').next().unwrap_or_default()
}

/// Whether a tag names Chinese in traditional characters, by its script or by its country.
fn is_traditional(tag: &str) -> bool {
    let mut parts = tag.split('-');
    let is_chinese = parts.next().is_some_and(|base| base.eq_ignore_ascii_case("zh"));
    let mut scripts = parts.filter_map(|part| match part.to_ascii_lowercase().as_str() {
        "hans" => Some(false),
        "hant" | "tw" | "hk" | "mo" => Some(true),
        _ => None,
    });
    is_chinese && scripts.next().unwrap_or_default()
}

/// What a mail is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MailKind {
    /// Somebody asked for a new password.
    Recovery,
    /// The address is to be confirmed.
    Confirmation,
    /// The password was changed.
    PasswordChanged,
    /// Another address was entered and is not confirmed yet; sent to the present one.
    AddressChanging,
    /// The address was changed; sent to the former one.
    AddressChanged,
    /// The account got a new password through a recovery link.
    Recovered,
    /// One-time codes were set up.
    FactorAdded,
    /// One-time codes were removed, by the user or by an operator.
    FactorRemoved,
    /// A passkey was added.
    PasskeyAdded,
    /// A passkey was removed by the user, or all by an operator.
    PasskeyRemoved,
    /// The user invites the owner of an address to a group.
    GroupInvite,
    /// Messages for the user stayed unread.
    Missed,
    /// Somebody registered with the address of the account.
    AlreadyRegistered,
    /// An operator approved the account.
    Approved,
}

impl MailKind {
    /// Milliseconds in which the server tries to send the mail.
    pub const fn sending_millis(self) -> u64 {
        match self {
            Self::Recovery => RECOVERY_MILLIS,
            Self::Confirmation
            | Self::PasswordChanged
            | Self::AddressChanging
            | Self::AddressChanged
            | Self::Recovered
            | Self::FactorAdded
            | Self::FactorRemoved
            | Self::PasskeyAdded
            | Self::PasskeyRemoved
            | Self::GroupInvite
            | Self::AlreadyRegistered
            | Self::Approved
            | Self::Missed => SENDING_MILLIS,
        }
    }

    /// Milliseconds for which the link of the account in such a mail is valid; `None` for an invite,
    /// whose link is the group's, and for mails without a link of the account.
    pub const fn link_millis(self) -> Option<u64> {
        match self {
            Self::GroupInvite | Self::Missed | Self::AlreadyRegistered | Self::Approved => None,
            Self::Recovery => Some(RECOVERY_MILLIS),
            Self::Confirmation => Some(CONFIRMATION_MILLIS),
            Self::PasswordChanged
            | Self::AddressChanging
            | Self::AddressChanged
            | Self::Recovered
            | Self::FactorAdded
            | Self::FactorRemoved
            | Self::PasskeyAdded
            | Self::PasskeyRemoved => Some(PROTEST_MILLIS),
        }
    }

    /// Every kind.
    pub const ALL: [Self; 14] = [
        Self::Recovery,
        Self::Confirmation,
        Self::PasswordChanged,
        Self::AddressChanging,
        Self::AddressChanged,
        Self::Recovered,
        Self::FactorAdded,
        Self::FactorRemoved,
        Self::PasskeyAdded,
        Self::PasskeyRemoved,
        Self::GroupInvite,
        Self::Missed,
        Self::AlreadyRegistered,
        Self::Approved,
    ];

    /// The name of the kind, for operators.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Recovery => "recovery",
            Self::Confirmation => "confirmation",
            Self::PasswordChanged => "password_changed",
            Self::AddressChanging => "address_changing",
            Self::AddressChanged => "address_changed",
            Self::Recovered => "recovered",
            Self::FactorAdded => "factor_added",
            Self::FactorRemoved => "factor_removed",
            Self::PasskeyAdded => "passkey_added",
            Self::PasskeyRemoved => "passkey_removed",
            Self::GroupInvite => "group_invite",
            Self::Missed => "missed",
            Self::AlreadyRegistered => "already_registered",
            Self::Approved => "approved",
        }
    }
}

/// A mail to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mail {
    /// The mail's id, which makes its `Message-ID`.
    pub id: MailId,
    /// The recipient.
    pub to: Email,
    /// What it is about.
    pub kind: MailKind,
    /// The language of its text.
    pub language: MailLanguage,
    /// When it is no longer worth sending.
    pub until: Timestamp,
    /// The invite that it carries, in mails to people who are invited to a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invite: Option<MailedInvite>,
}

/// An invite link in a mail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailedInvite {
    /// The group.
    pub group: GroupId,
    /// Its name when the link was made.
    pub group_name: GroupName,
    /// The secret part of the link.
    pub token: String,
}

impl Mail {
    /// The link of the account that this mail carries, issued now under this hash; `None` for an
    /// invite, whose link is the group's, and for mails without a link of the account.
    pub fn link(&self, hash: LinkHash, now: Timestamp) -> Option<Link> {
        let millis = self.kind.link_millis()?;
        let mailed_to = self.to.clone();
        let purpose = match self.kind {
            MailKind::Recovery => LinkPurpose::Recovery { mailed_to: Some(mailed_to) },
            MailKind::Confirmation => LinkPurpose::Confirmation { address: mailed_to },
            MailKind::FactorAdded => LinkPurpose::FactorProtest { mailed_to },
            MailKind::PasskeyAdded => LinkPurpose::PasskeyProtest { mailed_to },
            MailKind::GroupInvite
            | MailKind::Missed
            | MailKind::AlreadyRegistered
            | MailKind::Approved
            | MailKind::PasswordChanged
            | MailKind::AddressChanging
            | MailKind::AddressChanged
            | MailKind::Recovered
            | MailKind::FactorRemoved
            | MailKind::PasskeyRemoved => LinkPurpose::Protest { mailed_to },
        };
        Some(Link { hash, purpose, expires_at: now.plus_millis(millis) })
    }
}

/// The id and language of a mail that a question may cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailNote {
    /// The id of the mail.
    pub id: MailId,
    /// The reader's language.
    pub language: MailLanguage,
}

impl MailNote {
    /// The mail of this note.
    pub fn mail(self, kind: MailKind, to: Email, now: Timestamp) -> Mail {
        let Self { id, language } = self;
        let until = now.plus_millis(kind.sending_millis());
        Mail { id, to, kind, language, until, invite: None }
    }

    /// The mail that invites the owner of an address to a group.
    pub fn invite(self, invite: MailedInvite, to: Email, now: Timestamp) -> Mail {
        Mail { invite: Some(invite), ..self.mail(MailKind::GroupInvite, to, now) }
    }
}

/// SHA-256 of the secret of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LinkHash([u8; 32]);

impl LinkHash {
    /// Takes a finished hash.
    pub const fn new(raw: [u8; 32]) -> Self {
        Self(raw)
    }
}

/// What a link may be used for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LinkPurpose {
    /// Setting a new password.
    Recovery {
        /// The address that got the link; `None` if an operator made it.
        mailed_to: Option<Email>,
    },
    /// Confirming an address.
    Confirmation {
        /// The address.
        address: Email,
    },
    /// Ending every token after a change that the owner did not make.
    Protest {
        /// The address that got the link, to which the recovery link then goes.
        mailed_to: Email,
    },
    /// The same after a second factor was added, which is removed too.
    FactorProtest {
        /// The address that got the link, to which the recovery link then goes.
        mailed_to: Email,
    },
    /// Protests against a passkey: as [`LinkPurpose::Protest`], and removes all passkeys.
    PasskeyProtest {
        /// The address that got the link.
        mailed_to: Email,
    },
}

/// A link that was given out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The hash of its secret.
    pub hash: LinkHash,
    /// What it may be used for.
    pub purpose: LinkPurpose,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// How one attempt to send a mail ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum MailAttempt {
    /// The mail server accepted the mail.
    Sent,
    /// The mail server did not accept it.
    Failed {
        /// What happened, for operators.
        reason: String,
        /// Whether no later attempt can succeed.
        is_final: bool,
    },
    /// There was nothing left to write about.
    Unneeded,
}

/// What became of a mail after an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum MailOutcome {
    /// The mail server accepted it.
    Sent,
    /// It is tried again at this time.
    Retry {
        /// The time of the next attempt.
        at: Timestamp,
        /// Why this one failed, for operators; `None` if it was not recorded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// It is never sent.
    Dead {
        /// Why, for operators.
        reason: String,
    },
    /// It was not sent, since there was nothing left to write about.
    Unneeded,
}

/// A change of a user's mails, links or addresses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum MailChange {
    /// A mail is to be sent.
    Queued(Mail),
    /// An attempt to send a mail ended.
    Settled {
        /// The mail.
        id: MailId,
        /// What became of it.
        outcome: MailOutcome,
    },
    /// An operator had a waiting or dead mail sent again at once.
    Retried {
        /// The mail.
        id: MailId,
        /// When it is no longer worth sending.
        until: Timestamp,
    },
    /// A link was given out.
    LinkIssued(Link),
    /// Every link ended, and so did an address that waited to be confirmed.
    LinksEnded,
    /// An address was confirmed.
    Confirmed {
        /// The address.
        address: Email,
    },
    /// Another address waits to be confirmed; `None` if none does any more.
    AddressEntered {
        /// The address.
        address: Option<Email>,
    },
    /// A password was set with a link that an operator made.
    RecoveredByOperator,
    /// The user invites people by email, which counts for the limit of a day.
    Invited {
        /// The number of addresses.
        count: u32,
    },
    /// The user chose when to get mails about missed messages, in this language.
    NoticesChosen {
        /// The choice; `None` for the default.
        choice: Option<EmailNotices>,
        /// The language of the request; `None` if a link in a mail made the choice.
        language: Option<MailLanguage>,
    },
    /// A mail about missed messages was queued.
    Missed {
        /// How many such mails came before it without any activity of the user.
        in_row: u32,
    },
}

/// A mail that waits for its next attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuedMail {
    /// The mail.
    pub mail: Mail,
    /// When it is due.
    pub due: Timestamp,
    /// How many attempts failed since it was queued or an operator had it sent again.
    pub failures: u32,
    /// How many attempts failed.
    pub attempts: u32,
    /// When it was queued.
    pub queued_at: Timestamp,
    /// Why the last attempt failed, if one did.
    pub error: Option<String>,
}

/// A mail that is never sent, unless an operator has it sent again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadMail {
    /// The mail, with the reason why it is dead.
    pub queued: QueuedMail,
    /// When the server gave it up.
    pub at: Timestamp,
    /// Whether a link like the one in it has ended by another act of the user.
    pub has_ended: bool,
}

/// Why a mail is not sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum RetryRefusal {
    /// No mail with this id waits, and none was given up lately.
    #[error("there is no such mail; it was sent meanwhile, or given up more than a week ago")]
    Unknown,
    /// The account is disabled.
    #[error("the account is disabled; enable it first")]
    Disabled,
    /// The link of the mail would have ended.
    #[error("the link of this mail has ended; the user can request a new mail")]
    Ended,
    /// There is nothing left to write about.
    #[error("nobody needs this mail any more: the address was confirmed, or was changed")]
    Unneeded,
    /// The invite in it lets nobody in any more.
    #[error("the invite in this mail or its group has ended")]
    InviteEnded,
}

impl QueuedMail {
    /// A mail that is queued now.
    fn new(mail: Mail, now: Timestamp) -> Self {
        Self { mail, due: now, failures: 0, attempts: 0, queued_at: now, error: None }
    }

    /// The mail after the server gave it up.
    fn dead(self, reason: &str, now: Timestamp) -> DeadMail {
        let is_untried = [DEADLINE_OVER, ACCOUNT_DISABLED].contains(&reason);
        let attempts = self.attempts + u32::from(!is_untried);
        let error = match self.error {
            Some(last) if is_untried => format!("{reason}; the last attempt: {last}"),
            Some(_) | None => reason.to_owned(),
        };
        DeadMail {
            queued: Self { attempts, error: Some(error), ..self },
            at: now,
            has_ended: false,
        }
    }

    /// When the link of the account in this mail would have ended, had the mail arrived at once.
    pub fn link_end(&self) -> Option<Timestamp> {
        self.mail.kind.link_millis().map(|millis| self.queued_at.plus_millis(millis))
    }

    /// What becomes of the mail after this attempt.
    pub fn outcome(&self, attempt: MailAttempt, now: Timestamp) -> MailOutcome {
        let (reason, is_final) = match attempt {
            MailAttempt::Sent => return MailOutcome::Sent,
            MailAttempt::Unneeded => return MailOutcome::Unneeded,
            MailAttempt::Failed { reason, is_final } => (reason, is_final),
        };
        let pause = PAUSES.get(self.failures as usize).filter(|_| !is_final);
        let next = pause.map(|pause| now.plus_millis(*pause));
        match next.filter(|at| *at <= self.mail.until) {
            Some(at) => MailOutcome::Retry { at, reason: Some(reason) },
            None => MailOutcome::Dead { reason },
        }
    }
}

/// A user's choice about mails on missed messages, and the last such mail.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailNotices {
    /// The choice; `None` for the default.
    pub choice: Option<EmailNotices>,
    /// The language of the last request of the user that names one.
    pub language: Option<MailLanguage>,
    /// The last mail.
    pub last: Option<MissedMail>,
}

/// The mails, links and confirmed addresses of a user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mailbox {
    /// Mails that are not settled, oldest first.
    pub queue: Vec<QueuedMail>,
    /// Mails that the server gave up lately and that can be sent again, oldest first.
    pub dead: Vec<DeadMail>,
    /// Links that may be valid, oldest first.
    pub links: Vec<Link>,
    /// When the last recovery mails were queued.
    recoveries: Vec<Timestamp>,
    /// When the last mails that confirm an address were queued.
    #[serde(default)]
    confirmations: Vec<Timestamp>,
    /// The address that was confirmed last.
    pub confirmed: Option<Email>,
    /// An address that waits to be confirmed.
    pub entered: Option<Email>,
    /// When a password was last set with a link that an operator made.
    #[serde(default)]
    pub recovered_by_operator: Option<Timestamp>,
    /// The people whom the user invited by email in the last day.
    #[serde(default)]
    invited: Vec<EmailInvitations>,
    /// Mails about missed messages.
    #[serde(default)]
    pub notices: MailNotices,
    /// When the last mails about registrations with the address of the account were queued.
    #[serde(default)]
    registrations: Vec<Timestamp>,
}

/// People whom a user invited by email at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct EmailInvitations {
    at: Timestamp,
    count: u32,
}

impl Mailbox {
    /// Applies a change. Deterministic.
    pub fn apply(&mut self, at: Timestamp, change: &MailChange) {
        self.links.retain(|link| at < link.expires_at);
        match change {
            MailChange::Queued(mail) => {
                if let Some(requests) = self.requests_mut(mail.kind) {
                    requests.retain(|earlier| at < earlier.plus_millis(HOUR));
                    requests.push(at);
                }
                if !matches!(mail.kind, MailKind::Recovery | MailKind::AlreadyRegistered) {
                    // Anybody can cause these two, in any language.
                    self.notices.language = Some(mail.language);
                }
                self.queue.push(QueuedMail::new(mail.clone(), at));
            }
            MailChange::Settled { id, outcome: MailOutcome::Retry { at, reason } } => {
                for queued in self.queue.iter_mut().filter(|it| it.mail.id == *id) {
                    queued.due = *at;
                    queued.failures += 1;
                    queued.attempts += 1;
                    queued.error.clone_from(reason);
                }
            }
            MailChange::Settled { id, outcome: MailOutcome::Sent | MailOutcome::Unneeded } => {
                self.queue.retain(|queued| queued.mail.id != *id);
            }
            MailChange::Settled { id, outcome: MailOutcome::Dead { reason } } => {
                self.bury(*id, reason, at);
            }
            MailChange::Retried { id, until } => self.retry(*id, *until, at),
            MailChange::LinkIssued(link) => {
                self.links.push(link.clone());
                let over = self.links.len().saturating_sub(LINKS);
                self.links.drain(..over);
            }
            MailChange::LinksEnded => {
                self.links.clear();
                self.entered = None;
                self.end_dead(|kind| kind.link_millis().is_some());
            }
            MailChange::Confirmed { address } => {
                self.confirmed = Some(address.clone());
                self.links.retain(|link| !link.confirms(address));
                self.entered.take_if(|entered| entered.key() == address.key());
            }
            MailChange::AddressEntered { address } => self.entered.clone_from(address),
            MailChange::RecoveredByOperator => self.recovered_by_operator = Some(at),
            MailChange::Invited { count } => {
                self.invited.retain(|earlier| at < earlier.at.plus_millis(DAY));
                self.invited.push(EmailInvitations { at, count: *count });
            }
            MailChange::NoticesChosen { choice, language } => {
                self.notices.choice = *choice;
                self.notices.language = language.or(self.notices.language);
            }
            MailChange::Missed { in_row } => {
                self.notices.last = Some(MissedMail { at, in_row: *in_row });
            }
        }
    }

    /// Ends the recovery links, since the password changed.
    pub fn end_recovery_links(&mut self) {
        self.links.retain(|link| !matches!(link.purpose, LinkPurpose::Recovery { .. }));
        self.end_dead(|kind| kind == MailKind::Recovery);
    }

    /// Notes that dead mails of these kinds cannot be sent again.
    fn end_dead(&mut self, ends: impl Fn(MailKind) -> bool) {
        for dead in self.dead.iter_mut().filter(|dead| ends(dead.queued.mail.kind)) {
            dead.has_ended = true;
        }
    }

    /// Moves a mail to those that the server gave up.
    fn bury(&mut self, id: MailId, reason: &str, at: Timestamp) {
        self.dead.retain(|dead| at < dead.at.plus_millis(DEAD_MILLIS));
        let Some(place) = self.queue.iter().position(|queued| queued.mail.id == id) else { return };
        self.dead.push(self.queue.remove(place).dead(reason, at));
        let over = self.dead.len().saturating_sub(DEAD);
        self.dead.drain(..over);
    }

    /// Makes a waiting or dead mail due at once, with the whole schedule of attempts before it.
    fn retry(&mut self, id: MailId, until: Timestamp, at: Timestamp) {
        if let Some(place) = self.dead.iter().position(|dead| dead.queued.mail.id == id) {
            self.queue.push(self.dead.remove(place).queued);
        }
        for queued in self.queue.iter_mut().filter(|it| it.mail.id == id) {
            queued.due = at;
            queued.failures = 0;
            queued.mail.until = until;
        }
    }

    /// The mail with this id, if the server gave it up within the last week.
    pub fn dead(&self, id: MailId, now: Timestamp) -> Option<&DeadMail> {
        let is_late = |dead: &&DeadMail| now < dead.at.plus_millis(DEAD_MILLIS);
        self.dead.iter().find(|dead| dead.queued.mail.id == id).filter(is_late)
    }

    /// The mail with this id, if it is not settled.
    pub fn queued(&self, id: MailId) -> Option<&QueuedMail> {
        self.queue.iter().find(|queued| queued.mail.id == id)
    }

    /// Whether another mail about the account can be queued.
    pub fn has_room(&self) -> bool {
        self.queue.iter().filter(|queued| queued.mail.invite.is_none()).count() < QUEUED
    }

    /// Checks whether the user may invite so many people by email now.
    ///
    /// # Errors
    /// If that exceeds the limit of a day: how many may be invited now, and when this many may.
    pub fn permit_invites(&self, count: u32, now: Timestamp) -> Result<(), TooManyInvites> {
        let ends = |earlier: &EmailInvitations| earlier.at.plus_millis(DAY);
        let recent = || self.invited.iter().filter(|earlier| now < ends(earlier));
        let invited: u32 = recent().map(|earlier| earlier.count).sum();
        let left = INVITE_EMAILS_OF_USER.saturating_sub(invited);
        let mut free = left;
        let mut until = now;
        for earlier in recent() {
            if free >= count {
                break;
            }
            free += earlier.count;
            until = ends(earlier);
        }
        match count <= left {
            true => Ok(()),
            false => Err(TooManyInvites { left, wait_millis: until.millis_since(now) }),
        }
    }

    /// Whether the account had as many recovery mails as it may have in an hour.
    pub fn has_recovered_enough(&self, now: Timestamp) -> bool {
        are_enough(&self.recoveries, now)
    }

    /// Whether the account had as many mails that confirm an address as it may have in an hour.
    pub fn has_confirmed_enough(&self, now: Timestamp) -> bool {
        are_enough(&self.confirmations, now)
    }

    /// Whether the account had as many mails about registrations with its address as it may have in
    /// an hour.
    pub fn has_registered_enough(&self, now: Timestamp) -> bool {
        are_enough(&self.registrations, now)
    }

    /// When mails of this kind were queued, if they are counted.
    const fn requests_mut(&mut self, kind: MailKind) -> Option<&mut Vec<Timestamp>> {
        match kind {
            MailKind::Recovery => Some(&mut self.recoveries),
            MailKind::Confirmation => Some(&mut self.confirmations),
            MailKind::AlreadyRegistered => Some(&mut self.registrations),
            MailKind::PasswordChanged
            | MailKind::AddressChanging
            | MailKind::AddressChanged
            | MailKind::Recovered
            | MailKind::FactorAdded
            | MailKind::FactorRemoved
            | MailKind::PasskeyAdded
            | MailKind::PasskeyRemoved
            | MailKind::GroupInvite
            | MailKind::Approved
            | MailKind::Missed => None,
        }
    }

    /// The purpose of a valid link.
    pub fn link(&self, hash: &LinkHash, now: Timestamp) -> Option<&LinkPurpose> {
        let link = self.links.iter().find(|link| link.hash == *hash && now < link.expires_at);
        link.map(|link| &link.purpose)
    }
}

/// The limit of a day for invites by email.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyInvites {
    /// How many people the user may invite now.
    pub left: u32,
    /// Milliseconds until the user may invite as many as they wanted to.
    pub wait_millis: u64,
}

/// Whether so many mails were queued in the last hour that no more may be.
fn are_enough(requests: &[Timestamp], now: Timestamp) -> bool {
    let recent = requests.iter().filter(|earlier| now < earlier.plus_millis(HOUR));
    recent.count() >= REQUESTS
}

impl Link {
    fn confirms(&self, confirmed: &Email) -> bool {
        match &self.purpose {
            LinkPurpose::Confirmation { address } => address.key() == confirmed.key(),
            LinkPurpose::Recovery { .. }
            | LinkPurpose::Protest { .. }
            | LinkPurpose::FactorProtest { .. }
            | LinkPurpose::PasskeyProtest { .. } => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn mail(kind: MailKind) -> Mail {
        let note = MailNote { id: MailId::new(7), language: MailLanguage::German };
        note.mail(kind, Email::parse("ana@example.org").unwrap(), at(0))
    }

    fn failed(is_final: bool) -> MailAttempt {
        MailAttempt::Failed { reason: "451".to_owned(), is_final }
    }

    #[test]
    fn mail_is_retried_by_the_schedule_and_then_dead() {
        let mut mailbox = Mailbox::default();
        mailbox.apply(at(0), &MailChange::Queued(mail(MailKind::PasswordChanged)));
        let mut now = at(0);
        let mut pauses = Vec::new();
        loop {
            let outcome = mailbox.queue[0].outcome(failed(false), now);
            mailbox
                .apply(now, &MailChange::Settled { id: MailId::new(7), outcome: outcome.clone() });
            let MailOutcome::Retry { at, .. } = outcome else { break };
            pauses.push(at.millis_since(now) / MINUTE);
            now = at;
        }
        assert_eq!(pauses, [1, 5, 30, 120, 360, 1440]);
        assert!(mailbox.queue.is_empty());
        let dead = mailbox.dead(MailId::new(7), now).unwrap();
        assert_eq!((dead.queued.attempts, dead.queued.error.as_deref()), (7, Some("451")));
        assert_eq!(mailbox.dead(MailId::new(7), now.plus_millis(DEAD_MILLIS)), None);
    }

    #[test]
    fn retried_mail_is_due_at_once_and_begins_its_schedule_again() {
        let id = MailId::new(7);
        let settled = |outcome| MailChange::Settled { id, outcome };
        let mut mailbox = Mailbox::default();
        mailbox.apply(at(0), &MailChange::Queued(mail(MailKind::PasswordChanged)));
        let failed = settled(mailbox.queue[0].outcome(failed(false), at(0)));
        mailbox.apply(at(0), &failed);
        let until = at(3 * DAY);
        mailbox.apply(at(5), &MailChange::Retried { id, until });
        let queued = mailbox.queued(id).unwrap();
        assert_eq!((queued.due, queued.failures, queued.attempts), (at(5), 0, 1));
        let dead = settled(MailOutcome::Dead { reason: DEADLINE_OVER.to_owned() });
        mailbox.apply(at(6), &dead);
        let error = mailbox.dead(id, at(6)).unwrap().queued.error.clone().unwrap();
        assert_eq!(error, format!("{DEADLINE_OVER}; the last attempt: 451"));
        mailbox.apply(at(7), &MailChange::Retried { id, until });
        assert_eq!(mailbox.dead(id, at(7)), None);
        let queued = mailbox.queued(id).unwrap();
        assert_eq!((queued.due, queued.attempts, queued.queued_at), (at(7), 1, at(0)));
        assert_eq!(queued.mail.until, until);
    }

    #[test]
    fn dead_mails_are_bounded_and_end_with_their_links() {
        let mut mailbox = Mailbox::default();
        let dies = |mailbox: &mut Mailbox, number: u64, kind| {
            let mail = Mail { id: MailId::new(number), ..mail(kind) };
            mailbox.apply(at(number), &MailChange::Queued(mail));
            let outcome = MailOutcome::Dead { reason: "550".to_owned() };
            let id = MailId::new(number);
            mailbox.apply(at(number), &MailChange::Settled { id, outcome });
        };
        for number in 0..=DEAD as u64 {
            dies(&mut mailbox, number, MailKind::GroupInvite);
        }
        assert_eq!(mailbox.dead.len(), DEAD);
        assert_eq!(mailbox.dead(MailId::new(0), at(300)), None);
        dies(&mut mailbox, 1000, MailKind::Recovery);
        dies(&mut mailbox, 1001, MailKind::PasswordChanged);
        let has_ended =
            |mailbox: &Mailbox, id| mailbox.dead(MailId::new(id), at(1002)).unwrap().has_ended;
        mailbox.end_recovery_links();
        assert!(has_ended(&mailbox, 1000) && !has_ended(&mailbox, 1001));
        mailbox.apply(at(1002), &MailChange::LinksEnded);
        assert!(has_ended(&mailbox, 1001) && !has_ended(&mailbox, 100));
    }

    #[test]
    fn names_of_kinds_differ() {
        let names: std::collections::BTreeSet<_> = MailKind::ALL.map(MailKind::name).into();
        assert_eq!(names.len(), MailKind::ALL.len());
    }

    #[test]
    fn recovery_mail_is_dead_after_its_link_would_expire() {
        let queued = QueuedMail { failures: 2, ..QueuedMail::new(mail(MailKind::Recovery), at(0)) };
        let outcome = queued.outcome(failed(false), at(6 * MINUTE));
        assert_eq!(outcome, MailOutcome::Dead { reason: "451".to_owned() });
        let refused = QueuedMail { failures: 0, ..queued };
        assert!(matches!(refused.outcome(failed(true), at(0)), MailOutcome::Dead { .. }));
    }

    #[test]
    fn invites_by_email_are_limited_within_a_day() {
        let mut mailbox = Mailbox::default();
        for (now, count) in [(0, 150), (HOUR, 50)] {
            assert_eq!(mailbox.permit_invites(count, at(now)), Ok(()));
            mailbox.apply(at(now), &MailChange::Invited { count });
        }
        let over = |left, wait_millis| Err(TooManyInvites { left, wait_millis });
        assert_eq!(mailbox.permit_invites(1, at(2 * HOUR)), over(0, 22 * HOUR));
        assert_eq!(mailbox.permit_invites(150, at(DAY)), Ok(()));
        assert_eq!(mailbox.permit_invites(151, at(DAY)), over(150, HOUR));
    }

    #[test]
    fn browsers_name_the_language_of_mails() {
        for (header, language) in [
            ("de-CH,de;q=0.9,en;q=0.8", MailLanguage::German),
            ("sw, fr;q=0.5", MailLanguage::French),
            ("AR", MailLanguage::Arabic),
            ("es-MX,es;q=0.9", MailLanguage::Spanish),
            ("ja-JP,en;q=0.5", MailLanguage::Japanese),
            ("zh-CN,zh-TW;q=0.9", MailLanguage::Chinese),
            ("zh-TW", MailLanguage::TraditionalChinese),
            ("zh-Hans-HK", MailLanguage::Chinese),
            ("zh-hant", MailLanguage::TraditionalChinese),
            ("pt-BR", MailLanguage::Portuguese),
            ("it", MailLanguage::Italian),
            ("en-US,de", MailLanguage::English),
            ("", MailLanguage::English),
            ("*", MailLanguage::English),
        ] {
            assert_eq!(MailLanguage::preferred(header), language, "{header:?}");
        }
    }

    #[test]
    fn link_expires_and_oldest_links_end_first() {
        let mut mailbox = Mailbox::default();
        let hash = |number: u8| LinkHash::new([number; 32]);
        for number in 0..40 {
            let link = mail(MailKind::Recovery).link(hash(number), at(u64::from(number))).unwrap();
            mailbox.apply(at(u64::from(number)), &MailChange::LinkIssued(link));
        }
        assert_eq!(mailbox.link(&hash(7), at(40)), None);
        assert!(mailbox.link(&hash(8), at(40)).is_some());
        assert_eq!(mailbox.link(&hash(8), at(8 + RECOVERY_MILLIS)), None);
        mailbox.end_recovery_links();
        assert!(mailbox.links.is_empty());
    }
}
