//! `Idempotency-Key`: the first answer again, for 24 hours, and never the act again.
//!
//! A key belongs to its caller. The first request with it acts; its answer is durable
//! before it goes out, in the same commit as the act wherever one room decides it. Who
//! repeats the request meanwhile waits. Not kept, so that another try may succeed: what
//! could not be read, 401, whatever says when to try again, and our own trouble.

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

use crate::actors::idempotency::Rendered;
use crate::actors::keep_answer::KeepAnswer;
use crate::auth::first_answers::{Hashing, KeyClaim, KeyGuard};
use crate::auth::keyring::Caller;
use crate::domain::first_answer::{AskKey, Fingerprint, FirstAnswer, KeyRefusal};
use crate::domain::ids::{BotId, UserId};
use crate::http::act::IdempotentRequest;
use crate::http::app_state::AppState;
use crate::http::body::{Body, WholeBody, form};
use crate::http::caller::QUERY_NAMES;
use crate::http::dialect;
use crate::http::error::ApiError;
use crate::http::request_id::carried;

/// The header that brings a key.
pub(super) const KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The header of an answer that was given before.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// Characters of a key.
const KEY_CHARS: std::ops::RangeInclusive<usize> = 1..=255;
/// How long a request waits for another one with its key, or for its own act.
const PATIENCE: Duration = Duration::from_secs(30);

/// Whose keys a route takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keys {
    /// The caller's.
    Caller,
    /// The bot's that the body names.
    Bot,
    /// None: the header means nothing here.
    Unused,
}

/// Wraps the routes of a path, of which some take keys.
pub(super) struct Once(Rc<[(Method, Keys)]>);

impl Once {
    /// Takes keys where these methods do; other methods mind none, so that one which is not
    /// served is answered so.
    pub(super) fn of(keyed: Vec<(Method, Keys)>) -> Self {
        Self(keyed.into())
    }
}

impl<S> Transform<S, ServiceRequest> for Once
where
    S: Service<ServiceRequest, Response = ServiceResponse, Error = Error> + 'static,
{
    type Response = ServiceResponse;
    type Error = Error;
    type Transform = OnceService<S>;
    type InitError = ();
    type Future = Ready<Result<Self::Transform, ()>>;

    fn new_transform(&self, service: S) -> Self::Future {
        ready(Ok(OnceService { service: Rc::new(service), keyed: Rc::clone(&self.0) }))
    }
}

/// The wrapped route.
pub(super) struct OnceService<S> {
    service: Rc<S>,
    keyed: Rc<[(Method, Keys)]>,
}

impl<S> Service<ServiceRequest> for OnceService<S>
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
        let (service, keys) = (Rc::clone(&self.service), *keys);
        Either::Right(Box::pin(async move {
            let own = request.request().clone();
            let answer = answer(service, keys, request).await;
            Ok(ServiceResponse::new(own, answer.unwrap_or_else(HttpResponse::from_error)))
        }))
    }
}

/// Who asks, and who keeps what they are answered.
enum Asker {
    User(UserId),
    Bot(BotId),
}

/// Acts, or answers what was answered before.
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
        // The route itself says what is missing.
        return Ok(service.call(request).await?.into_parts().1);
    };
    let Some(app) = request.app_data::<web::Data<AppState>>().cloned() else {
        return Err(ApiError::fault(&"a request came in without the state of the app").into());
    };
    let claim = Arc::new(IdempotentRequest::new(
        name(&asker, &key),
        fingerprint(request.request(), &bytes),
    ));
    let begin = app.first_answers.begin(claim.key, claim.request);
    let begun = rt::time::timeout(PATIENCE, begin).await;
    let turn = match begun.map_err(|_| ApiError::from(KeyRefusal::UnderWay))? {
        Ok(KeyClaim::First(turn)) => turn,
        Ok(KeyClaim::Again(first)) => {
            let told =
                app.first_answers.told_now(first, &app.instance).await.map_err(ApiError::from)?;
            return replayed(&told);
        }
        Ok(KeyClaim::Reused) => return Err(ApiError::from(KeyRefusal::Reused).into()),
        Err(fault) => return Err(ApiError::from(fault).into()),
    };
    request.extensions_mut().insert(Arc::clone(&claim));
    // A task of its own: who hangs up does not stop what is being done.
    let task = rt::spawn(carried(async move {
        let answer = match service.call(request).await {
            Ok(answer) => answer.into_parts().1,
            Err(error) => HttpResponse::from_error(error),
        };
        settle(&app, asker, &claim, turn, answer).await
    }));
    match rt::time::timeout(PATIENCE, task).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(_)) => Err(ApiError::fault(&"an act under a key was broken off").into()),
        Err(_) => Err(ApiError::fault(&"an act under a key takes long").into()),
    }
}

