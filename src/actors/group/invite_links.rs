//! Invite links: the questions about them, and what the room does with each.

use std::sync::Arc;

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Question};
use crate::group::GroupActor;
use crate::ledger::Recording;
use domain::group::{EmailInvitee, InviteLink, InviteLinkRefusal, NewInviteLink};
use domain::ids::{InviteLinkId, UserId};

/// Makes an invite link. Sent by `http::invite_links`; answered with the link.
#[derive(Debug)]
pub struct MakeInviteLink {
    /// The member who makes it.
    pub by: UserId,
    /// The link as requested.
    pub new: NewInviteLink,
}

impl Question for MakeInviteLink {
    type Answer = Arc<InviteLink>;
    type Refusal = InviteLinkRefusal;
    const DECIDES: bool = true;
}

/// Makes an invite link for each of several email addresses. Sent by `http::invite_links`; answered
/// with the links in their order.
#[derive(Debug)]
pub struct MakeEmailInvites {
    /// The member who makes them.
    pub by: UserId,
    /// The people.
    pub invitees: Vec<EmailInvitee>,
}

impl Question for MakeEmailInvites {
    type Answer = Vec<Arc<InviteLink>>;
    type Refusal = InviteLinkRefusal;
    const DECIDES: bool = true;
}

/// Ends an invite link. Sent by `http::invite_links`.
#[derive(Debug)]
pub struct EndInviteLink {
    /// The member who ends it.
    pub by: UserId,
    /// The link.
    pub link: InviteLinkId,
}

impl Question for EndInviteLink {
    type Answer = ();
    type Refusal = InviteLinkRefusal;
    const DECIDES: bool = true;
}

/// Returns the invite links that a member sees, newest first. Sent by `http::invite_links`.
#[derive(Debug)]
pub struct ListInviteLinks {
    /// The member.
    pub reader: UserId,
}

impl Question for ListInviteLinks {
    type Answer = Vec<Arc<InviteLink>>;
    type Refusal = InviteLinkRefusal;
}

impl Answers<MakeInviteLink> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<MakeInviteLink> {
        Some(Err(InviteLinkRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<MakeInviteLink>, ctx: &mut Context<Self>) {
        let MakeInviteLink { by, new } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, InviteLinkRefusal::NotAMember, |group, now, ids| {
            group.make_invite_link(by, new, now.wall, ids)
        });
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<MakeEmailInvites> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<MakeEmailInvites> {
        Some(Err(InviteLinkRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<MakeEmailInvites>, ctx: &mut Context<Self>) {
        let MakeEmailInvites { by, invitees } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, InviteLinkRefusal::NotAMember, |group, now, ids| {
            group.make_email_invites(by, invitees, now.wall, ids)
        });
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<EndInviteLink> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<EndInviteLink> {
        Some(Err(InviteLinkRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<EndInviteLink>, ctx: &mut Context<Self>) {
        let EndInviteLink { by, link } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, InviteLinkRefusal::NotAMember, |group, now, _| {
            group.end_invite_link(by, link, now.wall)
        });
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<ListInviteLinks> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ListInviteLinks> {
        Some(Err(InviteLinkRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<ListInviteLinks>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        let now = self.context.clock.now().wall;
        let reader = ask.question.reader;
        let reply = ask.reply;
        let group = self.group.as_ref().ok_or(InviteLinkRefusal::NotAMember);
        match group.and_then(|group| group.invite_links_for(reader, now)) {
            Ok(links) => self.when_durable(move |room| {
                reply.send(room.map(|_| links).map_err(Into::into));
            }),
            Err(refusal) => self.refuse_once_durable(refusal, reply),
        }
    }
}
