//! Switching off a bot whose listener said that it is gone, and telling its creator.
//!
//! The server writes as an account of its own, so that the note is a direct message like
//! any other: it arrives on every client, can be read again and can be blocked.

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

/// How long a group that has trouble is left alone.
const AGAIN: std::time::Duration = std::time::Duration::from_secs(1);
/// The server's own account: below every number that people get.
const OURSELVES: UserId = UserId::new(1);
const NAME: &str = "Coterie";
/// A name that nobody can log in with: the domain is reserved (RFC 2606).
const EMAIL: &str = "coterie@server.invalid";

/// Switches the bot off and tells its creator why.
pub(super) async fn switch_off(directory: Directory, group: GroupId, bot: Bot) {
    loop {
        match directory.ask(group, DisableBot { bot: bot.clone() }).await {
            // It is called elsewhere by now.
            Ok(now) if now.active => return,
            Ok(_) => break,
            // It was removed meanwhile.
            Err(Failure::Refused(_)) => return,
            Err(Failure::Fault(fault)) => {
                tracing::warn!(bot.number = %bot.number, %fault, "a bot is not switched off yet");
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
        tracing::warn!(user.id = %bot.creator, "a creator could not be told of their bot's end");
    }
}

/// Writes a direct message; `None` when it cannot be written or is not wanted.
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

/// The server's own account, made when it is needed for the first time.
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
    // No token, and no password fits an empty hash.
    // An address that nobody can register: it needs no claim.
    let until = Monotonic::from_millis(u64::MAX);
    let register = Register { until, profile, password: String::new(), token: None };
    directory.ask(OURSELVES, register).await.ok()
}