/// The key of a request.
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

/// Whose key it is. The caller is found here and not again behind this.
async fn asker(
    keys: Keys,
    request: &mut ServiceRequest,
    bytes: &web::Bytes,
) -> Result<Option<Asker>, ApiError> {
    match keys {
        Keys::Unused => Ok(None),
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

/// Method, path, query and body. A token in the query is no part of what is asked.
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

/// Makes sure that an answer that counts is durable, before it goes out.
async fn settle(
    app: &AppState,
    asker: Asker,
    claim: &IdempotentRequest,
    turn: KeyGuard,
    answer: HttpResponse,
) -> HttpResponse {
    if let Some(first) = claim.kept() {
        turn.finish(Arc::clone(first));
        return answer;
    }
    if answer.status().is_server_error() {
        rt::spawn(turn.doubt());
        return answer;
    }
    if !counts(&answer) {
        return answer;
    }
    let (status, headers) = (answer.status(), headers_of(&answer));
    let Ok(body) = to_bytes(answer.into_body()).await else {
        return HttpResponse::from_error(ApiError::fault(&"an answer could not be read"));
    };
    let rendered = Rendered { status: status.as_u16(), body };
    let first = FirstAnswer { headers, ..rendered.kept(claim.key, claim.request) };
    let first = Arc::new(first);
    match keep(app, asker, Arc::clone(&first)).await {
        Ok(()) => {
            turn.finish(Arc::clone(&first));
            shown(&first.headers, rendered)
        }
        Err(error) => HttpResponse::from_error(error),
    }
}

/// Whether an answer is given again. One that says when to try again does not count:
/// nothing was done, and another time it may be.
fn counts(answer: &HttpResponse) -> bool {
    let error = answer.error().and_then(|error| error.as_error::<ApiError>());
    answer.status() != StatusCode::UNAUTHORIZED
        && !answer.headers().contains_key(RETRY_AFTER)
        && !error.is_some_and(ApiError::is_unread)
}

/// Keeps an answer with whoever asked: a user's in their stream, a bot's in its group's.
async fn keep(app: &AppState, asker: Asker, first: Arc<FirstAnswer>) -> Result<(), ApiError> {
    match asker {
        Asker::User(user) => Ok(app.directory.ask(user, KeepAnswer { first }).await?),
        Asker::Bot(bot) => match app.directory.context().accounts.group_of_bot(bot).await? {
            Some(group) => Ok(app.directory.ask(group, KeepAnswer { first }).await?),
            // There is no such bot, and so nobody whose answer it would be.
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

fn shown(headers: &[(String, String)], rendered: Rendered) -> HttpResponse {
    let mut answer = HttpResponse::from(rendered);
    for (name, value) in headers {
        if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_str(value)) {
            answer.headers_mut().insert(name, value);
        }
    }
    answer
}

/// The first answer as it was.
///
/// # Errors
/// When it was too large to be kept.
pub(super) fn again(first: &FirstAnswer) -> Result<HttpResponse, ApiError> {
    let body = first.body.clone().ok_or(KeyRefusal::TooLarge)?;
    Ok(shown(&first.headers, Rendered { status: first.status, body: body.into() }))
}

/// The first answer, marked as one that was given before.
fn replayed(first: &FirstAnswer) -> Result<HttpResponse, Error> {
    let mut answer = again(first)?;
    answer.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    Ok(answer)
}
