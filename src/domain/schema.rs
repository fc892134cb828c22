//! Schemas of validated texts, with their limits, for the documents of the API.

use schemars::{Schema, json_schema};

use crate::bot_event::BotEvent;
use crate::callback::DeliveryState;
use crate::limits;
use crate::text::{
    CallbackUrl, Description, Email, GroupName, MessageText, Nickname, Phone, SourceGuid, UserName,
};
use crate::user::{ApplicationName, RedirectUrl};

/// Implements `schemars::JsonSchema` for types by a given schema, which is inlined wherever the type
/// is used: `described! { Type, "Name", schema; }`.
#[macro_export]
macro_rules! described {
    ($($type:ty, $name:literal, $schema:expr;)*) => { $(
        impl ::schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed($name)
            }

            fn json_schema(_: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                $schema
            }
        }
    )* };
}

/// Text of 1 to `most` characters.
fn words(most: usize) -> Schema {
    json_schema!({"type": "string", "minLength": 1, "maxLength": most})
}

described! {
    MessageText, "MessageText", words(limits::MESSAGE_CHARS);
    GroupName, "GroupName", words(limits::GROUP_NAME_CHARS);
    Description, "Description", words(limits::DESCRIPTION_CHARS);
    Nickname, "Nickname", words(limits::NICKNAME_CHARS);
    UserName, "UserName", words(limits::USER_NAME_CHARS);
    SourceGuid, "SourceGuid", words(limits::GUID_CHARS);
    Email, "Email", words(limits::EMAIL_CHARS);
    Phone, "Phone", json_schema!({"type": "string"});
    CallbackUrl, "CallbackUrl", words(limits::CALLBACK_URL_CHARS);
    ApplicationName, "ApplicationName", words(limits::APPLICATION_NAME_CHARS);
    RedirectUrl, "RedirectUrl", words(limits::CALLBACK_URL_CHARS);
    BotEvent, "BotEvent", json_schema!({"enum": BotEvent::ALL.map(BotEvent::as_str)});
    DeliveryState, "DeliveryState", json_schema!({"enum": DeliveryState::ALL.map(DeliveryState::name)});
}
