//! Mails to a user and the links in them: what the user's room does with the questions about them.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Question};
use crate::ledger::Recording;
use crate::user::UserActor;
use crate::user::protocol::UserRefusal;
use auth::unsubscribe::Unsubscription;
use domain::event::Decision;
use domain::ids::MailId;
use domain::mail::{LinkHash, MailAttempt, MailNote, MailOutcome, RetryRefusal};
use domain::text::Email;
use domain::time::{Monotonic, Timestamp};
use domain::user::{EmailInviteRefusal, InviteToMail, LinkRefusal, MailToSend, User};

/// Queues a mail with a recovery link, unless the account is disabled or had too many. Sent by
/// `http::recovery`.
#[derive(Debug)]
pub struct RequestRecovery {
    /// The mail to queue.
    pub note: MailNote,
}

impl Question for RequestRecovery {
    type Answer = ();
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

/// Issues the link of a mail before an attempt to send it; answered with `None` if the mail is not
/// to be sent. Sent by `subscribers::mail`.
#[derive(Debug)]
pub struct BeginMail {
    /// The mail.
    pub id: MailId,
    /// The hash of the secret in its link.
    pub hash: LinkHash,
}

impl Question for BeginMail {
    type Answer = Option<MailToSend>;
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

/// Records how an attempt to send a mail ended. Sent by `subscribers::mail`.
#[derive(Debug)]
pub struct SettleMail {
    /// The mail.
    pub id: MailId,
    /// How the attempt ended.
    pub attempt: MailAttempt,
}

impl Question for SettleMail {
    type Answer = Option<MailOutcome>;
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

/// Has a waiting or dead mail sent again at once. Sent by `http::mails`.
#[derive(Debug)]
pub struct RetryMail {
    /// The mail.
    pub id: MailId,
}

impl Question for RetryMail {
    type Answer = ();
    type Refusal = RetryRefusal;
    const DECIDES: bool = true;
}

/// Issues a recovery link for an operator. Sent by `admin::users`.
#[derive(Debug)]
pub struct MakeRecoveryLink {
    /// The hash of the link's secret.
    pub hash: LinkHash,
}

impl Question for MakeRecoveryLink {
    type Answer = ();
    type Refusal = LinkRefusal;
    const DECIDES: bool = true;
}

/// Sets another password for somebody with a recovery link, and ends every token. Sent by
/// `http::recovery`; answered with the address to log in with.
#[derive(Debug)]
pub struct Recover {
    /// The hash of the link's secret.
    pub hash: LinkHash,
    /// The Argon2id hash of the new password, in PHC form.
    pub password: String,
    /// The mail that tells the owner; `None` if the server sends none.
    pub note: Option<MailNote>,
}

impl Question for Recover {
    type Answer = Email;
    type Refusal = LinkRefusal;
    const DECIDES: bool = true;
}

/// Ends every token of an account that somebody else changed, and queues a mail with a recovery
/// link. Sent by `http::recovery`.
#[derive(Debug)]
pub struct Protest {
    /// The hash of the link's secret.
    pub hash: LinkHash,
    /// The Argon2id hash of a password that nobody knows, in PHC form.
    pub password: String,
    /// The mail with the recovery link.
    pub note: MailNote,
    /// How long the address that got the link is claimed; `None` if it is the account's, or another
    /// account has it.
    pub claimed: Option<Monotonic>,
}

impl Question for Protest {
    type Answer = ();
    type Refusal = LinkRefusal;
    const DECIDES: bool = true;
}

/// Queues a mail that confirms the account's address, or the one that waits for it. Sent by
/// `http::confirmation`.
#[derive(Debug)]
pub struct RequestConfirmation {
    /// The mail to queue.
    pub note: MailNote,
}

impl Question for RequestConfirmation {
    type Answer = ();
    type Refusal = LinkRefusal;
    const DECIDES: bool = true;
}

/// Confirms an address with a link. Sent by `http::confirmation`, which has claimed an address that
/// the account does not have yet; answered with the address.
#[derive(Debug)]
pub struct ConfirmAddress {
    /// The hash of the link's secret.
    pub hash: LinkHash,
    /// Until when a new address is claimed; `None` if the account has it already.
    pub claimed: Option<Monotonic>,
    /// The mail to the former address.
    pub note: Option<MailNote>,
}

impl Question for ConfirmAddress {
    type Answer = Email;
    type Refusal = LinkRefusal;
    const DECIDES: bool = true;
}

/// Counts people whom the user is about to invite to a group by email. Sent by
/// `http::invite_links`.
#[derive(Debug)]
pub struct CountEmailInvites {
    /// The number of addresses.
    pub count: u32,
    /// Whether the server sends mails to them.
    pub is_mailed: bool,
}

impl Question for CountEmailInvites {
    type Answer = ();
    type Refusal = EmailInviteRefusal;
    const DECIDES: bool = true;
}

/// Queues the mails of invites whose links are made. Sent by `http::invite_links`.
#[derive(Debug)]
pub struct QueueEmailInvites {
    /// The invites.
    pub invites: Vec<InviteToMail>,
}

impl Question for QueueEmailInvites {
    type Answer = ();
    type Refusal = EmailInviteRefusal;
    const DECIDES: bool = true;
}

/// Queues a mail about missed messages, unless the account takes none now. Sent by
/// `subscribers::missed`.
#[derive(Debug)]
pub struct QueueMissed {
    /// The id of the mail.
    pub id: MailId,
    /// How many such mails came before it without any activity of the user.
    pub in_row: u32,
}

impl Question for QueueMissed {
    type Answer = ();
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

/// Turns mails about missed messages off, through a link in one of them. Sent by
/// `http::own_settings`.
#[derive(Debug)]
pub struct Unsubscribe(pub Unsubscription);

impl Question for Unsubscribe {
    type Answer = ();
    type Refusal = LinkRefusal;
    const DECIDES: bool = true;
}

impl UserActor {
    /// Records what `decide` decides for the account; refuses where there is none.
    pub(super) fn record_for_account<Q: Question>(
        &mut self,
        ask: Ask<Q>,
        ctx: &mut Context<Self>,
        unknown: Q::Refusal,
        decide: impl FnOnce(&User, Q, Timestamp) -> Result<Decision<Q::Answer>, Q::Refusal>,
    ) where
        Q::Answer: Send + 'static,
        Q::Refusal: Send + 'static,
    {
        let now = self.context.clock.now();
        let decided = match &self.user {
            Some(user) => decide(user, ask.question, now.wall),
            None => Err(unknown),
        };
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<RequestRecovery> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<RequestRecovery> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<RequestRecovery>, ctx: &mut Context<Self>) {
        self.record_for_account(ask, ctx, UserRefusal::Unknown, |user, question, now| {
            Ok(user.request_recovery(question.note, now))
        });
    }
}

impl Answers<BeginMail> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<BeginMail> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<BeginMail>, ctx: &mut Context<Self>) {
        self.record_for_account(
            ask,
            ctx,
            UserRefusal::Unknown,
            |user, BeginMail { id, hash }, now| Ok(user.begin_mail(id, hash, now)),
        );
    }
}

impl Answers<SettleMail> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<SettleMail> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<SettleMail>, ctx: &mut Context<Self>) {
        self.record_for_account(ask, ctx, UserRefusal::Unknown, |user, question, now| {
            Ok(user.settle_mail(question.id, question.attempt, now))
        });
    }
}

