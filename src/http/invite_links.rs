//! Invites of a group: links with a name, an end and a number of uses.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web;

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::caller::Caller;
use crate::http::groups::group_id;
use crate::http::recovery;
use crate::http::reply::{self, Answer};
use ::wire::invite_links as wire;
use actors::group::invite_links::{
    EndInviteLink, ListInviteLinks, MakeEmailInvites, MakeInviteLink,
};
use actors::group::protocol::{ViewGroup, ViewRefusal};
use actors::user::mail::{CountEmailInvites, QueueEmailInvites};
use domain::group::{EmailInvitee, GroupAct, InviteLink, InviteLinkRefusal, Who};
use domain::guests::GuestsOff;
use domain::ids::InviteLinkId;
use domain::mail::MailedInvite;
use domain::user::InviteToMail;

/// `GET /groups/:group_id/invites`
pub(super) async fn list(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
) -> Answer {
    let id = group_id(&path)?;
    let links = app.directory.ask(id, ListInviteLinks { reader: caller.user }).await?;
    let now = app.directory.context().clock.now().wall;
    Ok(reply::ok(&wire::InviteList::of(id, &links, now, &app.instance)))
}

/// `POST /groups/:group_id/invites`
pub(super) async fn create(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let id = group_id(&path)?;
    let new = wire::read_new(&body.fields()?)?;
    if new.is_for_guests && !app.settings().await?.guests.value {
        return Err(GuestsOff.into());
    }
    let instance = Arc::clone(&app.instance);
    let show = move |link: &Arc<InviteLink>| {
        reply::payload(StatusCode::CREATED, &wire::MadeInvite::of(id, link, &instance))
    };
    Ok(act.ask(id, MakeInviteLink { by: caller.user, new }, show).await?)
}

/// `POST /groups/:group_id/invites/email`: counts the addresses, makes the links, then queues the
/// mails, each durably. The answer is kept with the mails, so a repeat after a crash mails nothing
/// twice.
pub(super) async fn create_for_emails(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let id = group_id(&path)?;
    let emails = wire::read_emails(&body.fields()?)?;
    let by = caller.user;
    let context = app.directory.context();
    // The room decides again; here it decides that refused invites do not count for the day.
    let view = app.directory.ask(id, ViewGroup { reader: by }).await?;
    let member = view.group.member(by).ok_or(ViewRefusal::NotAMember)?;
    view.group.permit(member, GroupAct::Share, context.clock.now().wall)?;
    let mut invitees = Vec::with_capacity(emails.len());
    for email in emails {
        let account = context.accounts.invitee(Who::Email(email.clone()), by).await?;
        invitees.push(EmailInvitee { email, account });
    }
    let is_mailed = app.sends_mail();
    let count = u32::try_from(invitees.len()).unwrap_or(u32::MAX);
    app.directory.ask(by, CountEmailInvites { count, is_mailed }).await?;
    let instance = Arc::clone(&app.instance);
    let show = move |links: &Vec<Arc<InviteLink>>| {
        let one = |link| wire::EmailInvite::of(id, link, is_mailed, &instance);
        let invites: Vec<_> = links.iter().filter_map(|link| one(link)).collect();
        reply::payload(StatusCode::CREATED, &invites)
    };
    let make = MakeEmailInvites { by, invitees };
    if !is_mailed {
        return Ok(act.ask(id, make, show).await?);
    }
    let links = app.directory.ask(id, make).await?;
    let to_mail = |link: &Arc<InviteLink>| {
        let addressee = link.addressee.as_ref().filter(|addressee| !addressee.is_void)?;
        let group_name = view.group.settings.name.clone();
        Some(InviteToMail {
            note: recovery::new_note(act.language()),
            to: addressee.email.clone(),
            invite: MailedInvite { group: id, group_name, token: link.token.clone() },
        })
    };
    let invites = links.iter().filter_map(to_mail).collect();
    Ok(act.ask(by, QueueEmailInvites { invites }, move |()| show(&links)).await?)
}

/// `DELETE /groups/:group_id/invites/:invite_id`
pub(super) async fn end(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Answer {
    let (group, link) = path.into_inner();
    let id = group_id(&group)?;
    let link: InviteLinkId = link.parse().map_err(|_| InviteLinkRefusal::NoLink)?;
    app.directory.ask(id, EndInviteLink { by: caller.user, link }).await?;
    Ok(reply::of_rendered(reply::done(&())))
}
