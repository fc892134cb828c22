//! `Idempotency-Key`: a repeated request gets the first answer again, for 24 hours, and is not
//! carried out again.
//!
//! A key belongs to its caller. The first request with a key acts; its answer is durable before it
//! is sent, in the same commit as the act wherever one room decides the act. Repeats that arrive
//! meanwhile wait. Some answers are not kept, so that another try may succeed: those to requests
//! that could not be parsed, 401, answers with `Retry-After`, and faults.

use std::future::{Ready, ready};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_web::body::to_bytes;
use actix_web::dev::{Payload, Service, ServiceRequest, ServiceResponse, Transform, forward_ready};
use actix_web::http::header::{CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};
use actix_web::http::{Method, StatusCode};
use actix_web::{Error, HttpMessage, HttpRequest, HttpResponse, rt, web};
use futures_util::future::{Either, LocalBoxFuture};

use crate::http::act::IdempotentRequest;
use crate::http::app_state::AppState;
use crate::http::body::{Body, WholeBody, form};
use crate::http::caller::Caller;
use crate::http::caller::QUERY_NAMES;
use crate::http::dialect::{self, Dialect};
use crate::http::error::ApiError;
use crate::http::reply;
use crate::http::request_id::with_current_id;
use actors::ask::Fault;
use actors::idempotency::Rendered;
use actors::ledger::KeepAnswer;
use auth::deleted_words::Repeat;
use auth::first_answers::{Hashing, KeyClaim, KeyGuard};
use domain::first_answer::{AskKey, Fingerprint, FirstAnswer, KeyRefusal};
use domain::ids::{BotId, UserId};

/// The header with the key.
pub(super) const KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The header that marks a repeated answer.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// Allowed lengths of a key, in characters.
const KEY_CHARS: std::ops::RangeInclusive<usize> = 1..=255;
/// How long a request waits for another one with the same key, or for its own act.
const PATIENCE: Duration = Duration::from_secs(30);

/// The owner of the keys that a route accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keys {
    /// The caller's keys.
    Caller,
    /// Keys of the bot that the body names.
    Bot,
    /// Keys of the email address that the body names; the handler looks after them.
    Email,
    /// None: the header is ignored.
    Unused,
}

/// The middleware around the routes of a path if some of them take keys.
pub(super) struct IdempotencyKeys(Rc<[(Method, Keys)]>);

impl IdempotencyKeys {
    /// Takes keys on requests with these methods. For others the header is ignored, so a method
    /// that is not served still gets 405.
    pub(super) fn of(keyed: Vec<(Method, Keys)>) -> Self {
        Self(keyed.into())
    }
}

impl<S> Transform<S, ServiceRequest> for IdempotencyKeys
where
    S: Service<ServiceRequest, Response = ServiceResponse, Error = Error> + 'static,
{
    type Response = ServiceResponse;
    type Error = Error;
    type Transform = IdempotencyService<S>;
    type InitError = ();
    type Future = Ready<Result<Self::Transform, ()>>;

    fn new_transform(&self, service: S) -> Self::Future {
        ready(Ok(IdempotencyService { service: Rc::new(service), keyed: Rc::clone(&self.0) }))
    }
}

/// The routes of a path, wrapped by [`IdempotencyKeys`].
pub(super) struct IdempotencyService<S> {
    service: Rc<S>,
    keyed: Rc<[(Method, Keys)]>,
}

impl<S> Service<ServiceRequest> for IdempotencyService<S>
where
    S: Service<ServiceRequest, Response = ServiceResponse, Error = Error> + 'static,
{
    type Response = ServiceResponse;
    type Error = Error;
    type Future = Either<S::Future, LocalBoxFuture<'static, Result<ServiceResponse, Error>>>;

    forward_ready!(service);

    fn call(&self, request: ServiceRequest) -> Self::Future {
        let served = self.keyed.iter().find(|(method, _)| method == request.method());
        let Some((_, keys)) = served.filter(|_| request.headers().contains_key(KEY)) else {
            return Either::Left(self.service.call(request));
        };
        let service = Rc::clone(&self.service);
        let keys = *keys;
        Either::Right(Box::pin(async move {
            let own = request.request().clone();
            let answer = answer(service, keys, request).await;
            Ok(ServiceResponse::new(own, answer.unwrap_or_else(HttpResponse::from_error)))
        }))
    }
}

/// The owner of a key, in whose stream (a bot's in that of its group) the answer is kept.
enum Asker {
    User(UserId),
    Bot(BotId),
}

