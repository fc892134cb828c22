//! Settings of the installation that admins change while it runs, and its other facts: those of the
//! stream `i:settings`, the same on every node.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::directory_groups::DirectoryGroupChange;
use crate::group::Rule;
use crate::ids::{DirectoryGroupId, ReportId, RuleId};
use crate::mail::OPERATOR_RECOVERY_MILLIS;
use crate::message_requests::DmFrom;
use crate::operators::OperatorRole;
use crate::operators::invitations::InvitationChange;
use crate::operators::reports::{OperatorFiling, OperatorResolution};
use crate::registration::RegistrationDomains;
use crate::required_factor::{FactorRequirement, RequiredFactor};
use crate::time::Timestamp;

mod changes;

/// A fact about the installation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum InstanceFact {
    /// The settings changed.
    SettingsChanged {
        /// All settings after the change.
        settings: PlaceSettings,
    },
    /// A group of a directory changed.
    DirectoryGroupChanged {
        /// The group.
        id: DirectoryGroupId,
        /// What changed.
        change: DirectoryGroupChange,
    },
    /// Somebody reported something to the operators.
    Reported(Box<OperatorFiling>),
    /// An operator resolved a report.
    ReportResolved {
        /// The report.
        report: ReportId,
        /// How it was resolved.
        resolution: OperatorResolution,
    },
    /// An operator made a rule, or replaced what it says.
    RuleSaved(Arc<Rule>),
    /// An operator deleted a rule.
    RuleDeleted {
        /// The rule.
        rule: RuleId,
    },
    /// Something happened to an invitation of the operators.
    InvitationChanged(InvitationChange),
}

/// Who may register an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SignUp {
    /// Anybody.
    Open,
    /// Nobody: operators create accounts.
    Closed,
    /// Who confirms an address of certain domains.
    Domain,
    /// Whom an operator approves.
    Approval,
    /// Who comes with an invitation of an operator, or with a link of a group.
    Invite,
}

impl SignUp {
    /// Every mode.
    pub const ALL: [Self; 5] =
        [Self::Open, Self::Closed, Self::Domain, Self::Approval, Self::Invite];

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
            Self::Domain => "domain",
            Self::Approval => "approval",
            Self::Invite => "invite",
        }
    }

    /// The mode with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == name)
    }
}

/// Who may log in with a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PasswordLogin {
    /// Everybody.
    On,
    /// Operators; all others use a provider or a passkey.
    Operators,
    /// Nobody, but for a day somebody for whom an operator made a recovery link.
    Off,
}

impl PasswordLogin {
    /// Every mode.
    pub const ALL: [Self; 3] = [Self::On, Self::Operators, Self::Off];

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Operators => "operators",
            Self::Off => "off",
        }
    }

    /// The mode with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == name)
    }

    /// Whether somebody may log in with a password. `recovered_at`: when it was set with a link that
    /// an operator made, which opens the account for a day whatever the mode.
    pub fn permits(
        self,
        role: Option<OperatorRole>,
        recovered_at: Option<Timestamp>,
        now: Timestamp,
    ) -> bool {
        let is_recovered =
            recovered_at.is_some_and(|at| now < at.plus_millis(OPERATOR_RECOVERY_MILLIS));
        match self {
            Self::On => true,
            Self::Operators => role.is_some() || is_recovered,
            Self::Off => is_recovered,
        }
    }
}

/// The settings; `None` where nobody set one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredSettings", into = "StoredSettings")]
pub struct PlaceSettings {
    /// The name of the place.
    pub name: Option<String>,
    /// Words of greeting for people who are not logged in.
    pub greeting: Option<String>,
    /// Whom people ask for help.
    pub contact: Option<String>,
    /// Who may register.
    pub sign_up: Option<SignUp>,
    /// Who may log in with a password.
    pub password_login: Option<PasswordLogin>,
    /// Whether there is a directory of searchable groups.
    pub directory: Option<bool>,
    /// Whether links make guests.
    pub guests: Option<bool>,
    /// Whether mails about missed messages quote them.
    pub mail_shows_text: Option<bool>,
    /// The domains of [`SignUp::Domain`], also while another mode is set.
    pub domains: Option<RegistrationDomains>,
    /// Who must have a second factor.
    pub second_factor: Option<RequiredFactor>,
    /// From whom people take direct messages who made no choice.
    pub dm_from: Option<DmFrom>,
}

