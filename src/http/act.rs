//! What a POST does: asks a room, and answers. Under an `Idempotency-Key`, the room keeps
//! the answer in the same commit as the act.

use std::future::{Future, Ready, ready};
use std::sync::{Arc, OnceLock};

use actix::dev::ToEnvelope;
use actix::{Context, Handler};
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpMessage, HttpRequest, HttpResponse, web};

use crate::actors::ask::{Answers, Ask, Failure, Noted, Question};
use crate::actors::directory::kinds::RoomId;
use crate::actors::idempotency::{Keep, Kept, Rendered};
use crate::auth::first_answers::Hashing;
use crate::domain::first_answer::{AskKey, Fingerprint, FirstAnswer};
use crate::http::app_state::AppState;
use crate::http::error::ApiError;
use crate::subscribers::callbacks::dispatcher::Dispatcher;

/// A request that came with a key.
pub(super) struct IdempotentRequest {
    /// Caller and key.
    pub(super) key: AskKey,
    /// What is asked.
    pub(super) request: Fingerprint,
    /// What the act's room kept, once that is durable.
    kept: OnceLock<Kept>,
}

impl IdempotentRequest {
    /// Nothing done yet.
    pub(super) fn new(key: AskKey, request: Fingerprint) -> Self {
        Self { key, request, kept: OnceLock::new() }
    }

    /// What travels to the act's room.
    fn keep<T>(&self, show: impl Fn(&T) -> Rendered + Send + Sync + 'static) -> Keep<T> {
        let (show, kept) = (Arc::new(show), Arc::new(OnceLock::new()));
        Keep { key: self.key, request: self.request, show, kept }
    }

    /// The answer that the room kept: durable, now that its reply is here.
    fn shown<T>(&self, keep: &Keep<T>, answer: &T) -> Rendered {
        let Some(kept) = keep.kept.get() else { return (keep.show)(answer) };
        // An act has one room that decides it; further ones are steps.
        drop(self.kept.set(kept.clone()));
        kept.rendered.clone()
    }

    /// What is durable of its answer.
    pub(super) fn kept(&self) -> Option<&Arc<FirstAnswer>> {
        self.kept.get().map(|kept| &kept.first)
    }
}

/// What a request is about to do, under its key if it has one.
pub(super) struct Act {
    app: web::Data<AppState>,
    claim: Option<Arc<IdempotentRequest>>,
}

impl FromRequest for Act {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let Some(app) = request.app_data::<web::Data<AppState>>() else {
            return ready(Err(ApiError::fault(&"a request came in without the state of the app")));
        };
        let claim = request.extensions().get::<Arc<IdempotentRequest>>().cloned();
        ready(Ok(Self { app: app.clone(), claim }))
    }
}

impl Act {
    /// Asks the room that this id names, and shows its answer.
    pub(super) async fn ask<I: RoomId, Q: Question>(
        &self,
        id: I,
        question: Q,
        show: impl Fn(&Q::Answer) -> Rendered + Send + Sync + 'static,
    ) -> Result<HttpResponse, Failure<Q::Refusal>>
    where
        I::Room: Answers<Q>,
    {
        self.asking(show, |keep| self.app.directory.ask_keeping(id, question, keep)).await
    }

    /// Asks those who carry callbacks.
    pub(super) async fn dispatcher<Q: Question>(
        &self,
        question: Q,
        show: impl Fn(&Q::Answer) -> Rendered + Send + Sync + 'static,
    ) -> Result<HttpResponse, Failure<Q::Refusal>>
    where
        Dispatcher: Handler<Ask<Q>>,
        Context<Dispatcher>: ToEnvelope<Dispatcher, Ask<Q>>,
    {
        self.asking(show, |keep| self.app.callbacks.ask(question, keep)).await
    }

    /// Asks, and shows the answer: the one that was kept, if it was.
    async fn asking<T, R, F: Future<Output = Result<T, Failure<R>>>>(
        &self,
        show: impl Fn(&T) -> Rendered + Send + Sync + 'static,
        ask: impl FnOnce(Option<Box<Noted<T>>>) -> F,
    ) -> Result<HttpResponse, Failure<R>> {
        let Some(claim) = &self.claim else {
            return Ok(show(&ask(None).await?).into());
        };
        let keep = claim.keep(show);
        let answer = ask(Some(Box::new(Noted::Key(keep.clone())))).await?;
        Ok(claim.shown(&keep, &answer).into())
    }

    /// One step of an act that takes several: begun again after a crash, it is not done
    /// again. What the whole act was answered is kept at its end.
    pub(super) fn step(&self, number: u64) -> Self {
        let of_step = |claim: &Arc<IdempotentRequest>| {
            let hash = Hashing::new().part(&claim.key.get().to_be_bytes());
            let key = AskKey::new(hash.part(&number.to_be_bytes()).finish());
            Arc::new(IdempotentRequest::new(key, claim.request))
        };
        Self { app: self.app.clone(), claim: self.claim.as_ref().map(of_step) }
    }

    /// What this step was answered, if it was done before.
    ///
    /// # Errors
    /// When that cannot be looked up.
    pub(super) async fn recall(&self) -> Result<Option<Arc<FirstAnswer>>, ApiError> {
        let Some(claim) = &self.claim else { return Ok(None) };
        let found = self.app.first_answers.recall(claim.key).await?;
        Ok(found.filter(|first| first.request == claim.request))
    }
}
