//! Error responses, and the one mapping from refusals and faults to HTTP statuses.

mod accounts;
mod messages;

use std::convert::Infallible;
use std::fmt;

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, HeaderValue, WWW_AUTHENTICATE};
use actix_web::{HttpResponse, ResponseError};
use serde_json::{Value, json};

use actors::ask::{Failure, Fault};
use actors::group::protocol::{CreateRefusal, ViewRefusal};
use actors::user::protocol::UserRefusal;
use auth::password::HashingFault;
use domain::first_answer::KeyRefusal;
use domain::group::{
    AddRefusal, AppealRefusal, BanRefusal, BotRefusal, BrokenRule, ChangeRefusal, CopyRefusal,
    Denied, DisbandRefusal, HeldRefusal, InviteLinkRefusal, JoinRefusal, MuteRefusal,
    RemoveRefusal, RenameRefusal, ReportRefusal, RequestRefusal, ResultsRefusal, RoleRefusal,
    RuleRefusal, TimeoutRefusal, TopicRefusal,
};
use domain::operators::reports::OperatorReportRefusal;
use domain::operators::rules::OperatorRuleRefusal;
use domain::user::{
    AddingRefusal, BlockRefusal, DeviceRefusal, LogoutRefusal, ReadRefusal, ReportingRefusal,
};
use index::IndexFault;
use media::PictureError;
use media::files::{FileError, FileRefusal};
use media::intake::IntakeRefusal;
use search::{SearchFault, SearchRefusal};
use wire::bans;
use wire::envelope;
use wire::fields::Problems;
use wire::join_request;

/// The challenge of a 401 (RFC 6750, section 3). Browsers do not ask for a password at this scheme.
pub(super) const CHALLENGE: &str = "Bearer realm=\"coterie\"";

/// An error response, in the envelope of the specification, section 1.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    errors: Vec<String>,
    headers: Vec<(HeaderName, String)>,
    is_unread: bool,
    is_denied: bool,
    is_elsewhere: bool,
    details: Option<Value>,
    /// The code in `meta`; `None` if it is the status.
    code: Option<u16>,
}

impl ApiError {
    /// An error with one reason.
    pub fn new(status: StatusCode, reason: impl fmt::Display) -> Self {
        Self {
            status,
            errors: vec![reason.to_string()],
            headers: Vec::new(),
            is_unread: false,
            is_denied: false,
            is_elsewhere: false,
            details: None,
            code: None,
        }
    }

    /// An error with several reasons.
    pub const fn listing(status: StatusCode, errors: Vec<String>) -> Self {
        Self {
            status,
            errors,
            headers: Vec::new(),
            is_unread: false,
            is_denied: false,
            is_elsewhere: false,
            details: None,
            code: None,
        }
    }

    /// The reasons, as one text.
    pub fn reasons(&self) -> String {
        self.errors.join("; ")
    }