/// The settings as they are stored: records without the later fields are as they were before these
/// existed.
#[derive(Serialize, Deserialize)]
struct StoredSettings {
    name: Option<String>,
    greeting: Option<String>,
    contact: Option<String>,
    sign_up: Option<SignUp>,
    /// Present if it is set, or a later field is present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    password_login: Option<Option<PasswordLogin>>,
    /// Likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    directory: Option<Option<bool>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    guests: Option<Option<bool>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mail_shows_text: Option<Option<bool>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    domains: Option<Option<RegistrationDomains>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    second_factor: Option<Option<RequiredFactor>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dm_from: Option<DmFrom>,
}

impl From<StoredSettings> for PlaceSettings {
    fn from(stored: StoredSettings) -> Self {
        let StoredSettings {
            name,
            greeting,
            contact,
            sign_up,
            password_login,
            directory,
            guests,
            mail_shows_text,
            domains,
            second_factor,
            dm_from,
        } = stored;
        Self {
            name,
            greeting,
            contact,
            sign_up,
            password_login: password_login.flatten(),
            directory: directory.flatten(),
            guests: guests.flatten(),
            mail_shows_text: mail_shows_text.flatten(),
            domains: domains.flatten(),
            second_factor: second_factor.flatten(),
            dm_from,
        }
    }
}

impl From<PlaceSettings> for StoredSettings {
    fn from(settings: PlaceSettings) -> Self {
        let PlaceSettings {
            name,
            greeting,
            contact,
            sign_up,
            password_login,
            directory,
            guests,
            mail_shows_text,
            domains,
            second_factor,
            dm_from,
        } = settings;
        let has_factor = second_factor.is_some() || dm_from.is_some();
        let second_factor = has_factor.then_some(second_factor);
        let has_domains = domains.is_some() || second_factor.is_some();
        let domains = has_domains.then_some(domains);
        let has_mail = mail_shows_text.is_some() || domains.is_some();
        let mail_shows_text = has_mail.then_some(mail_shows_text);
        let guests = (guests.is_some() || mail_shows_text.is_some()).then_some(guests);
        let directory = (directory.is_some() || guests.is_some()).then_some(directory);
        let has_login = password_login.is_some() || directory.is_some();
        let password_login = has_login.then_some(password_login);
        Self {
            name,
            greeting,
            contact,
            sign_up,
            password_login,
            directory,
            guests,
            mail_shows_text,
            domains,
            second_factor,
            dm_from,
        }
    }
}

/// The new value of one setting; `None` removes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NewSetting {
    /// The name of the place.
    Name(Option<String>),
    /// Words of greeting.
    Greeting(Option<String>),
    /// Whom people ask for help.
    Contact(Option<String>),
    /// Who may register.
    SignUp(Option<SignUp>),
    /// Who may log in with a password.
    PasswordLogin(Option<PasswordLogin>),
    /// Whether there is a directory of searchable groups.
    Directory(Option<bool>),
    /// Whether links make guests.
    Guests(Option<bool>),
    /// Whether mails about missed messages quote them.
    MailShowsText(Option<bool>),
    /// The domains whose addresses may register.
    Domains(Option<RegistrationDomains>),
    /// Who must have a second factor.
    SecondFactor(Option<FactorRequirement>),
    /// From whom people take direct messages who made no choice.
    DmFrom(Option<DmFrom>),
}

/// The settings before and after a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedSettings {
    /// Before.
    pub before: PlaceSettings,
    /// After.
    pub after: PlaceSettings,
}

impl PlaceSettings {
    /// Applies a fact.
    pub fn apply(&mut self, fact: &InstanceFact) {
        match fact {
            InstanceFact::SettingsChanged { settings } => self.clone_from(settings),
            InstanceFact::DirectoryGroupChanged { .. }
            | InstanceFact::Reported(_)
            | InstanceFact::ReportResolved { .. }
            | InstanceFact::RuleSaved(_)
            | InstanceFact::RuleDeleted { .. }
            | InstanceFact::InvitationChanged(_) => {}
        }
    }

