//! Names that only one account may have: email addresses and phone numbers.
//!
//! Two registrations of one address at the same time must not both find it free. Who
//! wants a name holds it here while looking it up and recording the account.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::domain::user::Profile;

/// The names in a profile that only one account may have.
pub fn of(profile: &Profile) -> Vec<String> {
    let phone = profile.phone.as_ref().map(|phone| format!("phone:{}", phone.key()));
    std::iter::once(format!("email:{}", profile.email.key())).chain(phone).collect()
}

/// Names that somebody is about to take.
#[derive(Debug, Clone, Default)]
pub struct Names(Arc<Mutex<HashSet<String>>>);

/// Names held until this is dropped.
#[derive(Debug)]
pub struct Held {
    names: Names,
    held: Vec<String>,
}

impl Names {
    /// Holds all of these, or none if somebody else holds one of them.
    pub fn hold(&self, wanted: Vec<String>) -> Option<Held> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if wanted.iter().any(|name| taken.contains(name)) {
            return None;
        }
        taken.extend(wanted.iter().cloned());
        drop(taken);
        Some(Held { names: self.clone(), held: wanted })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut taken = self.names.0.lock().unwrap_or_else(PoisonError::into_inner);
        for name in &self.held {
            taken.remove(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_held_by_one_at_a_time() {
        let names = Names::default();
        let held = names.hold(vec!["ana@example.org".to_owned()]).unwrap();
        assert!(names.hold(vec!["x".to_owned(), "ana@example.org".to_owned()]).is_none());
        assert!(names.hold(vec!["x".to_owned()]).is_some());
        drop(held);
        assert!(names.hold(vec!["ana@example.org".to_owned()]).is_some());
    }
}
