//! The HTML of the OAuth page. It works without scripts, but for the log-in with a passkey, and looks
//! like the web client.

use crate::http::oauth::request::{AuthorizationRequest, RequestError, WantedScopes};
use auth::accounts::LoginAccount;
use auth::oidc::ProviderSettings;
use domain::scopes::Scope;

/// The HTML around the content.
const FRAME: &str = include_str!("page.html");

/// Escapes text for HTML, also inside attributes.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            sign => safe.push(sign),
        }
    }
    safe
}

fn framed(title: &str, content: &str) -> String {
    // The title is replaced before the content is added, since the content may contain text that
    // looks like a placeholder.
    let (before, after) = FRAME.split_once("{content}").unwrap_or((FRAME, ""));
    format!("{}{content}{after}", before.replace("{title}", &escaped(title)))
}

/// An error message, visible and announced by screen readers.
fn alert(problem: Option<&str>) -> String {
    problem.map_or_else(String::new, |problem| {
        format!("<p class=\"alert\" role=\"alert\">{}</p>", escaped(problem))
    })
}

/// The beginning of a form that is sent to the same address.
fn form(authorization: &AuthorizationRequest, csrf_token: &str) -> String {
    format!(
        "<form class=\"sign-in-form\" id=\"decision\" method=\"post\" action=\"?{}\">\
         <input type=\"hidden\" name=\"seal\" value=\"{}\">",
        escaped(&authorization.query),
        escaped(csrf_token),
    )
}

/// Ways to log in beside email and password.
#[derive(Clone, Copy)]
pub(super) struct OtherWays<'app> {
    /// The provider, if there is one.
    pub(super) provider: Option<&'app ProviderSettings>,
    /// Whether people have passkeys of this server.
    pub(super) passkeys: bool,
}

/// The form that logs in with a passkey. The script shows it in a browser that has passkeys, and fills
/// it in.
fn by_passkey(authorization: &AuthorizationRequest, csrf_token: &str) -> String {
    format!(
        "<form class=\"sign-in-form\" id=\"by-passkey\" method=\"post\" action=\"?{query}\" hidden>\
         <input type=\"hidden\" name=\"seal\" value=\"{seal}\">\
         <input type=\"hidden\" name=\"passkey\" value=\"\">\
         <button class=\"button button-wide\" name=\"act\" value=\"passkey\">\
         Log in with a passkey</button><p class=\"alert\" role=\"alert\"></p></form>\
         <script type=\"module\" src=\"/js/consent.js\"></script>",
        query = escaped(&authorization.query),
        seal = escaped(csrf_token),
    )
}

/// The page that asks for email and password. `email` is what was entered before.
pub(super) fn log_in(
    authorization: &AuthorizationRequest,
    csrf_token: &str,
    email: &str,
    problem: Option<&str>,
    ways: OtherWays<'_>,
) -> String {
    let by_passkey = match ways.passkeys {
        true => by_passkey(authorization, csrf_token),
        false => String::new(),
    };
    let by_provider = ways.provider.map_or_else(String::new, |provider| {
        let back = format!("/oauth/authorize?{}", authorization.query);
        let back: String = form_urlencoded::byte_serialize(back.as_bytes()).collect();
        format!(
            "<p><a class=\"button button-wide\" href=\"/auth/oidc/{id}/start?return={back}\">\
             Log in with {name}</a></p>",
            id = escaped(&provider.id),
            name = escaped(&provider.name),
        )
    });
    let content = format!(
        "<p>to continue to <strong>{application}</strong></p>{alert}{form}\
         <div class=\"field\"><label class=\"label\" for=\"email\">Email</label>\
         <input class=\"input\" id=\"email\" name=\"email\" type=\"email\" value=\"{email}\" \
         autocomplete=\"username\" required autofocus></div>\
         <div class=\"field\"><label class=\"label\" for=\"password\">Password</label>\
         <input class=\"input\" id=\"password\" name=\"password\" type=\"password\" \
         autocomplete=\"current-password\" required></div>\
         <button class=\"button button-primary button-wide\" name=\"act\" value=\"log-in\">\
         Log in</button></form>{by_passkey}{by_provider}\
         <p class=\"sign-in-other\"><a href=\"/#/recover\" target=\"_blank\" rel=\"noopener\">\
         Forgot your password?</a></p>\
         <p class=\"sign-in-other\">New here? <a href=\"/\" target=\"_blank\" rel=\"noopener\">\
         Create an account</a>, then come back to this page.</p>",
        application = escaped(authorization.application.name.as_str()),
        alert = alert(problem),
        form = form(authorization, csrf_token),
        email = escaped(email),
    );
    framed("Log in", &content)
}

/// The page that asks for the one-time code of a log-in whose password was right.
pub(super) fn verify(
    authorization: &AuthorizationRequest,
    csrf_token: &str,
    verification: &str,
    problem: Option<&str>,
) -> String {
    let content = format!(
        "<p>to continue to <strong>{application}</strong></p>{alert}{form}\
         <input type=\"hidden\" name=\"verification\" value=\"{verification}\">\
         <div class=\"field\"><label class=\"label\" for=\"code\">Code</label>\
         <input class=\"input\" id=\"code\" name=\"code\" autocomplete=\"one-time-code\" \
         autocapitalize=\"off\" spellcheck=\"false\" required autofocus>\
         <p class=\"hint\">The six digits of your authenticator app, or a recovery code.</p></div>\
         <button class=\"button button-primary button-wide\" name=\"act\" value=\"verify\">\
         Continue</button></form>",
        application = escaped(authorization.application.name.as_str()),
        alert = alert(problem),
        form = form(authorization, csrf_token),
        verification = escaped(verification),
    );
    framed("Enter your code", &content)
}

