//! Signed links in requests and responses: the query that names who may use a link, until when, and
//! the signature.

use actix_web::http::StatusCode;

use crate::http::app_state::AppState;
use crate::http::body::Query;
use crate::http::caller::Caller;
use crate::http::error::ApiError;
use domain::ids::{TokenId, UserId};
use media::files::links::{Grant, LINK_SECONDS, LinkTarget};
use wire::fields::{Fields, Problems};

/// The right of a caller to use a link for an hour.
pub(super) fn grant(app: &AppState, caller: &Caller) -> Grant {
    let expires = app.clock.now().wall.seconds() + LINK_SECONDS;
    Grant { user: caller.user, token: caller.token, expires }
}

/// The query of a link to this target.
pub(super) fn query(app: &AppState, target: &LinkTarget, grant: Grant) -> String {
    let Grant { user, token, expires } = grant;
    let signature = app.files.link_key.sign(target, grant);
    format!("user_id={user}&token_id={token}&expires_at={expires}&signature={signature}")
}

/// The query of a link; a part that cannot be parsed is `None`.
pub(super) struct LinkQuery {
    signature: String,
    user: Option<UserId>,
    token: Option<TokenId>,
    expires: Option<u64>,
}

impl LinkQuery {
    /// Reads the query; `None` if it has no signature.
    pub(super) fn of(query: &Query) -> Option<Self> {
        let mut problems = Problems::default();
        let mut fields = Fields::of(&query.0, &mut problems);
        let signature = fields.text("signature")?;
        let user = fields.id("user_id");
        let token = fields.text("token_id").and_then(|it| it.parse().ok());
        let expires = fields.text("expires_at").and_then(|it| it.parse().ok());
        Some(Self { signature, user, token, expires })
    }

    /// The user for whom a link to this target was signed, while the token that made it is valid.
    ///
    /// # Errors
    /// 403 if the link expired or was changed.
    pub(super) async fn user(
        self,
        app: &AppState,
        target: Option<LinkTarget>,
    ) -> Result<UserId, ApiError> {
        let target = target.ok_or_else(refused)?;
        let user = self.user.ok_or_else(refused)?;
        let token = self.token.ok_or_else(refused)?;
        let expires = self.expires.ok_or_else(refused)?;
        let grant = Grant { user, token, expires };
        let is_signed = app.files.link_key.signed(&target, grant, &self.signature);
        if !is_signed || app.clock.now().wall.seconds() >= expires {
            return Err(refused());
        }
        let tokens = app.directory.context().accounts.tokens(user).await?;
        let made_by = tokens.into_iter().find(|it| it.id == token).ok_or_else(refused)?;
        if app.keyring.opens(&made_by.hash).await? { Ok(user) } else { Err(refused()) }
    }
}

/// The refusal of a link that is not valid.
pub(super) fn refused() -> ApiError {
    ApiError::new(StatusCode::FORBIDDEN, "the link expired or was changed")
}