impl Answers<RetryMail> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<RetryMail> {
        Some(Err(RetryRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<RetryMail>, ctx: &mut Context<Self>) {
        self.record_for_account(ask, ctx, RetryRefusal::Unknown, |user, RetryMail { id }, now| {
            user.retry_mail(id, now)
        });
    }
}

impl Answers<MakeRecoveryLink> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<MakeRecoveryLink> {
        Some(Err(LinkRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<MakeRecoveryLink>, ctx: &mut Context<Self>) {
        self.record_for_account(ask, ctx, LinkRefusal::Unknown, |user, question, now| {
            user.make_recovery_link(question.hash, now)
        });
    }
}

impl Answers<Recover> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<Recover> {
        Some(Err(LinkRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<Recover>, ctx: &mut Context<Self>) {
        self.record_for_account(ask, ctx, LinkRefusal::Unknown, |user, question, now| {
            let Recover { hash, password, note } = question;
            user.recover(&hash, password, note, now)
        });
    }
}

impl Answers<Protest> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<Protest> {
        Some(Err(LinkRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<Protest>, ctx: &mut Context<Self>) {
        let mono = self.context.clock.now().mono;
        self.record_for_account(ask, ctx, LinkRefusal::Unknown, |user, question, now| {
            let Protest { hash, password, note, claimed } = question;
            let is_claimed = claimed.is_some_and(|until| mono < until);
            user.protest(&hash, password, note, (is_claimed, now))
        });
    }
}

impl Answers<RequestConfirmation> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<RequestConfirmation> {
        Some(Err(LinkRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<RequestConfirmation>, ctx: &mut Context<Self>) {
        self.record_for_account(ask, ctx, LinkRefusal::Unknown, |user, question, now| {
            user.request_confirmation(question.note, now)
        });
    }
}

impl Answers<ConfirmAddress> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<ConfirmAddress> {
        Some(Err(LinkRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<ConfirmAddress>, ctx: &mut Context<Self>) {
        let mono = self.context.clock.now().mono;
        self.record_for_account(ask, ctx, LinkRefusal::Unknown, |user, question, now| {
            let ConfirmAddress { hash, claimed, note } = question;
            let is_claimed = claimed.is_some_and(|until| mono < until);
            user.confirm_address(&hash, is_claimed, note, now)
        });
    }
}

impl Answers<CountEmailInvites> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<CountEmailInvites> {
        Some(Err(EmailInviteRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<CountEmailInvites>, ctx: &mut Context<Self>) {
        self.record_for_account(ask, ctx, EmailInviteRefusal::Unknown, |user, question, now| {
            user.count_email_invites(question.count, question.is_mailed, now)
        });
    }
}

impl Answers<QueueMissed> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<QueueMissed> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<QueueMissed>, ctx: &mut Context<Self>) {
        self.record_for_account(ask, ctx, UserRefusal::Unknown, |user, question, now| {
            Ok(user.queue_missed(question.id, question.in_row, now))
        });
    }
}

impl Answers<QueueEmailInvites> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<QueueEmailInvites> {
        Some(Err(EmailInviteRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<QueueEmailInvites>, ctx: &mut Context<Self>) {
        self.record_for_account(ask, ctx, EmailInviteRefusal::Unknown, |user, question, now| {
            Ok(user.queue_email_invites(question.invites, now))
        });
    }
}

impl Answers<Unsubscribe> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<Unsubscribe> {
        Some(Err(LinkRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<Unsubscribe>, ctx: &mut Context<Self>) {
        self.record_for_account(ask, ctx, LinkRefusal::Unknown, |user, Unsubscribe(link), _| {
            user.unsubscribe(|address| link.is_to(address))
        });
    }
}