/// Carries out the request, or returns the answer that was given before.
async fn answer<S>(
    service: Rc<S>,
    keys: Keys,
    mut request: ServiceRequest,
) -> Result<HttpResponse, Error>
where
    S: Service<ServiceRequest, Response = ServiceResponse, Error = Error> + 'static,
{
    let key = read_key(request.request()).map_err(ApiError::from)?;
    let WholeBody(bytes) = request.extract::<WholeBody>().await?;
    request.set_payload(Payload::from(bytes.clone()));
    let Some(asker) = asker(keys, &mut request, &bytes).await? else {
        // The handler itself reports what is missing.
        return Ok(service.call(request).await?.into_parts().1);
    };
    let Some(app) = request.app_data::<web::Data<AppState>>().cloned() else {
        return Err(ApiError::fault(&"the request has no application state").into());
    };
    let claim = Arc::new(IdempotentRequest::new(
        name(&asker, &key),
        fingerprint(request.request(), &bytes),
        match &asker {
            Asker::User(user) => Some(*user),
            Asker::Bot(_) => None,
        },
    ));
    let turn = match begin(&app, claim.key, claim.request).await? {
        KeyClaim::First(turn) => turn,
        KeyClaim::Again(first) => {
            let form = request.extract::<Dialect>().await?.messages();
            let reader = if let Asker::User(user) = asker { Some(user) } else { None };
            let repeat = Repeat { reader, form, instance: Arc::clone(&app.instance) };
            let told = app.first_answers.without_deleted(first, repeat).await;
            return replayed(&*told.map_err(ApiError::from)?);
        }
        KeyClaim::Reused => return Err(ApiError::from(KeyRefusal::Reused).into()),
    };
    if let Asker::User(user) = asker {
        // The answer is kept whatever it is, so the user needs something left of the limit.
        let limits = &app.directory.context().write_limits;
        limits.check(user, app.clock.now().mono).map_err(|it| ApiError::from(Fault::from(it)))?;
    }
    request.extensions_mut().insert(Arc::clone(&claim));
    // A task of its own, so that the act continues if the client disconnects.
    let task = rt::spawn(with_current_id(async move {
        let answer = match service.call(request).await {
            Ok(answer) => answer.into_parts().1,
            Err(error) => HttpResponse::from_error(error),
        };
        save_before_sending(&app, asker, &claim, turn, answer).await
    }));
    match rt::time::timeout(PATIENCE, task).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(_)) => {
            Err(ApiError::fault(&"the first request with this Idempotency-Key was interrupted")
                .into())
        }
        Err(_) => {
            Err(ApiError::fault(&"the first request with this Idempotency-Key is not finished yet")
                .into())
        }
    }
}

/// Claims a key, once no other request with it is under way.
///
/// # Errors
/// If another one stays under way, or the index cannot be read.
pub(super) async fn begin(
    app: &AppState,
    key: AskKey,
    request: Fingerprint,
) -> Result<KeyClaim, ApiError> {
    let begun = rt::time::timeout(PATIENCE, app.first_answers.begin(key, request)).await;
    Ok(begun.map_err(|_| KeyRefusal::UnderWay)??)
}

/// The key of a request, if it has one.
///
/// # Errors
/// If the header is not a valid key.
pub(super) fn key_of(request: &HttpRequest) -> Result<Option<Vec<u8>>, KeyRefusal> {
    request.headers().contains_key(KEY).then(|| read_key(request)).transpose()
}

/// Reads and checks the key of a request.
fn read_key(request: &HttpRequest) -> Result<Vec<u8>, KeyRefusal> {
    let mut given = request.headers().get_all(KEY);
    let (Some(key), None) = (given.next(), given.next()) else {
        return Err(KeyRefusal::Malformed);
    };
    let key = key.as_bytes();
    match KEY_CHARS.contains(&key.len()) && key.iter().all(u8::is_ascii_graphic) {
        true => Ok(key.to_vec()),
        false => Err(KeyRefusal::Malformed),
    }
}

/// Finds the owner of the key; `None` if the body names no bot. The caller that is found here is
/// kept with the request, so the handler does not look it up again.
async fn asker(
    keys: Keys,
    request: &mut ServiceRequest,
    bytes: &web::Bytes,
) -> Result<Option<Asker>, ApiError> {
    match keys {
        Keys::Unused | Keys::Email => Ok(None),
        Keys::Caller => {
            let caller = request.extract::<Caller>().await?;
            request.extensions_mut().insert(caller);
            Ok(Some(Asker::User(caller.user)))
        }
        Keys::Bot => {
            let body = request.extract::<Body>().await?;
            request.set_payload(Payload::from(bytes.clone()));
            let fields = body.fields().unwrap_or_default();
            let bot = fields.get("bot_id").and_then(|it| it.as_str());
            Ok(bot.map(|bot| Asker::Bot(BotId::new(bot.to_owned()))))
        }
    }
}

