//! Edits and deletes messages, and shows their earlier versions. Members name the conversation in
//! the path; a bot names itself.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};

use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::caller::Caller;
use crate::http::carried;
use crate::http::dialect::Dialect;
use crate::http::error::ApiError;
use crate::http::reply::{self, Answer};
use ::wire::conversation_list::conversation;
use ::wire::revisions as wire;
use actors::ask::Failure;
use actors::conversation::revisions::{DeleteMessage, EditMessage, ShowHistory};
use actors::user::protocol::AdmitSender;
use domain::chat::{WriteRefusal, text_only};
use domain::ids::{BotId, Conversation, GroupId, MessageId, Pair};
use domain::message::MessageJson;
use domain::revision::{ReviserId, RevisionRefusal};

/// The conversation and the message that a path names.
type Place = web::Path<(String, String)>;

fn parse_path(path: Place) -> Result<(Conversation, MessageId), RevisionRefusal> {
    let (conv, message) = path.into_inner();
    let conv = conversation(&conv).ok_or(RevisionRefusal::NotAMember)?;
    Ok((conv, message.parse().map_err(|_| RevisionRefusal::NoMessage)?))
}

/// `PUT /conversations/:conversation_id/messages/:message_id`
pub(super) async fn edit(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    dialect: Dialect,
    path: Place,
    body: Body,
) -> Answer {
    let (conv, message) = parse_path(path)?;
    change(&app, (&act, dialect), conv, (ReviserId::User(caller.user), message), body).await
}

/// `PUT /groups/:group_id/messages/:message_id`
pub(super) async fn edit_in_group(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    dialect: Dialect,
    path: Place,
    body: Body,
) -> Answer {
    let (conv, message) = parse_path(path)?;
    let Conversation::Group(_) = conv else { return Err(ApiError::no_such_group()) };
    change(&app, (&act, dialect), conv, (ReviserId::User(caller.user), message), body).await
}

/// `PUT /direct_messages/:user_id/messages/:message_id`: the chat is named by the other user.
pub(super) async fn edit_in_chat(
    app: web::Data<AppState>,
    act: Act,
    caller: Caller,
    dialect: Dialect,
    path: Place,
    body: Body,
) -> Answer {
    let (other, message) = path.into_inner();
    let other = other.parse().map_err(|_| RevisionRefusal::NotAMember)?;
    let pair = Pair::of(caller.user, other).ok_or(RevisionRefusal::NotAMember)?;
    let message = message.parse().map_err(|_| RevisionRefusal::NoMessage)?;
    let by = ReviserId::User(caller.user);
    change(&app, (&act, dialect), pair.into(), (by, message), body).await
}

/// `PUT /bots/:bot_id/messages/:message_id`: takes no token, since the bot's id is secret.
pub(super) async fn edit_as_bot(
    app: web::Data<AppState>,
    act: Act,
    dialect: Dialect,
    path: Place,
    body: Body,
) -> Answer {
    let (group, by, message) = bots_own(&app, path).await?;
    change(&app, (&act, dialect), group.into(), (by, message), body).await
}

async fn change(
    app: &AppState,
    (act, dialect): (&Act, Dialect),
    conv: Conversation,
    (by, message): (ReviserId, MessageId),
    body: Body,
) -> Answer {
    let mut change = wire::read_edit(&body.fields()?, &app.instance)?;
    change.form = dialect.addresses();
    let attachments = change.attachments.as_deref_mut().unwrap_or_default();
    let sender = match &by {
        ReviserId::User(user) => Some(*user),
        ReviserId::Bot(_) => None,
    };
    carried::resolve_attachments(app, sender, conv, ("", attachments)).await?;
    if let Some(sender) = sender {
        carried::note_images_used(app, sender, attachments).await?;
    }
    let show = move |json: &MessageJson| reply::message(StatusCode::OK, &dialect.put(json));
    let asked = EditMessage { by, message, change };
    match conv {
        Conversation::Group(group) => Ok(act.ask(group, asked, show).await?),
        Conversation::Chat(pair) => {
            // An edit shows words to the other user as a message does, so the same check applies.
            if let ReviserId::User(from) = asked.by
                && let Some(to) = pair.other(from)
            {
                let standing = app.directory.ask(to, AdmitSender { from }).await?;
                let attachments = asked.change.attachments.as_deref().unwrap_or_default();
                if standing.has_request {
                    text_only(attachments).map_err(WriteRefusal::from)?;
                }
            }
            Ok(act.ask(pair, asked, show).await?)
        }
    }
}

/// `DELETE /conversations/:conversation_id/messages/:message_id`
pub(super) async fn delete(app: web::Data<AppState>, caller: Caller, path: Place) -> Answer {
    let (conv, message) = parse_path(path)?;
    remove(&app, conv, DeleteMessage { by: ReviserId::User(caller.user), message }).await
}

/// `DELETE /bots/:bot_id/messages/:message_id`: takes no token either.
pub(super) async fn delete_as_bot(app: web::Data<AppState>, path: Place) -> Answer {
    let (group, by, message) = bots_own(&app, path).await?;
    remove(&app, group.into(), DeleteMessage { by, message }).await
}

async fn remove(app: &AppState, conv: Conversation, asked: DeleteMessage) -> Answer {
    match conv {
        Conversation::Group(group) => app.directory.ask(group, asked).await?,
        Conversation::Chat(pair) => app.directory.ask(pair, asked).await?,
    }
    Ok(HttpResponse::NoContent().finish())
}

/// The group of the bot that a path names, the bot, and the message.
async fn bots_own(
    app: &AppState,
    path: Place,
) -> Result<(GroupId, ReviserId, MessageId), ApiError> {
    let (bot, message) = path.into_inner();
    let bot = BotId::new(bot);
    let row = app.directory.context().accounts.active_bot(bot.clone()).await??;
    let message = message.parse().map_err(|_| RevisionRefusal::NoMessage)?;
    Ok((row.group, ReviserId::Bot(bot), message))
}

/// `GET /conversations/:conversation_id/messages/:message_id/history`
pub(super) async fn history(
    app: web::Data<AppState>,
    caller: Caller,
    dialect: Dialect,
    path: Place,
) -> Answer {
    let (conv, message) = parse_path(path)?;
    let asked = ShowHistory { reader: caller.user, message };
    let earlier: Result<_, Failure<RevisionRefusal>> = match conv {
        Conversation::Group(group) => app.directory.ask(group, asked).await,
        Conversation::Chat(pair) => app.directory.ask(pair, asked).await,
    };
    let earlier = earlier?;
    let earlier = serde_json::value::to_raw_value(&wire::history(&earlier, &app.instance));
    let earlier = earlier.map_err(|error| ApiError::fault(&error))?;
    Ok(reply::ok(&wire::MessageHistory { history: &dialect.put_list(&earlier) }))
}
