//! Statuses of refusals about accounts: passwords, tokens, names, applications.

use std::convert::Infallible;

use actix_web::http::StatusCode;

use crate::http::error::ApiError;
use actors::ask::Failure;
use actors::names::TakeFailure;
use actors::user::protocol::NamingRefusal;
use auth::logging_in::{LogInFailure, LogInRefusal};
use domain::user::{
    ApplicationRefusal, DeleteRefusal, EmailInviteRefusal, FactorRefusal, IssueRefusal,
    LinkRefusal, PasswordRefusal,
};

impl From<LogInFailure> for ApiError {
    fn from(failure: LogInFailure) -> Self {
        match failure {
            LogInFailure::Refused(refusal) => refusal.into(),
            LogInFailure::Gone => Self::invalid_token(),
            LogInFailure::Index(fault) => Self::fault(&fault),
            LogInFailure::Hashing(fault) => Self::fault(&fault),
        }
    }
}

impl From<LogInRefusal> for ApiError {
    fn from(refusal: LogInRefusal) -> Self {
        match refusal {
            LogInRefusal::Wrong => Self::new(StatusCode::UNAUTHORIZED, refusal),
            LogInRefusal::AccountLocked { wait_millis }
            | LogInRefusal::AddressLocked { wait_millis } => {
                Self::new(StatusCode::TOO_MANY_REQUESTS, refusal).retry_after_millis(wait_millis)
            }
        }
    }
}

impl From<IssueRefusal> for ApiError {
    fn from(refusal: IssueRefusal) -> Self {
        let status = match refusal {
            IssueRefusal::Unknown
            | IssueRefusal::PasswordChanged
            | IssueRefusal::Unlinked
            | IssueRefusal::CodeSpent(_) => StatusCode::UNAUTHORIZED,
            IssueRefusal::Unconfirmed => {
                return Self::new(StatusCode::FORBIDDEN, refusal).needs("confirmation");
            }
            IssueRefusal::Unapproved => {
                return Self::new(StatusCode::FORBIDDEN, refusal).needs("approval");
            }
            IssueRefusal::Disabled | IssueRefusal::GuestEnded => StatusCode::FORBIDDEN,
        };
        Self::new(status, refusal)
    }
}

impl From<FactorRefusal> for ApiError {
    fn from(refusal: FactorRefusal) -> Self {
        let status = match refusal {
            FactorRefusal::Unknown | FactorRefusal::Expired | FactorRefusal::PasswordChanged => {
                StatusCode::UNAUTHORIZED
            }
            FactorRefusal::TooManyPasskeys | FactorRefusal::PasskeyKnown => StatusCode::CONFLICT,
            FactorRefusal::LastWayIn => StatusCode::BAD_REQUEST,
            FactorRefusal::AlreadyOn | FactorRefusal::NotBegun => StatusCode::CONFLICT,
            FactorRefusal::Off | FactorRefusal::NoDevice | FactorRefusal::NoPasskey => {
                StatusCode::NOT_FOUND
            }
            FactorRefusal::Disabled | FactorRefusal::PasskeyWrong | FactorRefusal::Unverified => {
                StatusCode::FORBIDDEN
            }
        };
        Self::new(status, refusal)
    }
}

impl From<LinkRefusal> for ApiError {
    fn from(refusal: LinkRefusal) -> Self {
        let status = match refusal {
            LinkRefusal::Unknown => StatusCode::NOT_FOUND,
            LinkRefusal::Disabled => StatusCode::FORBIDDEN,
            LinkRefusal::Late => return Self::unavailable(),
            LinkRefusal::TooOften => {
                return Self::new(StatusCode::TOO_MANY_REQUESTS, refusal)
                    .retry_after_millis(3_600_000);
            }
        };
        Self::new(status, refusal)
    }
}

impl From<EmailInviteRefusal> for ApiError {
    fn from(refusal: EmailInviteRefusal) -> Self {
        match refusal {
            EmailInviteRefusal::Unknown => Self::invalid_token(),
            EmailInviteRefusal::Unconfirmed => Self::new(StatusCode::FORBIDDEN, refusal),
            EmailInviteRefusal::TooMany { wait_millis, .. } => {
                Self::new(StatusCode::TOO_MANY_REQUESTS, refusal).retry_after_millis(wait_millis)
            }
        }
    }
}

impl From<PasswordRefusal> for ApiError {
    fn from(refusal: PasswordRefusal) -> Self {
        match refusal {
            // Asked by the user's own token, which ended with the account.
            PasswordRefusal::Unknown => Self::invalid_token(),
            PasswordRefusal::ChangedMeanwhile => Self::new(StatusCode::CONFLICT, refusal),
        }
    }
}

impl From<DeleteRefusal> for ApiError {
    fn from(refusal: DeleteRefusal) -> Self {
        match refusal {
            // Asked by the user's own token, which ended with the account.
            DeleteRefusal::Unknown => Self::invalid_token(),
            DeleteRefusal::PasswordChanged => Self::new(StatusCode::CONFLICT, refusal),
        }
    }
}

impl From<NamingRefusal> for ApiError {
    fn from(refusal: NamingRefusal) -> Self {
        match refusal {
            NamingRefusal::Unknown => Self::new(StatusCode::NOT_FOUND, refusal),
            NamingRefusal::TooOften => {
                Self::new(StatusCode::TOO_MANY_REQUESTS, refusal).retry_after_millis(3_600_000)
            }
            NamingRefusal::Late => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, refusal).retry_after_millis(1000)
            }
        }
    }
}

impl ApiError {
    /// 403: the token is an application's, and the act needs a log-in.
    pub fn needs_log_in() -> Self {
        let reason = "a token of an application does not do this; log in";
        Self::new(StatusCode::FORBIDDEN, reason)
    }

    /// 403: the account lacks a second factor that it must have.
    pub fn needs_factor() -> Self {
        let reason = "this server requires a second factor; set up one-time codes first";
        Self::new(StatusCode::FORBIDDEN, reason).needs("second_factor")
    }

    /// The error for names that could not be claimed. `taken` is the response if another account
    /// has one of them.
    pub fn not_taken<R: Into<Self>>(failure: TakeFailure<R>, taken: Self) -> Self {
        match failure {
            TakeFailure::Taken => taken,
            TakeFailure::Act(failure) => failure.into(),
            TakeFailure::Fault(fault) => Failure::<Infallible>::Fault(fault).into(),
        }
    }
}

impl From<ApplicationRefusal> for ApiError {
    fn from(refusal: ApplicationRefusal) -> Self {
        let status = match refusal {
            ApplicationRefusal::NoUser | ApplicationRefusal::Unknown => StatusCode::NOT_FOUND,
            ApplicationRefusal::Full => StatusCode::BAD_REQUEST,
        };
        Self::new(status, refusal)
    }
}