    /// One line for each setting that differs from the other's, for the audit log.
    pub fn beyond(&self, other: &Self) -> String {
        let mode = |settings: &Self| settings.sign_up.map(|mode| mode.as_str().to_owned());
        let password = |settings: &Self| settings.password_login.map(|it| it.as_str().to_owned());
        let domains = |settings: &Self| {
            let domains = settings.domains.as_ref()?;
            let shown = if domains.are_shown { " (shown)" } else { "" };
            Some(format!("{}{shown}", domains.names().join(", ")))
        };
        let factor = |settings: &Self| settings.second_factor.map(|it| it.of.as_str().to_owned());
        let dm_from = |settings: &Self| settings.dm_from.map(|it| it.as_str().to_owned());
        let shown = |is_on: Option<bool>| is_on.map(|it| switch(it).to_owned());
        let parts = [
            ("name", self.name.clone(), other.name.clone()),
            ("greeting", self.greeting.clone(), other.greeting.clone()),
            ("contact", self.contact.clone(), other.contact.clone()),
            ("registration", mode(self), mode(other)),
            ("domains", domains(self), domains(other)),
            ("password_login", password(self), password(other)),
            ("directory", shown(self.directory), shown(other.directory)),
            ("guests", shown(self.guests), shown(other.guests)),
            ("mail_shows_text", shown(self.mail_shows_text), shown(other.mail_shows_text)),
            ("second_factor", factor(self), factor(other)),
            ("dm_from", dm_from(self), dm_from(other)),
        ];
        let differing = parts.into_iter().filter(|(_, own, other)| own != other);
        let lines = differing.map(|(name, own, _)| match own {
            Some(own) => format!("{name}: {own}"),
            None => format!("{name}: not set"),
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// The name of a switch in the API.
pub const fn switch(is_on: bool) -> &'static str {
    if is_on { "on" } else { "off" }
}

/// Where the value of a setting comes from: the first of these that has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingSource {
    /// An option of the command line.
    Option,
    /// A variable of the environment.
    Environment,
    /// A setting that an admin changed.
    Setting,
    /// The default.
    Default,
}

impl SettingSource {
    /// The source in a sentence.
    const fn words(self) -> &'static str {
        match self {
            Self::Option => "an option",
            Self::Environment => "the environment",
            Self::Setting => "a setting",
            Self::Default => "a default",
        }
    }

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Option => "option",
            Self::Environment => "environment",
            Self::Setting => "setting",
            Self::Default => "default",
        }
    }
}

/// A setting that an option fixes cannot be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{name} is fixed by {} of the server", fixed_by.words())]
pub struct SettingFixed {
    /// The setting.
    pub name: &'static str,
    /// What fixes it.
    pub fixed_by: SettingSource,
}

/// A value, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcedValue<T> {
    /// The value.
    pub value: T,
    /// Where it comes from.
    pub source: SettingSource,
}

/// The settings that options of this node fix.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FixedSettings {
    /// Whom people ask for help.
    pub contact: Option<SourcedValue<String>>,
    /// Who may register.
    pub sign_up: Option<SourcedValue<SignUp>>,
    /// The domains whose addresses may register, where the mode is fixed too.
    pub domains: RegistrationDomains,
    /// Whether people reach the server by a public URL: then operators need a second factor, if no
    /// setting says otherwise.
    pub is_public: bool,
}

/// The settings in effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsInEffect {
    /// The name of the place.
    pub name: SourcedValue<Option<String>>,
    /// Words of greeting.
    pub greeting: SourcedValue<Option<String>>,
    /// Whom people ask for help.
    pub contact: SourcedValue<Option<String>>,
    /// Who may register.
    pub sign_up: SourcedValue<SignUp>,
    /// Who may log in with a password.
    pub password_login: SourcedValue<PasswordLogin>,
    /// Whether there is a directory of searchable groups.
    pub directory: SourcedValue<bool>,
    /// Whether links make guests.
    pub guests: SourcedValue<bool>,
    /// Whether mails about missed messages quote them.
    pub mail_shows_text: SourcedValue<bool>,
    /// The domains of [`SignUp::Domain`].
    pub domains: RegistrationDomains,
    /// Who must have a second factor, and since when.
    pub second_factor: SourcedValue<RequiredFactor>,
    /// From whom people take direct messages who made no choice.
    pub dm_from: SourcedValue<DmFrom>,
}

