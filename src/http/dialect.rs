//! The compatibility switch: existing clients disagree with the specification on two
//! points (see the decisions), and get their way under `/compat/v3` or a compat host.

use std::borrow::Cow;
use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::{FORWARDED, HOST, HeaderName};
use actix_web::{FromRequest, HttpMessage as _, HttpRequest, web};

use crate::actors::recent::Logged;
use crate::domain::attachment::AddressForm;
use crate::domain::ids::Conversation;
use crate::domain::likes::Likers;
use crate::domain::message::{MessageJson, ShownMessage};
use crate::http::app_state::AppState;
use crate::http::error::ApiError;
use crate::wire::chat::IdForm;
use crate::wire::instance::Instance;
use crate::wire::message as wire;

/// What stands in front of a path that is served in the way of existing clients.
pub(super) const COMPAT: &str = "/compat";
const X_FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

/// In whose way a request is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// The specification's.
    Specified,
    /// That of clients which existed before it.
    Compatible,
}

impl Dialect {
    /// The status of a bot's post.
    pub(super) const fn bot_posted(self) -> StatusCode {
        match self {
            Self::Specified => StatusCode::CREATED,
            Self::Compatible => StatusCode::ACCEPTED,
        }
    }

    /// The status for whoever sees a thing but may not do something with it where these
    /// clients know another one.
    pub(super) const fn not_allowed(self) -> StatusCode {
        match self {
            Self::Specified => StatusCode::FORBIDDEN,
            Self::Compatible => StatusCode::UNAUTHORIZED,
        }
    }

    /// A message in JSON. Clients without a word for deleted messages read of it in the text.
    pub(super) fn message(
        self,
        logged: &Logged,
        conversation: impl Into<Conversation>,
        instance: &Instance,
    ) -> MessageJson {
        match self {
            Self::Specified => logged.json(conversation, instance).clone(),
            Self::Compatible => logged.json_in_old_form(conversation, instance),
        }
    }

    /// The same of a message that was stored just now.
    pub(super) fn stored(
        self,
        stored: &ShownMessage,
        conversation: impl Into<Conversation>,
        instance: &Instance,
    ) -> MessageJson {
        match self {
            Self::Compatible if wire::has_old_form(&stored.message) => {
                wire::in_old_form(conversation, &stored.message, Likers::NOBODY, instance)
            }
            Self::Specified | Self::Compatible => stored.json.clone(),
        }
    }

    /// In which form mentions and replies come.
    pub(super) const fn addresses(self) -> AddressForm {
        match self {
            Self::Specified => AddressForm::Specified,
            Self::Compatible => AddressForm::Compatible,
        }
    }

    /// How a chat writes the id of the other user.
    pub(super) const fn other_user_id(self) -> IdForm {
        match self {
            Self::Specified => IdForm::Number,
            Self::Compatible => IdForm::Text,
        }
    }
}

/// That a request came below `/compat`, which the table of routes does not see.
pub(super) struct BelowCompat;

fn is_below_compat(request: &HttpRequest) -> bool {
    request.extensions().contains::<BelowCompat>()
}

/// The path with what it says of how it is answered, for whoever tells two requests apart.
/// Versions answer alike, so all of them are the third.
pub(super) fn distinct_path(request: &HttpRequest) -> Cow<'_, str> {
    match is_below_compat(request) {
        true => Cow::Owned(format!("{COMPAT}{}", request.path())),
        false => Cow::Borrowed(request.path()),
    }
}

/// The host that a request names, without its port, in small letters. A proxy may name another
/// one; to look for that costs 2,500 instructions, a third of what it takes to route a request,
/// so it is done where there is one.
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
    host.rsplit_once(':').map_or(host, |(host, _)| host).to_lowercase()
}

/// Whether existing clients get their way on this host.
pub(super) fn is_compat_host(app: &AppState, host: &str) -> bool {
    app.compat_hosts.iter().any(|known| known == host)
}

impl FromRequest for Dialect {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let is_compat_host = || {
            let app = request.app_data::<web::Data<AppState>>();
            let host = host_name(request);
            app.is_some_and(|app| is_compat_host(app, &host))
        };
        let dialect = match is_below_compat(request) || is_compat_host() {
            true => Self::Compatible,
            false => Self::Specified,
        };
        ready(Ok(dialect))
    }
}