    /// Adds a header to the response.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: impl fmt::Display) -> Self {
        self.headers.push((name, value.to_string()));
        self
    }

    /// Adds what the caller has to do first, for programs: `details {needs}`.
    #[must_use]
    pub fn needs(self, what: &'static str) -> Self {
        self.with_details(json!({"needs": what}))
    }

    /// Adds details for programs, as `meta.details`.
    #[must_use]
    pub fn with_details(self, details: Value) -> Self {
        Self { details: Some(details), ..self }
    }

    /// Gives the response a code in `meta` that is not the status.
    #[must_use]
    pub fn with_code(self, code: u16) -> Self {
        Self { code: Some(code), ..self }
    }

    /// Adds `Retry-After`: the time in seconds, rounded up, at least 1.
    #[must_use]
    pub fn retry_after_millis(self, millis: u64) -> Self {
        self.with_header(actix_web::http::header::RETRY_AFTER, millis.div_ceil(1000).max(1))
    }

    /// Whether the request could not be parsed, so that no rule has seen it.
    pub const fn is_unread(&self) -> bool {
        self.is_unread
    }

    /// Whether another node leads by now, so that the step that failed was not done.
    pub(super) const fn is_elsewhere(&self) -> bool {
        self.is_elsewhere
    }

    /// The same error with 401 if a role does not allow an act: clients of the original service
    /// expect that status.
    #[must_use]
    pub fn for_original_clients(&self) -> Option<HttpResponse> {
        self.is_denied.then(|| {
            let error = Self::listing(StatusCode::UNAUTHORIZED, self.errors.clone());
            Self { details: self.details.clone(), ..error }.error_response()
        })
    }

    /// 401: the token is missing.
    pub fn unauthorized() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized")
    }

    /// 401: the token is unknown, revoked or expired, or its account was deleted.
    pub fn invalid_token() -> Self {
        let challenge = format!("{CHALLENGE}, error=\"invalid_token\"");
        Self::unauthorized().with_header(WWW_AUTHENTICATE, challenge)
    }

    /// 404: the path names nothing.
    pub fn no_such_path() -> Self {
        Self::new(StatusCode::NOT_FOUND, "The requested path does not exist")
    }

    /// 405: the path serves other methods.
    pub fn wrong_method(allowed: &str) -> Self {
        let reason = format!("this path does not serve that method; it serves {allowed}");
        Self::new(StatusCode::METHOD_NOT_ALLOWED, reason)
            .with_header(actix_web::http::header::ALLOW, allowed)
    }

    /// 404: no such group, or none that the caller may know of.
    pub fn no_such_group() -> Self {
        Self::new(StatusCode::NOT_FOUND, ViewRefusal::NotAMember)
    }

    /// 503. The reason goes to the log, not into the response.
    pub fn fault(fault: &dyn fmt::Display) -> Self {
        tracing::error!(%fault, "a request failed; answering 503");
        Self::unavailable()
    }

    /// 503 with the time after which the caller may retry.
    pub fn unavailable() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "the server cannot do this now; try again")
            .retry_after_millis(1000)
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.status, self.errors.join("; "))
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    fn error_response(&self) -> HttpResponse {
        let mut answer = HttpResponse::build(self.status);
        answer.content_type("application/json");
        if self.status == StatusCode::UNAUTHORIZED {
            answer.insert_header((WWW_AUTHENTICATE, CHALLENGE));
        }
        for (name, value) in &self.headers {
            if let Ok(value) = HeaderValue::from_str(value) {
                answer.insert_header((name.clone(), value));
            }
        }
        let code = self.code.unwrap_or(self.status.as_u16());
        answer.body(envelope::error(code, &self.errors, self.details.as_ref()))
    }
}

impl From<Problems> for ApiError {
    fn from(problems: Problems) -> Self {
        let status = StatusCode::BAD_REQUEST;
        let errors = problems.into_list();
        Self { is_unread: true, ..Self::listing(status, errors) }
    }
}

impl<R: Into<Self>> From<Failure<R>> for ApiError {
    fn from(failure: Failure<R>) -> Self {
        match failure {
            Failure::Refused(refusal) => refusal.into(),
            Failure::Fault(fault) => fault.into(),
        }
    }
}

impl From<Fault> for ApiError {
    fn from(fault: Fault) -> Self {
        match fault {
            // A full mailbox is load, and a full disk is logged once elsewhere: neither needs a
            // line for each request.
            Fault::Busy | Fault::Full => Self::unavailable(),
            Fault::Elsewhere => Self { is_elsewhere: true, ..Self::unavailable() },
            Fault::Limited(exceeded) => Self::new(StatusCode::TOO_MANY_REQUESTS, exceeded)
                .retry_after_millis(exceeded.wait_millis()),
            fault @ (Fault::Gone | Fault::Storage(_) | Fault::Late) => Self::fault(&fault),
        }
    }
}

impl From<IndexFault> for ApiError {
    fn from(fault: IndexFault) -> Self {
        Self::fault(&fault)
    }
}