impl SettingsInEffect {
    /// The settings in effect: an option, else a setting, else the default.
    pub fn of(fixed: &FixedSettings, settings: PlaceSettings) -> Self {
        let PlaceSettings {
            name,
            greeting,
            contact,
            sign_up,
            password_login,
            directory,
            guests,
            mail_shows_text,
            domains,
            second_factor,
            dm_from,
        } = settings;
        let fixed_contact = fixed.contact.clone();
        Self {
            name: set_or_absent(name),
            greeting: set_or_absent(greeting),
            contact: match fixed_contact {
                Some(SourcedValue { value, source }) => SourcedValue { value: Some(value), source },
                None => set_or_absent(contact),
            },
            sign_up: fixed.sign_up.clone().unwrap_or_else(|| set_or(sign_up, SignUp::Open)),
            password_login: set_or(password_login, PasswordLogin::On),
            directory: set_or(directory, true),
            guests: set_or(guests, false),
            mail_shows_text: set_or(mail_shows_text, true),
            domains: match fixed.sign_up {
                Some(_) => fixed.domains.clone(),
                None => domains.unwrap_or_default(),
            },
            second_factor: set_or(second_factor, default_factor(fixed.is_public)),
            dm_from: set_or(dm_from, DmFrom::default()),
        }
    }
}

/// Operators of a public server need a factor from the first day.
fn default_factor(is_public: bool) -> RequiredFactor {
    let of = if is_public { FactorRequirement::Operators } else { FactorRequirement::Optional };
    RequiredFactor { of, since: Timestamp::default() }
}

fn set_or<T>(value: Option<T>, default: T) -> SourcedValue<T> {
    let source = if value.is_some() { SettingSource::Setting } else { SettingSource::Default };
    SourcedValue { value: value.unwrap_or(default), source }
}

fn set_or_absent(value: Option<String>) -> SourcedValue<Option<String>> {
    let source = if value.is_some() { SettingSource::Setting } else { SettingSource::Default };
    SourcedValue { value, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn password_mode_depends_on_role_and_recovery() {
        use PasswordLogin::{Off, On, Operators};
        let day = OPERATOR_RECOVERY_MILLIS;
        let at = Timestamp::from_millis;
        let auditor = Some(OperatorRole::Auditor);
        for (mode, role, recovered_at, now, expected) in [
            (On, None, None, 0, true),
            (Operators, auditor, None, 0, true),
            (Operators, None, None, 0, false),
            (Off, auditor, None, 0, false),
            (Off, None, Some(5), day + 4, true),
            (Operators, None, Some(5), day + 4, true),
            (Off, None, Some(5), day + 5, false),
        ] {
            let permits = mode.permits(role, recovered_at.map(at), at(now));
            assert_eq!(permits, expected, "{mode:?} {role:?} {recovered_at:?} {now}");
        }
    }

    #[test]
    fn options_come_before_settings_and_defaults() {
        let settings = PlaceSettings {
            contact: Some("set@example.org".to_owned()),
            sign_up: Some(SignUp::Closed),
            ..PlaceSettings::default()
        };
        let set = SettingsInEffect::of(&FixedSettings::default(), settings.clone());
        assert_eq!(set.contact.value.as_deref(), Some("set@example.org"));
        let closed = SourcedValue { value: SignUp::Closed, source: SettingSource::Setting };
        assert_eq!(set.sign_up, closed);
        let value = "fixed@example.org".to_owned();
        let source = SettingSource::Environment;
        let fixed = FixedSettings {
            contact: Some(SourcedValue { value, source }),
            sign_up: Some(SourcedValue { value: SignUp::Open, source: SettingSource::Option }),
            ..FixedSettings::default()
        };
        let fixed = SettingsInEffect::of(&fixed, settings);
        assert_eq!(fixed.contact.source, SettingSource::Environment);
        assert_eq!(fixed.sign_up.value, SignUp::Open);
        assert_eq!(fixed.name.source, SettingSource::Default);
    }
}
