//! Switches off a bot whose listener answered that it is gone, and tells the bot's creator.
//!
//! The server writes as an account of its own, so the note is an ordinary direct message: it
//! arrives on every client, can be read again and can be blocked.

use crate::actors::ask::Failure;
use crate::actors::chat::protocol::WriteMessage;
use crate::actors::directory::Directory;
use crate::actors::group::protocol::DisableBot;
use crate::actors::user::protocol::{AdmitSender, Register, ViewUser};
use crate::domain::attachment::AddressForm;
use crate::domain::chat::Sender;
use crate::domain::group::Bot;
use crate::domain::ids::{GroupId, Pair, UserId};
use crate::domain::message::NewMessage;
use crate::domain::text::{Email, MessageText, SourceGuid, UserName};
use crate::domain::time::Monotonic;
use crate::domain::user::Profile;
use crate::random::random;

/// The wait before a group whose room failed is asked again.
const AGAIN: std::time::Duration = std::time::Duration::from_secs(1);
/// The server's own account: its number is below those that users get.
const OURSELVES: UserId = UserId::new(1);
const NAME: &str = "Coterie";
/// An address with which nobody can log in: the domain is reserved (RFC 2606).
const EMAIL: &str = "coterie@server.invalid";

/// Switches a bot off and tells its creator why. Retries until the room answers.
pub(super) async fn switch_off(directory: Directory, group: GroupId, bot: Bot) {
    loop {
        match directory.ask(group, DisableBot { bot: bot.clone() }).await {
            // The bot has another callback URL by now and stays on.
            Ok(now) if now.active => return,
            Ok(_) => break,
            // The bot was removed meanwhile.
            Err(Failure::Refused(_)) => return,
            Err(Failure::Fault(fault)) => {
                tracing::warn!(
                    bot.number = %bot.number, %fault,
                    "switching off a bot failed; retrying"
                );
                tokio::time::sleep(AGAIN).await;
            }
        }
    }
    let why = format!(
        "Your bot \u{201c}{}\u{201d} was switched off: its callback URL answered 410 Gone. \
         Switch it on again on its page (Account, Bots), or with POST /v3/bots/<bot_id>/update \
         and active set to true.",
        bot.name.as_str()
    );
    if tell(&directory, bot.creator, &why).await.is_none() {
        tracing::warn!(
            user.id = %bot.creator,
            "notifying the creator of a switched-off bot failed"
        );
    }
}

/// Writes a direct message; `None` if that fails or the recipient does not want it.
async fn tell(directory: &Directory, to: UserId, text: &str) -> Option<()> {
    let sender = ourselves(directory).await?;
    directory.ask(to, AdmitSender { from: OURSELVES }).await.ok()?;
    let text: String = text.chars().take(crate::domain::limits::MESSAGE_CHARS).collect();
    let guid = u128::from_be_bytes(random());
    let message = NewMessage {
        source_guid: SourceGuid::parse(format!("{guid:032x}")).ok()?,
        text: Some(MessageText::parse(text).ok()?),
        attachments: Vec::new(),
        form: AddressForm::Specified,
        here: Vec::new(),
    };
    directory.ask(Pair::of(OURSELVES, to)?, WriteMessage { sender, message }).await.ok()?;
    Some(())
}

/// The server's own account, registered when it is first needed.
async fn ourselves(directory: &Directory) -> Option<Sender> {
    let known = directory.ask(OURSELVES, ViewUser).await;
    let user = match known {
        Ok(user) => user,
        Err(Failure::Refused(_)) => register(directory).await?,
        Err(Failure::Fault(_)) => return None,
    };
    let (name, image) = (user.profile.name.clone(), user.profile.image.clone());
    Some(Sender { id: OURSELVES, name, image })
}

async fn register(directory: &Directory) -> Option<std::sync::Arc<crate::domain::user::User>> {
    let profile = Profile {
        name: UserName::parse(NAME.to_owned()).ok()?,
        email: Email::parse(EMAIL).ok()?,
        phone: None,
        image: None,
        zip_code: None,
    };
    // Without a token, and no password matches an empty hash. Nobody else can register the address,
    // so it needs no claim.
    let until = Monotonic::from_millis(u64::MAX);
    let register = Register { until, profile, password: String::new(), token: None, note: None };
    directory.ask(OURSELVES, register).await.ok()
}
