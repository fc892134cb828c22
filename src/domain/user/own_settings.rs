//! A user's own settings, which nobody else sees.

use crate::email_notices::EmailNotices;
use crate::event::Decision;
use crate::mail::MailLanguage;
use crate::message_requests::DmFrom;
use crate::user::User;

/// What a user chose; `None` for the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnChoices {
    /// When mails about missed messages are sent.
    pub email_notices: Option<EmailNotices>,
    /// From whom direct messages are taken.
    pub dm_from: Option<DmFrom>,
}

/// A change of settings: the new choice of each one that changes, `None` in it for the default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OwnSettingsChange {
    /// When mails about missed messages are sent.
    pub email_notices: Option<Option<EmailNotices>>,
    /// From whom direct messages are taken.
    pub dm_from: Option<Option<DmFrom>>,
}

impl User {
    /// What this user chose.
    pub fn choices(&self) -> OwnChoices {
        OwnChoices { email_notices: self.mailbox.notices.choice, dm_from: self.dm_rules.choice }
    }

    /// Changes settings. `language`: the language of mails, as the request named it. Decides nothing
    /// if all are as wanted already.
    pub fn change_settings(
        &self,
        change: OwnSettingsChange,
        language: Option<MailLanguage>,
    ) -> Decision<OwnChoices> {
        let OwnSettingsChange { email_notices, dm_from } = change;
        let mails = email_notices.map(|choice| self.choose_email_notices(choice, language).facts);
        let messages = dm_from.map(|choice| self.choose_dm_from(choice).facts);
        let now = self.choices();
        let answer = OwnChoices {
            email_notices: email_notices.unwrap_or(now.email_notices),
            dm_from: dm_from.unwrap_or(now.dm_from),
        };
        let facts = mails.into_iter().chain(messages).flatten().collect();
        Decision { facts, answer }
    }
}