impl From<SearchFault> for ApiError {
    fn from(fault: SearchFault) -> Self {
        if matches!(fault, SearchFault::Busy) {
            let status = StatusCode::TOO_MANY_REQUESTS;
            return Self::new(status, fault).retry_after_millis(1000);
        }
        Self::fault(&fault)
    }
}

impl From<SearchRefusal> for ApiError {
    fn from(refusal: SearchRefusal) -> Self {
        let status = match refusal {
            SearchRefusal::ConversationNotFound => StatusCode::NOT_FOUND,
            SearchRefusal::TooBroad => StatusCode::BAD_REQUEST,
        };
        Self::new(status, refusal)
    }
}

impl From<HashingFault> for ApiError {
    fn from(fault: HashingFault) -> Self {
        Self::fault(&fault)
    }
}

impl From<ViewRefusal> for ApiError {
    fn from(refusal: ViewRefusal) -> Self {
        let status = match refusal {
            ViewRefusal::NotAMember => StatusCode::NOT_FOUND,
        };
        Self::new(status, refusal)
    }
}

impl From<Denied> for ApiError {
    fn from(denied: Denied) -> Self {
        if let Denied::TooSoon { wait_millis } = denied {
            let error = Self::new(StatusCode::TOO_MANY_REQUESTS, denied);
            return error.retry_after_millis(wait_millis);
        }
        let details = match denied {
            Denied::Role(_)
            | Denied::Guest(_)
            | Denied::Archived
            | Denied::Frozen
            | Denied::TooSoon { .. } => None,
            Denied::TimedOut(until) => Some(json!({"until": until.seconds()})),
        };
        Self { is_denied: true, details, ..Self::new(StatusCode::FORBIDDEN, denied) }
    }
}

impl From<RoleRefusal> for ApiError {
    fn from(refusal: RoleRefusal) -> Self {
        let status = match refusal {
            RoleRefusal::NotAMember | RoleRefusal::NoSuchMembership => StatusCode::NOT_FOUND,
            RoleRefusal::Owner => StatusCode::BAD_REQUEST,
            RoleRefusal::Denied(denied) => return denied.into(),
        };
        Self::new(status, refusal)
    }
}

impl From<AddRefusal> for ApiError {
    fn from(refusal: AddRefusal) -> Self {
        let status = match refusal {
            AddRefusal::NotAMember => StatusCode::NOT_FOUND,
            AddRefusal::Denied(denied) => return denied.into(),
            AddRefusal::Broken(broken) => return broken.into(),
            AddRefusal::Full => StatusCode::BAD_REQUEST,
            AddRefusal::TooManyOpen => StatusCode::TOO_MANY_REQUESTS,
        };
        Self::new(status, refusal)
    }
}

impl From<AddingRefusal> for ApiError {
    fn from(refusal: AddingRefusal) -> Self {
        match refusal {
            AddingRefusal::Unknown => Self::invalid_token(),
            AddingRefusal::Strangers { wait_millis, .. }
            | AddingRefusal::Groups { wait_millis, .. } => {
                Self::new(StatusCode::TOO_MANY_REQUESTS, refusal).retry_after_millis(wait_millis)
            }
        }
    }
}

impl From<RequestRefusal> for ApiError {
    fn from(refusal: RequestRefusal) -> Self {
        let status = match refusal {
            RequestRefusal::NotAMember | RequestRefusal::NoRequest => StatusCode::NOT_FOUND,
            RequestRefusal::NotAllowed => StatusCode::FORBIDDEN,
            RequestRefusal::Denied(denied) => return denied.into(),
            RequestRefusal::Full => StatusCode::BAD_REQUEST,
        };
        Self::new(status, refusal)
    }
}

