//! Requests of a bot's creator: its deliveries, replays, tests, its secret, and its events, for
//! bots that cannot be called back.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::http::access;
use crate::http::act::Act;
use crate::http::app_state::AppState;
use crate::http::body::{Body, Query};
use crate::http::caller::Caller;
use crate::http::caller::token_of;
use crate::http::error::ApiError;
use crate::http::reply::{self, Answer};
use ::wire::bot::RotatedSecret;
use ::wire::delivery::{
    self as wire, CallbackTest, DeliveryDetail, DeliveryList, ReplayedDeliveries, SignedRequest,
};
use ::wire::fields::Problems;
use ::wire::schema::scalars::TextId;
use actors::group::protocol::RotateSecret;
use auth::accounts::BotOf;
use base::random::random;
use domain::callback::{Delivery, DeliveryState};
use domain::group::{Bot, BotRefusal, Maker, Secret};
use domain::ids::{BotId, DeliveryId};
use subscribers::callbacks::creator_queries::PulledMessages;
use subscribers::callbacks::protocol::ReplayDeliveries;
use subscribers::callbacks::signature::AttemptHeaders;

/// Makes a new random secret.
pub(super) fn fresh_secret() -> Secret {
    Secret::of(&STANDARD.encode(random::<32>()))
}

/// Whether a caller may see and change a bot: its creator, or the application that made it for
/// them. An application may handle no other bots, since it would still know their secrets after its
/// own token is revoked.
pub(super) fn may_handle(caller: &Caller, bot: &Bot) -> bool {
    bot.is_handled_by(Maker { user: caller.user, client: caller.client })
}

/// Finds the bot that a path names, if the caller may handle it.
pub(super) async fn own(app: &AppState, caller: &Caller, id: String) -> Result<BotOf, ApiError> {
    let found = app.directory.context().accounts.bot(BotId::new(id)).await?;
    let own = found.filter(|row| may_handle(caller, &row.bot));
    own.ok_or_else(|| BotRefusal::NoBot.into())
}

/// `GET /bots/:bot_id/deliveries`
pub(super) async fn list(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
    query: Query,
) -> Answer {
    let wanted = wire::read_filter(&query.0)?;
    let row = own(&app, &caller, path.into_inner()).await?;
    let found = app.callbacks.log(row.bot.number, wanted.before, wanted.limit, wanted.state);
    let found = app.callbacks.without_lost_words(found.await?).await?;
    let deliveries = found.iter().map(wire::resource).collect();
    Ok(reply::ok(&DeliveryList { deliveries }))
}

async fn one(app: &AppState, row: &BotOf, id: &str) -> Result<Delivery, ApiError> {
    let id: DeliveryId = id.parse().map_err(|_| no_such_delivery())?;
    let found = app.callbacks.logged(row.bot.number, id).await?;
    found.ok_or_else(no_such_delivery)
}

fn no_such_delivery() -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "there is no such delivery")
}

/// `GET /bots/:bot_id/deliveries/:id`
pub(super) async fn show(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Answer {
    let (bot, id) = path.into_inner();
    let row = own(&app, &caller, bot).await?;
    let delivery = one(&app, &row, &id).await?;
    let shown = app.callbacks.without_lost_words(vec![delivery.clone()]).await?;
    let occasion = AttemptHeaders {
        webhook_id: delivery.webhook_id(),
        attempt: delivery.attempt.max(1),
        out_of_order: delivery.out_of_order,
        at: delivery.signed_at,
        event: delivery.event,
    };
    let signed = app.callbacks.signed_again(&row, delivery.delivered(), &occasion).await?;
    let request = signed.map(|signed| SignedRequest {
        url: row.bot.callback_url.as_ref().map(|url| url.as_str().to_owned()),
        headers: signed
            .headers
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap_or_default().to_owned()))
            .collect(),
        body: String::from_utf8_lossy(&signed.body).into_owned(),
    });
    let delivery = wire::resource(shown.first().unwrap_or(&delivery));
    Ok(reply::ok(&DeliveryDetail { delivery, request }))
}

/// `POST /bots/:bot_id/deliveries/:id/replay`
pub(super) async fn replay_one(
    app: web::Data<AppState>,
    caller: Caller,
    act: Act,
    path: web::Path<(String, String)>,
) -> Answer {
    let (bot, id) = path.into_inner();
    let row = own(&app, &caller, bot).await?;
    let delivery = one(&app, &row, &id).await?;
    replay(&act, &row, vec![delivery]).await
}

