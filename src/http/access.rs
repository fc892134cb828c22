//! The scopes that each route needs. The table of routes names them, and every look-up of a caller
//! checks them here.

use actix_web::HttpRequest;
use actix_web::http::header::WWW_AUTHENTICATE;
use actix_web::http::{Method, StatusCode};
use smallvec::SmallVec;

use crate::http::app_state::AppState;
use crate::http::error::{ApiError, CHALLENGE};
use crate::http::guests;
use auth::keyring::TokenOwner;
use domain::guests::AccountAct;
use domain::ids::{Conversation, UserId};
use domain::scopes::{SHOWN_SCOPES, Scope, ScopeSet};

/// What a route needs of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RouteAccess {
    /// No token of a user.
    Open,
    /// A token, with whatever scopes.
    AnyToken,
    /// A token with one of these scopes.
    OneOf(ScopeSet),
    /// A token with the scope for the conversation that the path names.
    ByConversation {
        /// The scope for a group.
        group: Scope,
        /// The scope for a chat.
        chat: Scope,
    },
    /// A token with one of these scopes, which the client names in its first message: the push
    /// protocols check it.
    AtHello(ScopeSet),
}

impl RouteAccess {
    const fn scope(scope: Scope) -> Self {
        Self::OneOf(ScopeSet::of(&[scope]))
    }

    /// The scopes of which a token needs one, for some request to the route; none if the route
    /// needs no particular scope.
    pub(super) const fn scopes(self) -> ScopeSet {
        match self {
            Self::Open | Self::AnyToken => ScopeSet::of(&[]),
            Self::OneOf(scopes) | Self::AtHello(scopes) => scopes,
            Self::ByConversation { group, chat } => ScopeSet::of(&[group, chat]),
        }
    }

    /// The scopes of which this request needs one.
    fn needed(self, request: &HttpRequest) -> ScopeSet {
        match self {
            Self::ByConversation { group, chat } => {
                ScopeSet::of(&[if names_chat(request) { chat } else { group }])
            }
            Self::Open | Self::AnyToken | Self::OneOf(_) | Self::AtHello(_) => self.scopes(),
        }
    }
}

/// Whether the path of a request names a chat: two ids with a plus sign, which may be encoded.
fn names_chat(request: &HttpRequest) -> bool {
    let name = request.match_info().get("conversation").unwrap_or_default();
    name.contains('+') || name.to_ascii_lowercase().contains("%2b")
}

/// No token of a user is needed.
pub(super) const OPEN: RouteAccess = RouteAccess::Open;
/// Any token will do.
pub(super) const ANY_TOKEN: RouteAccess = RouteAccess::AnyToken;
/// `profile:read`
pub(super) const PROFILE_READ: RouteAccess = RouteAccess::scope(Scope::ProfileRead);
/// `profile:write`
pub(super) const PROFILE_WRITE: RouteAccess = RouteAccess::scope(Scope::ProfileWrite);
/// `groups:read`
pub(super) const GROUPS_READ: RouteAccess = RouteAccess::scope(Scope::GroupsRead);
/// `groups:write`
pub(super) const GROUPS_WRITE: RouteAccess = RouteAccess::scope(Scope::GroupsWrite);
/// `groups:manage`
pub(super) const GROUPS_MANAGE: RouteAccess = RouteAccess::scope(Scope::GroupsManage);
/// `groups:write` for the own membership, `groups:manage` for those of others.
pub(super) const MEMBERSHIP: RouteAccess =
    RouteAccess::OneOf(ScopeSet::of(&[Scope::GroupsWrite, Scope::GroupsManage]));
/// `messages:read`
pub(super) const MESSAGES_READ: RouteAccess = RouteAccess::scope(Scope::MessagesRead);
/// `messages:write`
pub(super) const MESSAGES_WRITE: RouteAccess = RouteAccess::scope(Scope::MessagesWrite);
/// `dms:read`
pub(super) const DMS_READ: RouteAccess = RouteAccess::scope(Scope::DmsRead);
/// `dms:write`
pub(super) const DMS_WRITE: RouteAccess = RouteAccess::scope(Scope::DmsWrite);
/// `messages:read` or `dms:read`; the response has what the scopes show.
pub(super) const EITHER_READ: RouteAccess = RouteAccess::OneOf(SHOWN_SCOPES);
/// `messages:write` or `dms:write`; the request changes what the scopes allow.
pub(super) const EITHER_WRITE: RouteAccess =
    RouteAccess::OneOf(ScopeSet::of(&[Scope::MessagesWrite, Scope::DmsWrite]));
/// `messages:read` for a group, `dms:read` for a chat.
pub(super) const THERE_READ: RouteAccess =
    RouteAccess::ByConversation { group: Scope::MessagesRead, chat: Scope::DmsRead };
/// `messages:write` for a group, `dms:write` for a chat.
pub(super) const THERE_WRITE: RouteAccess =
    RouteAccess::ByConversation { group: Scope::MessagesWrite, chat: Scope::DmsWrite };