impl From<ChangeRefusal> for ApiError {
    fn from(refusal: ChangeRefusal) -> Self {
        let status = match refusal {
            ChangeRefusal::NotAMember => StatusCode::NOT_FOUND,
            ChangeRefusal::Denied(denied) => return denied.into(),
            ChangeRefusal::Broken(broken) => return broken.into(),
            ChangeRefusal::Announcement => StatusCode::BAD_REQUEST,
        };
        Self::new(status, refusal)
    }
}

impl From<CopyRefusal> for ApiError {
    fn from(refusal: CopyRefusal) -> Self {
        let status = match refusal {
            CopyRefusal::NotAMember => StatusCode::NOT_FOUND,
            CopyRefusal::Denied(denied) => return denied.into(),
            CopyRefusal::TooManyMembers => StatusCode::BAD_REQUEST,
        };
        Self::new(status, refusal)
    }
}

impl From<TopicRefusal> for ApiError {
    fn from(refusal: TopicRefusal) -> Self {
        let status = match refusal {
            TopicRefusal::NotAMember | TopicRefusal::NoSuchTopic => StatusCode::NOT_FOUND,
            TopicRefusal::Denied(denied) => return denied.into(),
            TopicRefusal::Broken(broken) => return broken.into(),
            TopicRefusal::TooMany => StatusCode::CONFLICT,
        };
        Self::new(status, refusal)
    }
}

impl From<DisbandRefusal> for ApiError {
    fn from(refusal: DisbandRefusal) -> Self {
        let status = match refusal {
            DisbandRefusal::NotAMember => StatusCode::NOT_FOUND,
            DisbandRefusal::NotTheOwner => StatusCode::FORBIDDEN,
            DisbandRefusal::Denied(denied) => return denied.into(),
        };
        Self::new(status, refusal)
    }
}

impl From<JoinRefusal> for ApiError {
    fn from(refusal: JoinRefusal) -> Self {
        let status = match refusal {
            JoinRefusal::NoSuchGroup => StatusCode::NOT_FOUND,
            JoinRefusal::Removed => StatusCode::FORBIDDEN,
            JoinRefusal::Banned(ban) => {
                let details = bans::rejection(&ban);
                let refusal = JoinRefusal::Banned(ban);
                return Self::new(StatusCode::FORBIDDEN, refusal).with_details(details);
            }
            JoinRefusal::Full => StatusCode::BAD_REQUEST,
            JoinRefusal::Denied(denied) => return denied.into(),
            JoinRefusal::LinkEnded => {
                let details = json!({"rejection_reason": "link_ended"});
                return Self::new(StatusCode::FORBIDDEN, refusal).with_details(details);
            }
            JoinRefusal::TooManyRequests | JoinRefusal::TooManyAsked => {
                StatusCode::TOO_MANY_REQUESTS
            }
            JoinRefusal::AnswerRequired => {
                let details = json!({"rejection_reason": "answer_required"});
                return Self::new(StatusCode::BAD_REQUEST, refusal).with_details(details);
            }
            JoinRefusal::RequestDenied { wait_millis } => {
                let details = join_request::denial(wait_millis);
                let refused = Self::new(StatusCode::FORBIDDEN, refusal).with_details(details);
                return refused.retry_after_millis(wait_millis);
            }
        };
        Self::new(status, refusal)
    }
}

impl From<BanRefusal> for ApiError {
    fn from(refusal: BanRefusal) -> Self {
        let status = match refusal {
            BanRefusal::NotAMember | BanRefusal::NoUser | BanRefusal::NoSuchMembership => {
                StatusCode::NOT_FOUND
            }
            BanRefusal::Owner => StatusCode::FORBIDDEN,
            BanRefusal::Oneself | BanRefusal::Past | BanRefusal::Full => StatusCode::BAD_REQUEST,
            BanRefusal::Denied(denied) => return denied.into(),
        };
        Self::new(status, refusal)
    }
}

