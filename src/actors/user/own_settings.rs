//! A user's own settings: the question that changes them, and its handling in the room.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Question};
use crate::user::UserActor;
use crate::user::protocol::UserRefusal;
use domain::mail::MailLanguage;
use domain::user::{OwnChoices, OwnSettingsChange};

/// Changes settings of a user. Sent by `http::own_settings`; answered, once they are on disk, with
/// all that the user chose.
#[derive(Debug)]
pub struct ChangeOwnSettings {
    /// The settings that change.
    pub change: OwnSettingsChange,
    /// The language of the request.
    pub language: Option<MailLanguage>,
}

impl Question for ChangeOwnSettings {
    type Answer = OwnChoices;
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

impl Answers<ChangeOwnSettings> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<ChangeOwnSettings> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<ChangeOwnSettings>, ctx: &mut Context<Self>) {
        self.record_for_account(ask, ctx, UserRefusal::Unknown, |user, question, _| {
            let ChangeOwnSettings { change, language } = question;
            Ok(user.change_settings(change, language))
        });
    }
}
