//! Direct messages (specification, section 4, Chats and direct messages).

use actix_web::http::StatusCode;
use actix_web::web;
use futures_util::future::join;

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::caller::Caller;
use crate::http::carried;
use crate::http::dialect::Dialect;
use crate::http::error::ApiError;
use crate::http::guests;
use crate::http::messages::{page_answer_as, page_starting_at, read_page};
use crate::http::original::receipt_of_other;
use crate::http::reply::{self, Answer};
use ::wire::fields::{Fields, Problems};
use ::wire::new_message as wire;
use actors::chat::protocol::{ListDirect, RecallSender, WriteMessage};
use actors::idempotency::Rendered;
use actors::user::message_requests::OpenRequest;
use actors::user::permits::ReturnPermit;
use actors::user::protocol::{AdmitSender, PermitWriting};
use base::random::random;
use domain::chat::{Sender, WriteRefusal};
use domain::guests::AccountAct;
use domain::hex::hex;
use domain::ids::{MessageId, Pair, UserId};
use domain::message::{MessageJson, NewMessage, ShownMessage};
use domain::message_requests::{DmFrom, DmRefusal, Reception};
use domain::user::{Acquaintance, SenderStanding};

/// `GET /direct_messages`
pub(super) async fn list(
    app: web::Data<AppState>,
    caller: Caller,
    dialect: Dialect,
    query: Query,
) -> Answer {
    let mut problems = Problems::default();
    let other: Option<UserId> = Fields::of(&query.0, &mut problems).required_id("other_user_id");
    let other = problems.or(other)?;
    let (page, limit) = read_page(&query, dialect)?;
    let Some(pair) = Pair::of(caller.user, other) else {
        let reason = "other_user_id must name somebody else, not yourself";
        return Err(ApiError::new(StatusCode::BAD_REQUEST, reason));
    };
    let found = app.directory.ask(pair, ListDirect { page, limit }).await?;
    if !found.messages.is_empty() {
        let receipt = match dialect {
            Dialect::Specified => None,
            Dialect::Compatible => receipt_of_other(&app, caller.user, pair).await?,
        };
        let place = (pair.into(), &["direct_messages"][..]);
        return Ok(page_answer_as(&app, dialect, place, &found, receipt.as_ref()));
    }
    match app.directory.context().accounts.account(other).await? {
        Some(_) => Ok(reply::not_modified()),
        None => Err(WriteRefusal::Unknown.into()),
    }
}

/// `POST /direct_messages`
pub(super) async fn create(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    dialect: Dialect,
    body: Body,
) -> Answer {
    let mut fields = body.fields()?;
    if dialect == Dialect::Compatible {
        wire::fill_in_direct(&mut fields, caller.user, hex(&random::<16>()));
    }
    let (to, mut message) = wire::read_direct(&fields, &app.instance)?;
    let pair = Pair::of(caller.user, to).ok_or(WriteRefusal::Oneself)?;
    carried::look_up(&app, caller.user, pair.into(), ("direct_message.", &mut message)).await?;
    message.form = dialect.addresses();
    let outgoing = OutgoingMessage { from: caller.user, to, message };
    match admit(&app, pair, &outgoing).await? {
        SendCheck::Repeat(stored) => repeated(&app, dialect, pair, stored).await,
        SendCheck::Sender(sender, reception) => {
            let asked = WriteMessage { sender, reception, message: outgoing.message };
            let show = move |stored: &ShownMessage| written(dialect, &dialect.put(&stored.json));
            let written = act.ask(pair, asked, show).await;
            if written.is_err() {
                give_back(&app, caller.user).await;
            }
            Ok(written?)
        }
    }
}

/// The response to a sent message, around its JSON.
fn written(dialect: Dialect, json: &MessageJson) -> Rendered {
    reply::message_as(StatusCode::CREATED, dialect.direct_message_names(), json)
}