impl From<TimeoutRefusal> for ApiError {
    fn from(refusal: TimeoutRefusal) -> Self {
        let status = match refusal {
            TimeoutRefusal::NotAMember | TimeoutRefusal::NoSuchMembership => StatusCode::NOT_FOUND,
            TimeoutRefusal::Owner => StatusCode::FORBIDDEN,
            TimeoutRefusal::Oneself | TimeoutRefusal::Past | TimeoutRefusal::TooLong => {
                StatusCode::BAD_REQUEST
            }
            TimeoutRefusal::Denied(denied) => return denied.into(),
        };
        Self::new(status, refusal)
    }
}

impl From<OperatorReportRefusal> for ApiError {
    fn from(refusal: OperatorReportRefusal) -> Self {
        let status = match refusal {
            OperatorReportRefusal::NoReport => StatusCode::NOT_FOUND,
            OperatorReportRefusal::Resolved => StatusCode::CONFLICT,
            OperatorReportRefusal::AboutYou => StatusCode::FORBIDDEN,
            OperatorReportRefusal::Full
            | OperatorReportRefusal::NoAccount
            | OperatorReportRefusal::NoMessage
            | OperatorReportRefusal::Own => StatusCode::BAD_REQUEST,
        };
        Self::new(status, refusal)
    }
}

impl From<ReportRefusal> for ApiError {
    fn from(refusal: ReportRefusal) -> Self {
        let status = match refusal {
            ReportRefusal::NotAMember | ReportRefusal::NoMessage | ReportRefusal::NoReport => {
                StatusCode::NOT_FOUND
            }
            ReportRefusal::Owner => StatusCode::FORBIDDEN,
            ReportRefusal::Resolved => StatusCode::CONFLICT,
            ReportRefusal::System | ReportRefusal::Own | ReportRefusal::Deleted => {
                StatusCode::BAD_REQUEST
            }
            ReportRefusal::Full
            | ReportRefusal::NoEnd
            | ReportRefusal::Bot
            | ReportRefusal::AuthorLeft => return Self::new(StatusCode::BAD_REQUEST, refusal),
            ReportRefusal::WrongAction | ReportRefusal::InTopic => {
                return Problems::one(refusal.to_string()).into();
            }
            ReportRefusal::Denied(denied) => return denied.into(),
            ReportRefusal::Deletion(refusal) => return refusal.into(),
            ReportRefusal::TimeOut(refusal) => return refusal.into(),
            ReportRefusal::Removal(refusal) => return refusal.into(),
            ReportRefusal::Ban(refusal) => return refusal.into(),
        };
        Self::new(status, refusal)
    }
}

impl From<RuleRefusal> for ApiError {
    fn from(refusal: RuleRefusal) -> Self {
        let status = match refusal {
            RuleRefusal::NotAMember | RuleRefusal::NoRule => StatusCode::NOT_FOUND,
            RuleRefusal::Full
            | RuleRefusal::TooManyPatterns
            | RuleRefusal::TooLarge
            | RuleRefusal::NoTopic => StatusCode::BAD_REQUEST,
            RuleRefusal::NoMemory => StatusCode::SERVICE_UNAVAILABLE,
            RuleRefusal::Denied(denied) => return denied.into(),
        };
        Self::new(status, refusal)
    }
}

impl From<OperatorRuleRefusal> for ApiError {
    fn from(refusal: OperatorRuleRefusal) -> Self {
        let status = match refusal {
            OperatorRuleRefusal::NoRule => StatusCode::NOT_FOUND,
            OperatorRuleRefusal::Full
            | OperatorRuleRefusal::TooManyPatterns
            | OperatorRuleRefusal::TooLarge => StatusCode::BAD_REQUEST,
        };
        Self::new(status, refusal)
    }
}

impl From<CreateRefusal> for ApiError {
    fn from(refusal: CreateRefusal) -> Self {
        match refusal {
            CreateRefusal::Known => Self::new(StatusCode::CONFLICT, refusal),
            CreateRefusal::Broken(broken) => broken.into(),
        }
    }
}