/// The name of the box that grants an optional scope.
pub(super) fn box_name(scope: Scope) -> String {
    format!("grant:{scope}")
}

/// The list of what an application could do. Boxes belong to the form of the page.
fn abilities(wanted: WantedScopes) -> String {
    let bullet = |words: &str| format!("<li>{}</li>", escaped(words));
    match wanted {
        WantedScopes::All { .. } => {
            let words = [
                "read your groups, chats and messages",
                "write and like in your name",
                "change your profile, your groups and your bots",
            ];
            format!("<ul class=\"bullets\">{}</ul>", words.map(bullet).concat())
        }
        WantedScopes::Named { required, optional } => {
            let required: String = required.iter().map(|it| bullet(it.sentence())).collect();
            let tick = |scope: Scope| {
                format!(
                    "<li><label><input type=\"checkbox\" form=\"decision\" name=\"{name}\" \
                     value=\"on\" checked> {words}</label></li>",
                    name = escaped(&box_name(scope)),
                    words = escaped(scope.sentence()),
                )
            };
            let optional: String = optional.iter().map(tick).collect();
            let optional = match optional.is_empty() {
                true => String::new(),
                false => {
                    format!("<p>You may leave these out:</p><ul class=\"bullets\">{optional}</ul>")
                }
            };
            format!("<ul class=\"bullets\">{required}</ul>{optional}")
        }
    }
}

/// The page that asks for consent.
pub(super) fn consent(
    authorization: &AuthorizationRequest,
    account: &LoginAccount,
    csrf_token: &str,
    problem: Option<&str>,
) -> String {
    let name = escaped(authorization.application.name.as_str());
    let content = format!(
        "{alert}<p>You are logged in as <strong>{user}</strong> ({email}).</p>\
         <p><strong>{name}</strong>, registered here by {owner}, asks to act for you. \
         It could:</p>{abilities}\
         <p>It cannot see or change your password and your sessions. You can revoke its access at \
         any time in your account.</p>\
         {form}\
         <button class=\"button button-primary button-wide\" name=\"act\" value=\"allow\">\
         Allow</button>\
         <button class=\"button button-wide\" name=\"act\" value=\"deny\">Deny</button>\
         <p class=\"sign-in-other\">Either way you continue to <code>{origin}</code>.</p>\
         <p class=\"sign-in-other\">\
         <button class=\"button-link\" name=\"act\" value=\"leave\">Use another account</button>\
         </p></form>",
        alert = alert(problem),
        user = escaped(account.name.as_str()),
        email = escaped(account.email.as_str()),
        owner = escaped(&authorization.owner),
        abilities = abilities(authorization.scopes),
        form = form(authorization, csrf_token),
        origin = escaped(authorization.application.callback_url.origin()),
    );
    framed(&format!("Allow {}?", authorization.application.name.as_str()), &content)
}

/// The page for a request that is not valid.
pub(super) fn invalid_request(invalid_request: &RequestError) -> String {
    let back = invalid_request.back.as_ref().map_or_else(String::new, |(url, name)| {
        format!("<p><a href=\"{}\">Go back to {}</a></p>", escaped(url), escaped(name))
    });
    let content = format!(
        "{alert}<p>This link is not valid. No access was given. \
         Please tell the makers of the application.</p>{back}",
        alert = alert(Some(&format!(
            "The request of the application is invalid: {}.",
            invalid_request.why
        ))),
    );
    framed("Invalid request", &content)
}

/// The page for a log-in through a provider that failed.
pub(super) fn failed_log_in(reason: &str) -> String {
    let mut sentence = format!("{reason}.");
    sentence.get_mut(..1).iter_mut().for_each(|first| first.make_ascii_uppercase());
    let back = "<p><a href=\"/\">Back to the page to log in</a></p>";
    framed("You are not logged in", &format!("{}{back}", alert(Some(&sentence))))
}

/// The page for a fault of the server.
pub(super) fn trouble() -> String {
    let problem = "The server is not available right now. Reload this page in a moment.";
    framed("Not available", &alert(Some(problem)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_text_is_escaped() {
        let shown = invalid_request(&RequestError {
            why: "<script>\"'&".to_owned(),
            back: Some(("https://a/?b=\"><i>".to_owned(), "<b>{title}".to_owned())),
        });
        assert!(shown.contains("&lt;script&gt;&quot;&#39;&amp;"));
        assert!(shown.contains("href=\"https://a/?b=&quot;&gt;&lt;i&gt;\""));
        assert!(shown.contains("Go back to &lt;b&gt;{title}"));
        let odd = framed("{content}", "<p>here</p>");
        assert_eq!(odd.matches("<p>here</p>").count(), 1);
        assert!(odd.contains("<h1 class=\"sign-in-title\">{content}</h1>"));
    }
}