/// The response to a repeated message: the stored one, with those who like it by now.
async fn repeated(app: &AppState, dialect: Dialect, pair: Pair, stored: MessageId) -> Answer {
    let page = page_starting_at(stored);
    let found = app.directory.ask(pair, ListDirect { page, limit: 1 }).await?;
    let message = found.messages.first().filter(|it| it.message.id == stored);
    let message = message.ok_or_else(|| ApiError::fault(&"a stored message cannot be found"))?;
    Ok(reply::of_rendered(written(dialect, &dialect.message(message, pair, &app.instance))))
}

/// A message to be sent, with both users.
struct OutgoingMessage {
    from: UserId,
    to: UserId,
    message: NewMessage,
}

/// Whether a message may be sent, or was sent before.
enum SendCheck {
    /// The message is stored already, under this id.
    Repeat(MessageId),
    /// The message may be sent, by this sender, and is received so.
    Sender(Sender, Reception),
}

/// Asks the chat whether the message is a repeat, and both users' rooms whether it may be sent. A
/// block that was answered before the message arrived is known to the room of the user who blocks.
async fn admit(
    app: &AppState,
    pair: Pair,
    outgoing: &OutgoingMessage,
) -> Result<SendCheck, ApiError> {
    let OutgoingMessage { from, to, message } = outgoing;
    let from = *from;
    let to = *to;
    let recall = RecallSender { sender: from, guid: message.source_guid.clone() };
    let (recalled, admitted) =
        join(app.directory.ask(pair, recall), app.directory.ask(to, AdmitSender { from })).await;
    let recalled = recalled?;
    // A repeat is no new message, so neither blocks nor rate limits apply to it.
    if let Some(stored) = recalled.repeated {
        return Ok(SendCheck::Repeat(stored.id));
    }
    let (sender, reception) = permitted(app, (from, to), recalled.has_begun, admitted?).await?;
    Ok(SendCheck::Sender(sender, reception))
}

/// Asks both users' rooms whether a calendar event may be made; returns the sender as the chat needs
/// to know them.
pub(super) async fn admitted_sender(
    app: &AppState,
    (from, to): (UserId, UserId),
    has_begun: bool,
) -> Result<Sender, ApiError> {
    let standing = app.directory.ask(to, AdmitSender { from }).await?;
    match permitted(app, (from, to), has_begun, standing).await? {
        (sender, Reception::Message) => Ok(sender),
        (_, Reception::Request) => {
            give_back(app, from).await;
            Err(WriteRefusal::from(DmRefusal::TextOnly).into())
        }
    }
}

/// Gives back what [`admitted_sender`] was counted for, since it was not stored. If the sender's
/// room cannot be asked, one message too many stays counted.
pub(super) async fn give_back(app: &AppState, from: UserId) {
    drop(app.directory.ask(from, ReturnPermit).await);
}

/// Asks the sender's room whether they may send another message, and to strangers if the other user
/// is one; opens a request if the recipient takes nothing else from them. Says how the message is
/// received.
async fn permitted(
    app: &AppState,
    (from, to): (UserId, UserId),
    has_begun: bool,
    standing: SenderStanding,
) -> Result<(Sender, Reception), ApiError> {
    let shares_group =
        !has_begun && app.directory.context().accounts.share_a_group(from, to).await?;
    let knows = has_begun || shares_group;
    if !knows {
        guests::permit(app, from, AccountAct::WriteToStrangers).await?;
    }
    let default = match has_begun {
        true => DmFrom::default(),
        false => app.settings().await?.dm_from.value,
    };
    let received = standing.reception(default, has_begun, shares_group);
    let reception = received.map_err(WriteRefusal::from)?;
    let acquaintance = if knows { Acquaintance::Known } else { Acquaintance::Stranger };
    let sender = app.directory.ask(from, PermitWriting { to, acquaintance }).await?;
    if reception == Reception::Request && !standing.has_request {
        let opened = app.directory.ask(to, OpenRequest { from }).await;
        if opened.is_err() {
            give_back(app, from).await;
        }
        opened?;
    }
    Ok((sender, reception))
}
