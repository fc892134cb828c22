//! Executes a request that changes something: asks a room and answers the client. If the request
//! has an `Idempotency-Key`, the room keeps the answer in the same commit as the act; of a refusal and
//! at the end of an act of several steps, `http/once.rs` has it kept (`KeepAnswer`).

use std::future::{Future, Ready, ready};
use std::sync::{Arc, OnceLock};

use actix::dev::ToEnvelope;
use actix::{Context, Handler};
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpMessage, HttpRequest, HttpResponse, web};

use crate::http::app_state::AppState;
use crate::http::error::ApiError;
use crate::http::forward_mark;
use crate::http::recovery;
use crate::http::reply;
use actors::ask::{Accepts, Ask, AuditNote, Failure, Question};
use actors::directory::rooms::RoomId;
use actors::idempotency::{AnswerToSave, Rendered, SavedAnswer};
use auth::first_answers::Hashing;
use domain::first_answer::{AskKey, Fingerprint, FirstAnswer};
use domain::ids::UserId;
use domain::mail::MailLanguage;
use subscribers::callbacks::dispatcher::Dispatcher;

/// A request with an `Idempotency-Key`, and the answer that was kept for it.
pub(super) struct IdempotentRequest {
    /// The hash of the caller and their key.
    pub(super) key: AskKey,
    /// The fingerprint of the request.
    pub(super) request: Fingerprint,
    /// The user whose key it is; `None` for a bot's key.
    asker: Option<UserId>,
    /// The answer that the act's room kept, set once it is durable.
    saved: OnceLock<SavedAnswer>,
}

impl IdempotentRequest {
    /// A request for which no answer is kept yet.
    pub(super) fn new(key: AskKey, request: Fingerprint, asker: Option<UserId>) -> Self {
        Self { key, request, asker, saved: OnceLock::new() }
    }

    /// The instruction to keep the answer, sent along with the question.
    fn answer_to_save<T>(
        &self,
        render: impl Fn(&T) -> Rendered + Send + Sync + 'static,
    ) -> AnswerToSave<T> {
        let render = Arc::new(render);
        let saved = Arc::new(OnceLock::new());
        let key = self.key;
        let request = self.request;
        let asker = self.asker;
        AnswerToSave { key, request, asker, render, saved }
    }

    /// Returns the answer that the room kept, which is durable, and renders the answer itself if the
    /// room kept none.
    fn to_response<T>(&self, to_save: &AnswerToSave<T>, answer: &T) -> Rendered {
        let Some(saved) = to_save.saved.get() else { return (to_save.render)(answer) };
        // Only the first answer is set: one room decides the act, and further rooms are asked in
        // steps of their own.
        drop(self.saved.set(saved.clone()));
        saved.rendered.clone()
    }

    /// The answer that was kept and is durable, if there is one.
    pub(super) fn saved_answer(&self) -> Option<&Arc<FirstAnswer>> {
        self.saved.get().map(|saved| &saved.first)
    }
}

/// Carries out what a request asks for, under its `Idempotency-Key` if it has one.
pub(super) struct Act {
    app: web::Data<AppState>,
    idempotent: Option<Arc<IdempotentRequest>>,
    language: MailLanguage,
    /// Whether another node sent the request again, since a leader may have died over it.
    is_sent_again: bool,
}

impl FromRequest for Act {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let Some(app) = request.app_data::<web::Data<AppState>>() else {
            return ready(Err(ApiError::fault(&"the request has no application state")));
        };
        let idempotent = request.extensions().get::<Arc<IdempotentRequest>>().cloned();
        let language = recovery::language_of(request);
        let is_sent_again = forward_mark::is_sent_again(request);
        ready(Ok(Self { app: app.clone(), idempotent, language, is_sent_again }))
    }
}

impl Act {
    /// Asks the room with the given id, and renders its answer.
    pub(super) async fn ask<I: RoomId, Q: Question>(
        &self,
        id: I,
        question: Q,
        render: impl Fn(&Q::Answer) -> Rendered + Send + Sync + 'static,
    ) -> Result<HttpResponse, Failure<Q::Refusal>>
    where
        I::Room: Accepts<Q>,
    {
        self.asking(render, |record| self.app.directory.ask_with_record(id, question, record)).await
    }

    /// The same for an act of an operator, with its entry of the audit log.
    pub(super) async fn ask_audited<I: RoomId, Q: Question>(
        &self,
        id: I,
        question: Q,
        audit: AuditNote<Q::Answer>,
        render: impl Fn(&Q::Answer) -> Rendered + Send + Sync + 'static,
    ) -> Result<HttpResponse, Failure<Q::Refusal>>
    where
        I::Room: Accepts<Q>,
    {
        let ask = |record| self.app.directory.ask_recorded(id, question, (record, Some(audit)));
        self.asking(render, ask).await
    }

    /// Asks the dispatcher of callbacks, and renders its answer.
    pub(super) async fn ask_dispatcher<Q: Question>(
        &self,
        question: Q,
        render: impl Fn(&Q::Answer) -> Rendered + Send + Sync + 'static,
    ) -> Result<HttpResponse, Failure<Q::Refusal>>
    where
        Dispatcher: Handler<Ask<Q>>,
        Context<Dispatcher>: ToEnvelope<Dispatcher, Ask<Q>>,
    {
        self.asking(render, |record| self.app.callbacks.ask(question, record)).await
    }

    /// Asks, and renders the answer: the kept one, if the room kept one.
    async fn asking<T, R, F: Future<Output = Result<T, Failure<R>>>>(
        &self,
        render: impl Fn(&T) -> Rendered + Send + Sync + 'static,
        ask: impl FnOnce(Option<Box<AnswerToSave<T>>>) -> F,
    ) -> Result<HttpResponse, Failure<R>> {
        let Some(idempotent) = &self.idempotent else {
            return Ok(reply::of_rendered(render(&ask(None).await?)));
        };
        let to_save = idempotent.answer_to_save(render);
        let answer = ask(Some(Box::new(to_save.clone()))).await?;
        Ok(reply::of_rendered(idempotent.to_response(&to_save, &answer)))
    }

    /// Whether another node sent the request again, since a leader may have died over it. What it
    /// did before is then no reason to refuse it.
    pub(super) const fn is_sent_again(&self) -> bool {
        self.is_sent_again
    }

    /// The language of the browser, for mails that the act causes.
    pub(super) const fn language(&self) -> MailLanguage {
        self.language
    }

    /// One step of an act that takes several. A step that was done is not done again when a client
    /// repeats the request after a crash. The answer to the whole act is kept at its end.
    pub(super) fn step(&self, number: u64) -> Self {
        let of_step = |idempotent: &Arc<IdempotentRequest>| {
            let hash = Hashing::new().part(&idempotent.key.get().to_be_bytes());
            let key = AskKey::new(hash.part(&number.to_be_bytes()).finish());
            Arc::new(IdempotentRequest::new(key, idempotent.request, idempotent.asker))
        };
        let idempotent = self.idempotent.as_ref().map(of_step);
        Self { app: self.app.clone(), idempotent, ..*self }
    }

    /// Returns the answer to this step if it was done before.
    /// # Errors
    /// If the first answers cannot be read.
    pub(super) async fn recall(&self) -> Result<Option<Arc<FirstAnswer>>, ApiError> {
        let Some(idempotent) = &self.idempotent else { return Ok(None) };
        let found = self.app.first_answers.recall(idempotent.key).await?;
        Ok(found.filter(|first| first.request == idempotent.request))
    }
}
