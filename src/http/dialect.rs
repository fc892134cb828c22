//! The compatibility switch. Existing clients deviate from the specification in several points (see
//! the decisions); below `/compat/v3` and on a compatibility host they are served as they expect.

use std::borrow::Cow;
use std::future::{Ready, ready};

use actix_web::dev::{Payload, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{FORWARDED, HOST, HeaderName};
use actix_web::{FromRequest, HttpMessage as _, HttpRequest, web};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::http::app_state::AppState;
use crate::http::error::ApiError;
use crate::http::reply;
use actors::group::protocol::GroupView;
use actors::idempotency::Rendered;
use actors::recent::LoadedMessage;
use domain::attachment::AddressForm;
use domain::ids::{Conversation, UserId};
use domain::message::MessageJson;
use wire::chat::IdForm;
use wire::group::DurableGroup;
use wire::instance::Instance;
use wire::old_form::{self, MessageForm};

/// The path prefix for existing clients.
pub(super) const COMPAT: &str = "/compat";
const X_FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

/// The dialect of the API in which a request is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// As the specification says.
    Specified,
    /// As clients expect that are older than the specification.
    Compatible,
}

impl Dialect {
    /// The status of the response to a bot's post.
    pub(super) const fn bot_posted(self) -> StatusCode {
        match self {
            Self::Specified => StatusCode::CREATED,
            Self::Compatible => StatusCode::ACCEPTED,
        }
    }

    /// Whether a new bot receives its own messages unless its creator says otherwise.
    pub(super) const fn bots_receive_own(self) -> bool {
        matches!(self, Self::Compatible)
    }

    /// The names under which the response to a direct message holds the message.
    pub(super) const fn direct_message_names(self) -> &'static [&'static str] {
        match self {
            // Existing clients read the second field.
            Self::Specified => &["message", "direct_message"],
            // Strict clients refuse any field beside this one.
            Self::Compatible => &["direct_message"],
        }
    }

    /// The status for a caller who may see a thing but not do this with it, where existing clients
    /// expect another status than 403.
    pub(super) const fn not_allowed(self) -> StatusCode {
        match self {
            Self::Specified => StatusCode::FORBIDDEN,
            Self::Compatible => StatusCode::UNAUTHORIZED,
        }
    }

    /// The form in which messages are shown.
    pub(super) const fn messages(self) -> MessageForm {
        match self {
            Self::Specified => MessageForm::Specified,
            Self::Compatible => MessageForm::Old,
        }
    }

    /// Puts the JSON of a message into this dialect.
    pub(super) fn put(self, message: &MessageJson) -> MessageJson {
        match self.messages() {
            MessageForm::Specified => message.clone(),
            MessageForm::Old => old_form::of(message),
        }
    }

    /// Puts a JSON array of messages into this dialect.
    pub(super) fn put_list(self, messages: &RawValue) -> Cow<'_, RawValue> {
        match self.messages() {
            MessageForm::Specified => Cow::Borrowed(messages),
            MessageForm::Old => Cow::Owned(old_form::of_list(messages)),
        }
    }

    /// A group to be written as JSON in this dialect for this user.
    pub(super) fn whole(self, view: &GroupView, reader: UserId) -> DurableGroup<'_> {
        DurableGroup { form: self.messages(), reader: Some(reader), ..view.whole() }
    }

    /// A value that existing clients alone expect.
    pub(super) fn original<T>(self, value: impl FnOnce() -> T) -> Option<T> {
        match self {
            Self::Specified => None,
            Self::Compatible => Some(value()),
        }
    }

    /// A response that shows polls. The original service counts their codes in hundredths, and shows
    /// no vote before there is one.
    pub(super) fn polls(self, status: StatusCode, shown: &impl Serialize) -> Rendered {
        match self {
            Self::Specified => reply::payload(status, shown),
            Self::Compatible => {
                let code = u32::from(status.as_u16()) * 100;
                reply::payload_with_code(status, code, &old_form::of_polls(shown))
            }
        }
    }

    /// The JSON of a message in this dialect.
    pub(super) fn message(
        self,
        loaded: &LoadedMessage,
        conversation: impl Into<Conversation>,
        instance: &Instance,
    ) -> MessageJson {
        self.put(loaded.json(conversation, instance))
    }

    /// The form in which clients send mentions and replies.
    pub(super) const fn addresses(self) -> AddressForm {
        match self {
            Self::Specified => AddressForm::Specified,
            Self::Compatible => AddressForm::Compatible,
        }
    }

    /// The form in which a chat shows the other user's id.
    pub(super) const fn other_user_id(self) -> IdForm {
        match self {
            Self::Specified => IdForm::Number,
            Self::Compatible => IdForm::Text,
        }
    }
}

/// Marks a request whose path began with `/compat`. The table of routes sees the path without that
/// prefix.
pub(super) struct BelowCompat;

fn is_below_compat(request: &HttpRequest) -> bool {
    request.extensions().contains::<BelowCompat>()
}

/// The path of a request, with `/compat` if it began with that, for code that tells requests apart.
/// All versions are answered alike, so the path always names `/v3`.
pub(super) fn distinct_path(request: &HttpRequest) -> Cow<'_, str> {
    match is_below_compat(request) {
        true => Cow::Owned(format!("{COMPAT}{}", request.path())),
        false => Cow::Borrowed(request.path()),
    }
}

/// The host that a request names, without its port, in lower case. A proxy may name another host in
/// its headers. Reading those costs 2,500 instructions, a third of what routing a request takes, so
/// it is done only if such a header is present.
pub(super) fn host_name(request: &HttpRequest) -> String {
    let headers = request.headers();
    let is_by_proxy = headers.contains_key(FORWARDED) || headers.contains_key(&X_FORWARDED_HOST);
    let named = headers.get(HOST).filter(|_| !is_by_proxy).and_then(|it| it.to_str().ok());
    match named {
        Some(host) => without_port(host),
        None => without_port(request.connection_info().host()),
    }
}

fn without_port(host: &str) -> String {
    host.rsplit_once(':').map_or(host, |(host, _)| host).to_ascii_lowercase()
}

/// Whether the API is served in the compatible dialect on this host.
pub(super) fn is_compat_host(app: &AppState, host: &str) -> bool {
    app.compat_hosts.iter().any(|known| known == host)
}

/// Whether a request came to a compatibility host.
pub(super) fn is_on_compat_host(app: &AppState, request: &HttpRequest) -> bool {
    is_compat_host(app, &host_name(request))
}

/// Gives clients of the original service the status that they expect where a role does not allow
/// an act. Only refusals are looked at.
pub fn denied(answer: ServiceResponse) -> ServiceResponse {
    if answer.status() != StatusCode::FORBIDDEN {
        return answer;
    }
    let error = answer.response().error().and_then(|error| error.as_error::<ApiError>());
    let other = error.and_then(ApiError::for_original_clients);
    match other.filter(|_| Dialect::of(answer.request()) == Dialect::Compatible) {
        Some(other) => answer.into_response(other),
        None => answer,
    }
}

impl Dialect {
    /// The dialect in which a request is answered.
    fn of(request: &HttpRequest) -> Self {
        let is_compat_host = || {
            let app = request.app_data::<web::Data<AppState>>();
            let host = host_name(request);
            app.is_some_and(|app| is_compat_host(app, &host))
        };
        match is_below_compat(request) || is_compat_host() {
            true => Self::Compatible,
            false => Self::Specified,
        }
    }
}

impl FromRequest for Dialect {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self::of(request)))
    }
}
