//! The clients with which the server reaches others, as its options say.

use std::sync::Arc;

use crate::bounds::places::Places;
use crate::clock::Clock;
use crate::config::Options;
use crate::core_services::CoreServices;
use crate::data_dir::DataDir;
use crate::notify::mail::MailServer;
use crate::notify::sms::{Gateway, GatewayAccount};
use crate::notify::vapid::VapidKey;
use crate::notify::web_push::WebPush;
use crate::outgoing::Outgoing;
use crate::outgoing::network::Network;
use crate::start_error::StartError;
use crate::surroundings::Surroundings;

/// Makes the client for requests that leave the server. Logs that local mode opens loopback
/// addresses: an operator who puts such a server behind a tunnel has to know.
pub(crate) fn outgoing(
    options: &Options,
    surroundings: &Surroundings,
    places: &Places,
) -> Outgoing {
    if options.callback_allow.is_none() && options.is_local() {
        tracing::info!(
            "local mode: callbacks and image imports may reach the loopback addresses of this \
             machine; forbid it with --callback-allow none"
        );
    }
    let resolver = Arc::clone(&surroundings.resolver);
    let outgoing = Outgoing::new(options.open_networks(), resolver, places);
    match surroundings.callback_time {
        Some(time) => outgoing.posting_within(time),
        None => outgoing,
    }
}

/// Makes the client that sends notices to browsers, with the key that push services know.
pub(crate) fn web_push(
    data: &DataDir,
    outgoing: Outgoing,
    services: &CoreServices,
) -> Result<WebPush, StartError> {
    let path = data.vapid_key();
    let key = VapidKey::read_or_make(&path)
        .map_err(|error| StartError::System(format!("{}: {error}", path.display())))?;
    let contact = services.instance.public_url().to_owned();
    Ok(WebPush { outgoing, key, contact, clock: Arc::clone(&services.clock) })
}

/// Makes the mail server's client; `None` if the server sends no mail.
///
/// # Errors
/// If the certificates of `--mail-ca` cannot be used; the reason.
pub(crate) fn mail_server(options: &Options) -> Result<Option<MailServer>, String> {
    let (Some(url), Some(sender)) = (&options.smtp_url, &options.mail_from) else {
        return Ok(None);
    };
    let authorities = options
        .mail_ca
        .as_ref()
        .map(|path| std::fs::read(path).map_err(|error| format!("{}: {error}", path.display())));
    let authorities = authorities.transpose()?;
    MailServer::new(url, sender, authorities.as_deref()).map(Some)
}

/// Makes the SMS gateway. The options are set together or not at all; without them, SMS are logged.
pub(crate) fn gateway(options: &Options, outgoing: &Outgoing, clock: &Arc<dyn Clock>) -> Gateway {
    let (Some(url), Some(account), Some(secret), Some(from)) =
        (&options.sms_url, &options.sms_account, &options.sms_secret, &options.sms_from)
    else {
        return Gateway::Log;
    };
    Gateway::Http(Box::new(GatewayAccount {
        outgoing: outgoing.reaching(Network::all()),
        clock: Arc::clone(clock),
        url: GatewayAccount::messages_url(&url.0, account),
        account: account.clone(),
        secret: secret.clone(),
        from: from.clone(),
    }))
}