impl From<AppealRefusal> for ApiError {
    fn from(refusal: AppealRefusal) -> Self {
        let status = match refusal {
            AppealRefusal::NotAMember => StatusCode::NOT_FOUND,
            AppealRefusal::NoAct => StatusCode::BAD_REQUEST,
            AppealRefusal::Again => StatusCode::CONFLICT,
        };
        Self::new(status, refusal)
    }
}

impl From<HeldRefusal> for ApiError {
    fn from(refusal: HeldRefusal) -> Self {
        let status = match refusal {
            HeldRefusal::NotAMember | HeldRefusal::NoHeld => StatusCode::NOT_FOUND,
            HeldRefusal::AuthorMayNot => StatusCode::FORBIDDEN,
            HeldRefusal::Denied(denied) => return denied.into(),
            HeldRefusal::Broken(broken) => return broken.into(),
        };
        Self::new(status, refusal)
    }
}

impl From<InviteLinkRefusal> for ApiError {
    fn from(refusal: InviteLinkRefusal) -> Self {
        let status = match refusal {
            InviteLinkRefusal::NotAMember | InviteLinkRefusal::NoLink => StatusCode::NOT_FOUND,
            InviteLinkRefusal::Full | InviteLinkRefusal::FullOfEmails => StatusCode::BAD_REQUEST,
            InviteLinkRefusal::Denied(denied) => return denied.into(),
        };
        Self::new(status, refusal)
    }
}

impl From<BrokenRule> for ApiError {
    fn from(broken: BrokenRule) -> Self {
        let mut details = json!({"rule": broken.rule.to_string()});
        if let Some(held) = broken.held {
            details["held"] = json!(held.to_string());
        }
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, broken).with_details(details)
    }
}

impl From<ReportingRefusal> for ApiError {
    fn from(refusal: ReportingRefusal) -> Self {
        match refusal {
            ReportingRefusal::Unknown => Self::invalid_token(),
            ReportingRefusal::TooMany { wait_millis } => {
                Self::new(StatusCode::TOO_MANY_REQUESTS, refusal).retry_after_millis(wait_millis)
            }
        }
    }
}

impl From<RemoveRefusal> for ApiError {
    fn from(refusal: RemoveRefusal) -> Self {
        let status = match refusal {
            RemoveRefusal::NotAMember | RemoveRefusal::NoSuchMembership => StatusCode::NOT_FOUND,
            RemoveRefusal::Owner => StatusCode::FORBIDDEN,
            RemoveRefusal::Denied(denied) => return denied.into(),
        };
        Self::new(status, refusal)
    }
}

impl From<RenameRefusal> for ApiError {
    fn from(refusal: RenameRefusal) -> Self {
        let status = match refusal {
            RenameRefusal::NotAMember => StatusCode::NOT_FOUND,
            RenameRefusal::Denied(denied) => return denied.into(),
            RenameRefusal::Broken(broken) => return broken.into(),
        };
        Self::new(status, refusal)
    }
}

impl From<ResultsRefusal> for ApiError {
    fn from(refusal: ResultsRefusal) -> Self {
        match refusal {
            ResultsRefusal::NotAMember | ResultsRefusal::Gone => {
                Self::new(StatusCode::NOT_FOUND, refusal)
            }
            ResultsRefusal::NotReady => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, refusal).retry_after_millis(1000)
            }
        }
    }
}

impl From<UserRefusal> for ApiError {
    fn from(refusal: UserRefusal) -> Self {
        let status = match refusal {
            UserRefusal::Unknown => StatusCode::NOT_FOUND,
        };
        Self::new(status, refusal)
    }
}

