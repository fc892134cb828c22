//! Settings of the installation that admins change while it runs: facts of the stream `i:settings`,
//! the same on every node.

use serde::{Deserialize, Serialize};

mod changes;

/// A fact about the installation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum InstanceFact {
    /// The settings changed.
    SettingsChanged {
        /// All settings after the change.
        settings: PlaceSettings,
    },
}

/// Who may register an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SignUp {
    /// Anybody.
    Open,
    /// Nobody: operators create accounts.
    Closed,
}

impl SignUp {
    /// Every mode.
    pub const ALL: [Self; 2] = [Self::Open, Self::Closed];

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
        }
    }

    /// The mode with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == name)
    }
}

/// The settings; `None` where nobody set one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceSettings {
    /// The name of the place.
    pub name: Option<String>,
    /// Words of greeting for people who are not logged in.
    pub greeting: Option<String>,
    /// Whom people ask for help.
    pub contact: Option<String>,
    /// Who may register.
    pub sign_up: Option<SignUp>,
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
        }
    }

    /// One line for each setting that differs from the other's, for the audit log.
    pub fn beyond(&self, other: &Self) -> String {
        let mode = |settings: &Self| settings.sign_up.map(|mode| mode.as_str().to_owned());
        let parts = [
            ("name", self.name.clone(), other.name.clone()),
            ("greeting", self.greeting.clone(), other.greeting.clone()),
            ("contact", self.contact.clone(), other.contact.clone()),
            ("registration", mode(self), mode(other)),
        ];
        let differing = parts.into_iter().filter(|(_, own, other)| own != other);
        let lines = differing.map(|(name, own, _)| match own {
            Some(own) => format!("{name}: {own}"),
            None => format!("{name}: not set"),
        });
        lines.collect::<Vec<_>>().join("\n")
    }
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
}

impl SettingsInEffect {
    /// The settings in effect: an option, else a setting, else the default.
    pub fn of(fixed: &FixedSettings, settings: PlaceSettings) -> Self {
        let PlaceSettings { name, greeting, contact, sign_up } = settings;
        let fixed_contact = fixed.contact.clone();
        Self {
            name: set_or_absent(name),
            greeting: set_or_absent(greeting),
            contact: match fixed_contact {
                Some(SourcedValue { value, source }) => SourcedValue { value: Some(value), source },
                None => set_or_absent(contact),
            },
            sign_up: fixed.sign_up.clone().unwrap_or(match sign_up {
                Some(value) => SourcedValue { value, source: SettingSource::Setting },
                None => SourcedValue { value: SignUp::Open, source: SettingSource::Default },
            }),
        }
    }
}

fn set_or_absent(value: Option<String>) -> SourcedValue<Option<String>> {
    let source = if value.is_some() { SettingSource::Setting } else { SettingSource::Default };
    SourcedValue { value, source }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        };
        let fixed = SettingsInEffect::of(&fixed, settings);
        assert_eq!(fixed.contact.source, SettingSource::Environment);
        assert_eq!(fixed.sign_up.value, SignUp::Open);
        assert_eq!(fixed.name.source, SettingSource::Default);
    }
}