/// `messages:read` or `dms:read`, of the token in the first message of a push protocol.
pub(super) const AT_HELLO: RouteAccess = RouteAccess::AtHello(SHOWN_SCOPES);
/// `bots`
pub(super) const BOTS: RouteAccess = RouteAccess::scope(Scope::Bots);
/// `notices`
pub(super) const NOTICES: RouteAccess = RouteAccess::scope(Scope::Notices);
/// `account`
pub(super) const ACCOUNT: RouteAccess = RouteAccess::scope(Scope::Account);
/// `admin:read`
pub(super) const ADMIN_READ: RouteAccess = RouteAccess::scope(Scope::AdminRead);
/// `admin:moderate`
pub(super) const ADMIN_MODERATE: RouteAccess = RouteAccess::scope(Scope::AdminModerate);
/// `admin:write`
pub(super) const ADMIN_WRITE: RouteAccess = RouteAccess::scope(Scope::AdminWrite);

/// `scim`
pub(super) const SCIM: RouteAccess = RouteAccess::scope(Scope::Scim);

/// What a route needs of a caller.
#[derive(Debug, Clone)]
pub(super) struct RouteRule {
    /// The method.
    pub(super) method: Method,
    /// What it needs of the token.
    pub(super) access: RouteAccess,
    /// The act that the kind of the account must allow, if not every account may use the route.
    pub(super) act: Option<AccountAct>,
}

/// What the routes of one path need.
#[derive(Debug, Clone, Default)]
pub(super) struct PathAccess(pub(super) SmallVec<[RouteRule; 2]>);

impl PathAccess {
    /// What a request needs. HEAD needs what GET does.
    fn of(&self, request: &HttpRequest) -> Option<&RouteRule> {
        let named = |method: &Method| self.0.iter().find(|rule| rule.method == *method);
        let is_head = *request.method() == Method::HEAD;
        named(request.method()).or_else(|| is_head.then(|| named(&Method::GET)).flatten())
    }
}

/// Checks that the token of a caller has the scope that the route needs, and that the kind of the
/// account may use the route.
///
/// # Errors
/// 403 if not. The 404 of a path that does not exist if the route is one of operators and
/// the caller is none; and the error of a route for log-ins, to a token of an application.
pub(super) async fn permit(
    app: &AppState,
    caller: &TokenOwner,
    request: &HttpRequest,
) -> Result<(), ApiError> {
    let rule = request.app_data::<PathAccess>().and_then(|path| path.of(request));
    let rule = rule.ok_or_else(|| ApiError::fault(&"the route names no scope"))?;
    let needed = rule.access.needed(request);
    if needed.is_empty() || caller.scopes.has_any_of(needed) {
        return match rule.act {
            Some(act) => guests::permit(app, caller.user, act).await,
            None => Ok(()),
        };
    }
    if needed.has(Scope::Account) && caller.client.is_some() {
        return Err(ApiError::needs_log_in());
    }
    if needed.has_any_of(ScopeSet::OPERATOR) {
        let is_log_in = caller.client.is_none();
        if !is_log_in || app.operators.role_of(caller.user).await?.is_none() {
            return Err(ApiError::no_such_path());
        }
    }
    Err(lacking(caller, needed))
}

/// Checks that the token of a caller has the scope for an act on the membership of this user.
///
/// # Errors
/// 403 if it is somebody else's membership and the token does not manage groups.
pub(super) fn permit_membership(caller: &TokenOwner, user: UserId) -> Result<(), ApiError> {
    if user == caller.user || caller.scopes.has(Scope::GroupsManage) {
        return Ok(());
    }
    Err(lacking(caller, ScopeSet::of(&[Scope::GroupsManage])))
}

/// Checks that the token of a caller shows what is in this conversation, which the path does not
/// name.
///
/// # Errors
/// 403 if it does not.
pub(super) fn permit_reading(
    caller: &TokenOwner,
    conversation: Conversation,
) -> Result<(), ApiError> {
    if caller.scopes.reads(conversation) {
        return Ok(());
    }
    let needed = match conversation {
        Conversation::Group(_) => Scope::MessagesRead,
        Conversation::Chat(_) => Scope::DmsRead,
    };
    Err(lacking(caller, ScopeSet::of(&[needed])))
}

/// Checks that the token of a caller writes in this conversation, which the path does not name.
///
/// # Errors
/// 403 if it does not.
pub(super) fn permit_writing(
    caller: &TokenOwner,
    conversation: Conversation,
) -> Result<(), ApiError> {
    if caller.scopes.writes(conversation) {
        return Ok(());
    }
    let needed = match conversation {
        Conversation::Group(_) => Scope::MessagesWrite,
        Conversation::Chat(_) => Scope::DmsWrite,
    };
    Err(lacking(caller, ScopeSet::of(&[needed])))
}

/// The refusal of a caller whose token has none of these scopes.
fn lacking(caller: &TokenOwner, needed: ScopeSet) -> ApiError {
    if caller.lacks_factor { ApiError::needs_factor() } else { ApiError::lacks(needed) }
}

impl ApiError {
    /// 403: the token has none of these scopes (RFC 6750, section 3.1).
    pub(super) fn lacks(needed: ScopeSet) -> Self {
        let reason = format!("this token lacks {}", needed.names().join(" or "));
        let challenge = format!("{CHALLENGE}, error=\"insufficient_scope\", scope=\"{needed}\"");
        Self::new(StatusCode::FORBIDDEN, reason).with_header(WWW_AUTHENTICATE, challenge)
    }
}