impl From<BotRefusal> for ApiError {
    fn from(refusal: BotRefusal) -> Self {
        let status = match refusal {
            BotRefusal::NotAMember | BotRefusal::NoBot => StatusCode::NOT_FOUND,
            BotRefusal::Inactive
            | BotRefusal::Resting
            | BotRefusal::Shut
            | BotRefusal::AdminsOnly => StatusCode::FORBIDDEN,
            BotRefusal::Address(refusal) => return refusal.into(),
            BotRefusal::Denied(denied) => return denied.into(),
            BotRefusal::Broken(broken) => return broken.into(),
            BotRefusal::Full => StatusCode::BAD_REQUEST,
        };
        Self::new(status, refusal)
    }
}

impl From<Infallible> for ApiError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

impl From<BlockRefusal> for ApiError {
    fn from(refusal: BlockRefusal) -> Self {
        let status = match refusal {
            BlockRefusal::Unknown | BlockRefusal::Oneself | BlockRefusal::Full => {
                StatusCode::BAD_REQUEST
            }
        };
        Self::new(status, refusal)
    }
}

impl From<KeyRefusal> for ApiError {
    fn from(refusal: KeyRefusal) -> Self {
        match refusal {
            KeyRefusal::Malformed => Self::new(StatusCode::BAD_REQUEST, refusal),
            KeyRefusal::Reused => Self::new(StatusCode::UNPROCESSABLE_ENTITY, refusal),
            KeyRefusal::UnderWay => {
                Self::new(StatusCode::CONFLICT, refusal).retry_after_millis(1000)
            }
            KeyRefusal::TooLarge => Self::new(StatusCode::CONFLICT, refusal),
        }
    }
}

impl From<MuteRefusal> for ApiError {
    fn from(refusal: MuteRefusal) -> Self {
        let status = match refusal {
            MuteRefusal::NotAMember => StatusCode::NOT_FOUND,
        };
        Self::new(status, refusal)
    }
}

impl From<DeviceRefusal> for ApiError {
    fn from(refusal: DeviceRefusal) -> Self {
        let status = match refusal {
            DeviceRefusal::Unknown => StatusCode::NOT_FOUND,
        };
        Self::new(status, refusal)
    }
}

impl From<ReadRefusal> for ApiError {
    fn from(refusal: ReadRefusal) -> Self {
        let status = match refusal {
            ReadRefusal::NotAMember | ReadRefusal::NoMessage | ReadRefusal::Unknown => {
                StatusCode::NOT_FOUND
            }
        };
        Self::new(status, refusal)
    }
}

impl From<LogoutRefusal> for ApiError {
    fn from(refusal: LogoutRefusal) -> Self {
        let status = match refusal {
            LogoutRefusal::Unknown => StatusCode::NOT_FOUND,
        };
        Self::new(status, refusal)
    }
}

impl From<PictureError> for ApiError {
    fn from(error: PictureError) -> Self {
        match error {
            PictureError::Refused(refusal) => Self::new(StatusCode::BAD_REQUEST, refusal),
            PictureError::Busy => IntakeRefusal::Full.into(),
            PictureError::Fault(fault) => Self::fault(&fault),
        }
    }
}

impl From<FileError> for ApiError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Refused(refusal @ FileRefusal::Busy) => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, refusal).retry_after_millis(5000)
            }
            FileError::Refused(refusal @ FileRefusal::TooManyAtOnce) => {
                Self::new(StatusCode::TOO_MANY_REQUESTS, refusal).retry_after_millis(5000)
            }
            FileError::Refused(refusal) => Self::new(StatusCode::PAYLOAD_TOO_LARGE, refusal),
            FileError::Fault(fault) => Self::fault(&fault),
        }
    }
}

impl From<IntakeRefusal> for ApiError {
    fn from(refusal: IntakeRefusal) -> Self {
        match refusal {
            IntakeRefusal::TooLarge => Self::new(StatusCode::PAYLOAD_TOO_LARGE, refusal),
            IntakeRefusal::Full => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, refusal).retry_after_millis(2000)
            }
            IntakeRefusal::OwnerFull => {
                Self::new(StatusCode::TOO_MANY_REQUESTS, refusal).retry_after_millis(2000)
            }
        }
    }
}
