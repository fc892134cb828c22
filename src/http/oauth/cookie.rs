//! The server's only cookie, which identifies a browser on the OAuth page. No API call reads it.

use actix_web::HttpRequest;
use actix_web::http::header::COOKIE;

use crate::http::app_state::AppState;
use auth::browser_sessions::BrowserId;

/// The cookie's name. Over https it has the prefix that keeps other hosts of the domain from
/// setting it (RFC 6265bis, section 4.1.3).
fn name(app: &AppState) -> &'static str {
    if is_secure(app) { "__Host-coterie_page" } else { "coterie_page" }
}

fn is_secure(app: &AppState) -> bool {
    app.instance.public_url().starts_with("https://")
}

/// The browser that sent a request, if it has a valid cookie.
pub(super) fn read(app: &AppState, request: &HttpRequest) -> Option<BrowserId> {
    let wanted = name(app);
    let headers = request.headers().get_all(COOKIE).filter_map(|it| it.to_str().ok());
    let mut pairs = headers.flat_map(|it| it.split(';')).filter_map(|it| it.trim().split_once('='));
    pairs.find(|(name, _)| *name == wanted).and_then(|(_, value)| BrowserId::parse(value))
}

/// The value of the `Set-Cookie` header. `Lax`, not `Strict`: users come here by a link of the
/// application, and would have to log in each time.
pub(super) fn write(app: &AppState, browser: &BrowserId) -> String {
    let secure = if is_secure(app) { "; Secure" } else { "" };
    format!("{}={}; Path=/; HttpOnly; SameSite=Lax{secure}", name(app), browser.reveal())
}