/// `POST /bots/:bot_id/replay`
pub(super) async fn replay_many(
    app: web::Data<AppState>,
    caller: Caller,
    act: Act,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    let again = wire::read_replay(&body.fields()?)?;
    let row = own(&app, &caller, path.into_inner()).await?;
    let found = match again {
        wire::ReplaySelection::Dead => {
            let end = DeliveryId::new(u64::MAX);
            let all = usize::MAX;
            app.callbacks.log(row.bot.number, end, all, Some(DeliveryState::Dead)).await?
        }
        wire::ReplaySelection::Range(from, to) => {
            let end = DeliveryId::new(to.get().saturating_add(1));
            let mut found = app.callbacks.log(row.bot.number, end, usize::MAX, None).await?;
            found.retain(|delivery| delivery.id >= from);
            found
        }
    };
    replay(&act, &row, found).await
}

async fn replay(act: &Act, row: &BotOf, mut found: Vec<Delivery>) -> Answer {
    if !row.bot.is_called_back() {
        let reason = "this bot is not active, or has no callback_url";
        return Err(ApiError::new(StatusCode::FORBIDDEN, reason));
    }
    // The oldest first, and no more than one request may replay.
    found.sort_unstable_by_key(|delivery| delivery.id);
    found.truncate(domain::limits::REPLAYS);
    let done = act.ask_dispatcher(ReplayDeliveries { deliveries: found }, |ids| {
        let deliveries = ids.iter().map(|id| TextId::from(*id)).collect();
        reply::payload(StatusCode::ACCEPTED, &ReplayedDeliveries { deliveries })
    });
    Ok(done.await?)
}

/// `POST /bots/:bot_id/test`
pub(super) async fn test(
    app: web::Data<AppState>,
    caller: Caller,
    path: web::Path<String>,
) -> Answer {
    let row = own(&app, &caller, path.into_inner()).await?;
    if row.bot.callback_url.is_none() {
        return Err(Problems::one("callback_url is not set on this bot").into());
    }
    let tested = app.callbacks.test(&row).await;
    Ok(reply::ok(&CallbackTest {
        status: tested.status,
        latency_ms: tested.latency_millis,
        answer: tested.answer,
    }))
}

/// `POST /bots/:bot_id/secret`
pub(super) async fn rotate(
    app: web::Data<AppState>,
    caller: Caller,
    act: Act,
    path: web::Path<String>,
) -> Answer {
    let row = own(&app, &caller, path.into_inner()).await?;
    let question = RotateSecret { by: caller.user, bot: row.bot.id, fresh: fresh_secret() };
    let done = act.ask(row.group, question, |bot| {
        let until = bot.previous_secret.as_ref().map(|(_, until)| until.seconds());
        let secret = bot.secret.as_ref().map(|secret| secret.as_str().to_owned());
        reply::payload(StatusCode::OK, &RotatedSecret { secret, previous_valid_until: until })
    });
    Ok(done.await?)
}

/// `GET /bots/:bot_id/events`: takes the creator's token or the bot's own secret.
pub(super) async fn events(
    app: web::Data<AppState>,
    request: HttpRequest,
    path: web::Path<String>,
    query: Query,
) -> Answer {
    let token = token_of(&request).ok_or_else(ApiError::unauthorized)?;
    let (after, limit) = wire::read_events(&query.0, &app.instance)?;
    let row = admitted(&app, &request, &token, path.into_inner()).await?;
    let heard = app.callbacks.events(&row, after, limit).await?;
    Ok(shown_events(&app, &heard))
}

async fn admitted(
    app: &AppState,
    request: &HttpRequest,
    token: &str,
    id: String,
) -> Result<BotOf, ApiError> {
    let accounts = &app.directory.context().accounts;
    if token.starts_with(Secret::PREFIX) {
        let now = app.clock.now().wall;
        return match accounts.authenticated_bot(BotId::new(id), token.to_owned(), now).await? {
            Ok(admitted) => Ok(admitted.row),
            Err(BotRefusal::NoBot) => Err(ApiError::invalid_token()),
            Err(refusal) => Err(refusal.into()),
        };
    }
    let caller = app.keyring.caller(token).await?.ok_or_else(ApiError::invalid_token)?;
    access::permit(app, &caller, request).await?;
    let row = own(app, &Caller(caller), id).await?;
    Ok(accounts.check_bot_active(row).await??)
}

fn shown_events(app: &AppState, heard: &PulledMessages) -> HttpResponse {
    reply::raw(StatusCode::OK, |body| {
        body.extend_from_slice(b"{\"events\":[");
        for (index, message) in heard.messages.iter().enumerate() {
            if index > 0 {
                body.push(b',');
            }
            body.extend_from_slice(message.json.as_ref());
        }
        let c = app.instance.cursor(heard.c);
        body.extend_from_slice(format!("],\"c\":\"{c}\"}}").as_bytes());
    })
}
