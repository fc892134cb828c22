//! The names of users and groups, as far as the journal was read.

use std::collections::HashMap;

use crate::domain::event::Fact;
use crate::domain::group::GroupFact;
use crate::domain::ids::{GroupId, StreamId, UserId};
use crate::domain::user::UserFact;

/// The names of users and groups.
#[derive(Debug, Default)]
pub(super) struct AuditNames {
    emails: HashMap<UserId, String>,
    phones: HashMap<UserId, Option<String>>,
    groups: HashMap<GroupId, String>,
}

impl AuditNames {
    /// Takes over the names that a fact contains.
    pub(super) fn learn(&mut self, stream: StreamId, fact: &Fact) {
        match (stream, fact) {
            (StreamId::User(id), Fact::User(fact)) => {
                if let UserFact::Registered { profile, .. } | UserFact::ProfileChanged { profile } =
                    fact
                {
                    self.emails.insert(id, profile.email.as_str().to_owned());
                    let phone = profile.phone.as_ref().map(|phone| phone.as_str().to_owned());
                    self.phones.insert(id, phone);
                }
            }
            (StreamId::Group(id), Fact::Group(fact)) => {
                if let GroupFact::Created { settings, .. }
                | GroupFact::SettingsChanged { settings, .. } = fact
                {
                    self.groups.insert(id, settings.name.as_str().to_owned());
                }
            }
            (
                StreamId::User(_)
                | StreamId::Group(_)
                | StreamId::Chat(_)
                | StreamId::Callbacks
                | StreamId::Audit
                | StreamId::Name(_),
                Fact::User(_)
                | Fact::Group(_)
                | Fact::Chat(_)
                | Fact::Answered(_)
                | Fact::AlarmSettled(_)
                | Fact::Callback(_)
                | Fact::Audit(_)
                | Fact::Name(_),
            ) => {}
        }
    }

    /// Whether a fact changes the email address or the phone number of its user. To be called
    /// before the fact is learned.
    pub(super) fn change_contacts(&self, user: UserId, fact: &UserFact) -> bool {
        let UserFact::ProfileChanged { profile } = fact else { return false };
        let phone = profile.phone.as_ref().map(|phone| phone.as_str());
        let known_phone = self.phones.get(&user).and_then(|phone| phone.as_deref());
        self.email(user) != Some(profile.email.as_str()) || known_phone != phone
    }

    /// The email address with which a user logs in.
    pub(super) fn email(&self, user: UserId) -> Option<&str> {
        self.emails.get(&user).map(String::as_str)
    }

    /// Formats a user for a line: email address and id.
    pub(super) fn user(&self, user: UserId) -> String {
        self.email(user).map_or_else(|| format!("user {user}"), |email| format!("{email} ({user})"))
    }

    /// Formats a group for a line: name and id.
    pub(super) fn group(&self, group: GroupId) -> String {
        match self.groups.get(&group) {
            Some(name) => format!("{name:?} ({group})"),
            None => format!("group {group}"),
        }
    }
}
