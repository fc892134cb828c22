//! Changes of the settings.

use crate::event::{Decision, Fact};
use crate::instance::{ChangedSettings, InstanceFact, NewSetting, PlaceSettings};
use crate::required_factor::RequiredFactor;
use crate::time::Timestamp;

impl PlaceSettings {
    /// Changes settings. Decides nothing if all are as wanted already.
    pub fn change(&self, new: Vec<NewSetting>, now: Timestamp) -> Decision<ChangedSettings> {
        let mut after = self.clone();
        for setting in new {
            match setting {
                NewSetting::Name(name) => after.name = name,
                NewSetting::Greeting(greeting) => after.greeting = greeting,
                NewSetting::Contact(contact) => after.contact = contact,
                NewSetting::SignUp(sign_up) => after.sign_up = sign_up,
                NewSetting::PasswordLogin(mode) => after.password_login = mode,
                NewSetting::Directory(is_on) => after.directory = is_on,
                NewSetting::Guests(is_on) => after.guests = is_on,
                NewSetting::MailShowsText(is_on) => after.mail_shows_text = is_on,
                NewSetting::Domains(domains) => after.domains = domains,
                NewSetting::DmFrom(from) => after.dm_from = from,
                NewSetting::SecondFactor(of) => {
                    // The time of an account without a factor does not begin again.
                    let known = self.second_factor.filter(|known| Some(known.of) == of);
                    after.second_factor = known.or(of.map(|of| RequiredFactor { of, since: now }));
                }
            }
        }
        let settings = after.clone();
        let fact = || Fact::Instance(InstanceFact::SettingsChanged { settings });
        let facts = if after == *self { Vec::new() } else { vec![fact()] };
        Decision { facts, answer: ChangedSettings { before: self.clone(), after } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> NewSetting {
        NewSetting::Name(Some(name.to_owned()))
    }

    #[test]
    fn unchanged_settings_decide_nothing() {
        let decision =
            PlaceSettings::default().change(vec![named("Club")], Timestamp::from_seconds(1));
        let mut settings = PlaceSettings::default();
        for fact in &decision.facts {
            let Fact::Instance(fact) = fact else { panic!("not of the installation: {fact:?}") };
            settings.apply(fact);
        }
        assert_eq!(settings.name.as_deref(), Some("Club"));
        assert_eq!(settings, decision.answer.after);
        assert!(settings.change(vec![named("Club")], Timestamp::from_seconds(1)).facts.is_empty());
        assert_eq!(settings.beyond(&PlaceSettings::default()), "name: Club");
        assert_eq!(PlaceSettings::default().beyond(&settings), "name: not set");
    }
}
