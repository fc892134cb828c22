//! SMS through a gateway with Twilio's API: a form, posted with basic authentication. Without a
//! gateway, messages are written to the log instead.

use std::sync::Arc;

use actix_web::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;

use crate::Undelivered;
use base::bounds::turns::Owner;
use base::clock::Clock;
use domain::text::Phone;
use outgoing::Outgoing;

/// Characters sent as one message; the gateway splits it into SMS segments (Twilio's limit for
/// `Body`).
const TEXT_CHARS: usize = 1600;

/// The SMS gateway.
#[derive(Clone)]
pub enum Gateway {
    /// To the log only.
    Log,
    /// To a gateway.
    Http(Box<GatewayAccount>),
}

/// An account with a gateway.
#[derive(Clone)]
pub struct GatewayAccount {
    /// The HTTP client. The operator chose the gateway, so its address is not guarded.
    pub outgoing: Outgoing,
    /// The clock against which the gateway's dates are read.
    pub clock: Arc<dyn Clock>,
    /// The URL to which messages are posted.
    pub url: String,
    /// The user name of the account.
    pub account: String,
    /// The password of the account.
    pub secret: String,
    /// The number that messages come from.
    pub from: String,
}

impl GatewayAccount {
    /// The URL to which an account posts its messages: `url` itself, or Twilio's path below it if
    /// `url` names only a host.
    pub fn messages_url(url: &str, account: &str) -> String {
        let host = url.split_once("://").map_or(url, |(_, rest)| rest);
        let is_bare = host.trim_end_matches('/').find('/').is_none();
        if is_bare {
            let url = url.trim_end_matches('/');
            format!("{url}/2010-04-01/Accounts/{account}/Messages.json")
        } else {
            url.to_owned()
        }
    }
}

impl Gateway {
    /// Sends one SMS.
    ///
    /// # Errors
    /// If the gateway does not accept it.
    pub async fn send(&self, to: &Phone, text: &str) -> Result<(), Undelivered> {
        match self {
            Self::Log => {
                tracing::info!("sms to={} text={text}", to.dialled());
                Ok(())
            }
            Self::Http(account) => account.send(to, text).await,
        }
    }
}

impl GatewayAccount {
    async fn send(&self, to: &Phone, text: &str) -> Result<(), Undelivered> {
        let text: String = text.chars().take(TEXT_CHARS).collect();
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("To", &to.dialled());
        form.append_pair("From", &self.from);
        form.append_pair("Body", &text);
        let body = Bytes::from(form.finish());
        let credentials = STANDARD.encode(format!("{}:{}", self.account, self.secret));
        let credentials = HeaderValue::try_from(format!("Basic {credentials}"))
            .map_err(|error| Undelivered::Never(error.to_string()))?;
        let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
        let headers = vec![(AUTHORIZATION, credentials), (CONTENT_TYPE, kind)];
        let answer = self.outgoing.post(Owner::Server, &self.url, headers, body).await?;
        let status = answer.status;
        if status.is_success() {
            return Ok(());
        }
        let said: String = String::from_utf8_lossy(&answer.body).chars().take(300).collect();
        let why = format!("the SMS gateway answered {status}: {said}");
        if status.as_u16() == 429 || status.is_server_error() {
            return Err(Undelivered::Later {
                why,
                after: answer.retry_after(self.clock.now().wall),
            });
        }
        Err(Undelivered::Never(why))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_host_is_taken_for_one_like_twilio() {
        let whole = "https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json";
        assert_eq!(GatewayAccount::messages_url("https://api.twilio.com", "AC1"), whole);
        assert_eq!(GatewayAccount::messages_url("https://api.twilio.com/", "AC1"), whole);
        assert_eq!(GatewayAccount::messages_url("http://[::1]:9/sms", "AC1"), "http://[::1]:9/sms");
    }
}
