//! Statuses of refusals about messages, and about what belongs to them: likes, pins, polls,
//! calendar events.

use actix_web::http::StatusCode;
use actix_web::http::header::HeaderName;

use crate::http::error::ApiError;
use domain::addressees::AddressRefusal;
use domain::calendar::CalendarRefusal;
use domain::chat::WriteRefusal;
use domain::group::PostRefusal;
use domain::likes::LikeRefusal;
use domain::pins::PinRefusal;
use domain::polls::PollRefusal;
use domain::revision::RevisionRefusal;
use domain::user::{MessageRequestRefusal, ReadByRefusal, SaveRefusal};

impl From<PostRefusal> for ApiError {
    fn from(refusal: PostRefusal) -> Self {
        match refusal {
            PostRefusal::NotAMember => Self::new(StatusCode::NOT_FOUND, refusal),
            PostRefusal::Address(refusal) => refusal.into(),
            PostRefusal::Denied(denied) => denied.into(),
            PostRefusal::Broken(broken) => broken.into(),
            PostRefusal::DuplicateGuid { existing } => Self::new(StatusCode::CONFLICT, refusal)
                .with_header(HeaderName::from_static("x-existing-message-id"), existing),
        }
    }
}

impl From<AddressRefusal> for ApiError {
    fn from(refusal: AddressRefusal) -> Self {
        let status = match refusal {
            AddressRefusal::NotEverybody => StatusCode::FORBIDDEN,
            AddressRefusal::NotHere
            | AddressRefusal::Outside
            | AddressRefusal::NoMessage
            | AddressRefusal::Deleted
            | AddressRefusal::Base
            | AddressRefusal::TwoReplies
            | AddressRefusal::Moved
            | AddressRefusal::NoFile
            | AddressRefusal::Empty => StatusCode::BAD_REQUEST,
        };
        Self::new(status, refusal)
    }
}

impl From<RevisionRefusal> for ApiError {
    fn from(refusal: RevisionRefusal) -> Self {
        let status = match refusal {
            RevisionRefusal::NotAMember | RevisionRefusal::NoMessage | RevisionRefusal::NoBot => {
                StatusCode::NOT_FOUND
            }
            RevisionRefusal::Address(refusal) => return refusal.into(),
            RevisionRefusal::Denied(denied) => return denied.into(),
            RevisionRefusal::Broken(broken) => return broken.into(),
            RevisionRefusal::Deleted | RevisionRefusal::Empty => StatusCode::BAD_REQUEST,
            RevisionRefusal::Inactive
            | RevisionRefusal::NotTheSender
            | RevisionRefusal::NoEditing
            | RevisionRefusal::EditedOut
            | RevisionRefusal::NoHistory
            | RevisionRefusal::NoDeleting => StatusCode::FORBIDDEN,
        };
        Self::new(status, refusal)
    }
}

impl From<LikeRefusal> for ApiError {
    fn from(refusal: LikeRefusal) -> Self {
        let status = match refusal {
            LikeRefusal::NotAMember | LikeRefusal::NoMessage => StatusCode::NOT_FOUND,
            LikeRefusal::Deleted => StatusCode::BAD_REQUEST,
            LikeRefusal::Denied(denied) => return denied.into(),
        };
        Self::new(status, refusal)
    }
}

impl From<PinRefusal> for ApiError {
    fn from(refusal: PinRefusal) -> Self {
        let status = match refusal {
            PinRefusal::NotAMember | PinRefusal::NoMessage => StatusCode::NOT_FOUND,
            PinRefusal::Deleted | PinRefusal::Full => StatusCode::BAD_REQUEST,
            PinRefusal::Denied(denied) => return denied.into(),
        };
        Self::new(status, refusal)
    }
}

impl From<PollRefusal> for ApiError {
    fn from(refusal: PollRefusal) -> Self {
        let status = match refusal {
            PollRefusal::NotAMember | PollRefusal::NoPoll | PollRefusal::NoOption => {
                StatusCode::NOT_FOUND
            }
            PollRefusal::OneVote | PollRefusal::Over | PollRefusal::TooSoon | PollRefusal::Full => {
                StatusCode::BAD_REQUEST
            }
            PollRefusal::NotTheMaker => StatusCode::FORBIDDEN,
            PollRefusal::Denied(denied) => return denied.into(),
            PollRefusal::Broken(broken) => return broken.into(),
        };
        Self::new(status, refusal)
    }
}

impl From<CalendarRefusal> for ApiError {
    fn from(refusal: CalendarRefusal) -> Self {
        let status = match refusal {
            CalendarRefusal::NotAMember | CalendarRefusal::NoEvent => StatusCode::NOT_FOUND,
            CalendarRefusal::Over
            | CalendarRefusal::Past
            | CalendarRefusal::EndsFirst
            | CalendarRefusal::Full => StatusCode::BAD_REQUEST,
            CalendarRefusal::NotTheMaker => StatusCode::FORBIDDEN,
            CalendarRefusal::Denied(denied) => return denied.into(),
            CalendarRefusal::Broken(broken) => return broken.into(),
        };
        Self::new(status, refusal)
    }
}

impl From<ReadByRefusal> for ApiError {
    fn from(refusal: ReadByRefusal) -> Self {
        let status = match refusal {
            ReadByRefusal::NotAMember | ReadByRefusal::NoMessage => StatusCode::NOT_FOUND,
            ReadByRefusal::TooMany => StatusCode::BAD_REQUEST,
        };
        Self::new(status, refusal)
    }
}

impl From<SaveRefusal> for ApiError {
    fn from(refusal: SaveRefusal) -> Self {
        let status = match refusal {
            SaveRefusal::NoMessage => StatusCode::NOT_FOUND,
            SaveRefusal::Full => StatusCode::BAD_REQUEST,
        };
        Self::new(status, refusal)
    }
}

impl From<MessageRequestRefusal> for ApiError {
    fn from(refusal: MessageRequestRefusal) -> Self {
        let status = match refusal {
            MessageRequestRefusal::Unknown => StatusCode::NOT_FOUND,
            MessageRequestRefusal::Full => StatusCode::CONFLICT,
        };
        Self::new(status, refusal)
    }
}

impl From<WriteRefusal> for ApiError {
    fn from(refusal: WriteRefusal) -> Self {
        match refusal {
            WriteRefusal::Unknown => Self::new(StatusCode::NOT_FOUND, refusal),
            WriteRefusal::Oneself | WriteRefusal::Blocking => {
                Self::new(StatusCode::BAD_REQUEST, refusal)
            }
            WriteRefusal::Address(refusal) => refusal.into(),
            WriteRefusal::Broken(broken) => broken.into(),
            WriteRefusal::Blocked | WriteRefusal::NotTaken(_) => {
                Self::new(StatusCode::FORBIDDEN, refusal)
            }
            WriteRefusal::Banned { wait_millis } => {
                Self::new(StatusCode::FORBIDDEN, refusal).retry_after_millis(wait_millis)
            }
        }
    }
}