fn name(asker: &Asker, key: &[u8]) -> AskKey {
    let hash = match asker {
        Asker::User(user) => Hashing::new().part(b"user").part(&user.get().to_be_bytes()),
        Asker::Bot(bot) => Hashing::new().part(b"bot").part(bot.as_str().as_bytes()),
    };
    AskKey::new(hash.part(key).finish())
}

/// Hashes method, path, query and body. A token in the query does not count.
fn fingerprint(request: &HttpRequest, bytes: &[u8]) -> Fingerprint {
    let mut query = form(request.query_string().as_bytes());
    for name in QUERY_NAMES {
        query.remove(name);
    }
    let query = serde_json::Value::Object(query).to_string();
    let hash = Hashing::new()
        .part(request.method().as_str().as_bytes())
        .part(dialect::distinct_path(request).as_bytes())
        .part(query.as_bytes());
    Fingerprint::new(hash.part(bytes).finish())
}

/// Makes an answer that is to be kept durable before it is sent.
async fn save_before_sending(
    app: &AppState,
    asker: Asker,
    claim: &IdempotentRequest,
    turn: KeyGuard,
    answer: HttpResponse,
) -> HttpResponse {
    if let Some(first) = claim.saved_answer() {
        turn.finish(Arc::clone(first));
        return answer;
    }
    if answer.status().is_server_error() {
        rt::spawn(turn.doubt());
        return answer;
    }
    if !may_be_saved(&answer) {
        return answer;
    }
    let status = answer.status();
    let headers = headers_of(&answer);
    let Ok(body) = to_bytes(answer.into_body()).await else {
        return HttpResponse::from_error(ApiError::fault(&"a stored response could not be read"));
    };
    let rendered = Rendered { status: status.as_u16(), body };
    let first = FirstAnswer { headers, ..rendered.to_first_answer(claim.key, claim.request) };
    let first = Arc::new(first);
    match keep(app, asker, Arc::clone(&first)).await {
        Ok(()) => {
            turn.finish(Arc::clone(&first));
            to_response(&first.headers, rendered)
        }
        Err(error) => HttpResponse::from_error(error),
    }
}

/// Whether an answer is kept. One with `Retry-After` is not: nothing was done, and another try may
/// succeed.
fn may_be_saved(answer: &HttpResponse) -> bool {
    let error = answer.error().and_then(|error| error.as_error::<ApiError>());
    answer.status() != StatusCode::UNAUTHORIZED
        && !answer.headers().contains_key(RETRY_AFTER)
        && !error.is_some_and(ApiError::is_unread)
}

/// Keeps an answer in the stream of a user, or in that of a bot's group.
async fn keep(app: &AppState, asker: Asker, first: Arc<FirstAnswer>) -> Result<(), ApiError> {
    match asker {
        Asker::User(user) => Ok(app.directory.ask(user, KeepAnswer { first }).await?),
        Asker::Bot(bot) => match app.directory.context().accounts.group_of_bot(bot).await? {
            Some(group) => Ok(app.directory.ask(group, KeepAnswer { first }).await?),
            // No such bot exists, so there is no stream that could keep the answer.
            None => Ok(()),
        },
    }
}

fn headers_of(answer: &HttpResponse) -> Vec<(String, String)> {
    let said = answer.headers().iter().filter(|(name, _)| **name != CONTENT_TYPE);
    let text = |(name, value): (&HeaderName, &HeaderValue)| {
        Some((name.to_string(), value.to_str().ok()?.to_owned()))
    };
    said.filter_map(text).collect()
}

fn to_response(headers: &[(String, String)], rendered: Rendered) -> HttpResponse {
    let mut answer = reply::of_rendered(rendered);
    for (name, value) in headers {
        if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_str(value)) {
            answer.headers_mut().insert(name, value);
        }
    }
    answer
}

/// Builds the response from the first answer.
///
/// # Errors
/// If the first answer was too large to be kept.
pub(super) fn replay(first: &FirstAnswer) -> Result<HttpResponse, ApiError> {
    let body = first.body.clone().ok_or(KeyRefusal::TooLarge)?;
    Ok(to_response(&first.headers, Rendered { status: first.status, body: body.into() }))
}

/// Builds the response from the first answer and marks it as a repetition.
fn replayed(first: &FirstAnswer) -> Result<HttpResponse, Error> {
    let mut answer = replay(first)?;
    mark_repeated(&mut answer);
    Ok(answer)
}

/// Marks an answer as that to a repeated request.
pub(super) fn mark_repeated(answer: &mut HttpResponse) {
    answer.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
}
