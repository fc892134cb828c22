//! Claiming a name: who may claim it, and how a claim ends.

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::ids::UserId;
use crate::limits::CLAIM_MILLIS;
use crate::name::{Holder, Name, NameFact};
use crate::time::Monotonic;

/// Why a name was not claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum ClaimRefusal {
    /// Another user is claiming the name at this moment.
    #[error("another request is claiming this name")]
    Taken,
    /// Another user holds the name, or made a claim that has expired. The caller has to ask the
    /// profile of that user, and may claim again if the name is not in it.
    #[error("another account may have this name")]
    Held {
        /// The user.
        by: UserId,
        /// The number of the user's claim.
        number: u64,
    },
}

impl Name {
    /// Claims the name for a user, and returns the number of the claim. `instead_of` is the number
    /// of a claim whose user does not have the name in their profile; `since` is when the room
    /// decided or read the newest claim.
    ///
    /// # Errors
    /// If another user holds the name, or claimed it less than a minute ago.
    pub fn claim(
        &self,
        by: UserId,
        instead_of: Option<u64>,
        since: Monotonic,
        now: Monotonic,
    ) -> Result<Decision<u64>, ClaimRefusal> {
        if let Some(holder) = self.holder.filter(|holder| holder.by != by) {
            let is_void = now.millis_since(since) >= CLAIM_MILLIS;
            if !holder.is_confirmed && !is_void {
                return Err(ClaimRefusal::Taken);
            }
            if instead_of != Some(self.claims) {
                return Err(ClaimRefusal::Held { by: holder.by, number: self.claims });
            }
        }
        let number = self.claims + 1;
        Ok(Decision { facts: vec![Fact::Name(NameFact::Claimed { by, number })], answer: number })
    }

    /// Confirms that the name is in the profile of the user who made this claim.
    pub fn confirm(&self, number: u64) -> Decision<()> {
        match self.holder {
            Some(Holder { is_confirmed: false, .. }) if number == self.claims => {
                decision(NameFact::Confirmed { number })
            }
            Some(_) | None => Decision::unchanged(()),
        }
    }

    /// Frees the name after a claim that led to nothing.
    pub fn release(&self, number: u64) -> Decision<()> {
        match self.holder {
            Some(Holder { is_confirmed: false, .. }) if number == self.claims => {
                decision(NameFact::Released { number })
            }
            Some(_) | None => Decision::unchanged(()),
        }
    }

    /// Frees a name that is no longer in the user's profile, unless the user is claiming it again.
    pub fn give_up(&self, by: UserId) -> Decision<()> {
        match self.holder {
            Some(holder) if holder.by == by && holder.is_confirmed => {
                decision(NameFact::Released { number: self.claims })
            }
            Some(_) | None => Decision::unchanged(()),
        }
    }
}

fn decision(fact: NameFact) -> Decision<()> {
    Decision { facts: vec![Fact::Name(fact)], answer: () }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::Contact;
    use crate::ids::NameId;

    const ANA: UserId = UserId::new(1);
    const BEN: UserId = UserId::new(2);

    const fn at(millis: u64) -> Monotonic {
        Monotonic::from_millis(millis)
    }

    fn does<T>(name: &mut Name, decision: Decision<T>) -> T {
        for fact in &decision.facts {
            let Fact::Name(fact) = fact else { panic!("not of a name: {fact:?}") };
            name.apply(fact);
        }
        decision.answer
    }

    /// The name, just claimed by Ana.
    fn anas() -> Name {
        let mut name = Name::default();
        let claimed = name.claim(ANA, None, at(0), at(0)).unwrap();
        assert_eq!(does(&mut name, claimed), 1);
        name
    }

    #[test]
    fn a_name_is_claimed_by_one_at_a_time() {
        let mut name = anas();
        assert_eq!(name.claim(BEN, None, at(0), at(59_999)).unwrap_err(), ClaimRefusal::Taken);
        let released = name.release(1);
        does(&mut name, released);
        assert!(name.claim(BEN, None, at(0), at(1)).is_ok());
    }

    #[test]
    fn unused_claim_is_void_after_a_minute() {
        let mut name = anas();
        let held = ClaimRefusal::Held { by: ANA, number: 1 };
        assert_eq!(name.claim(BEN, None, at(0), at(60_000)).unwrap_err(), held);
        let claimed = name.claim(BEN, Some(1), at(0), at(60_000)).unwrap();
        assert_eq!(does(&mut name, claimed), 2);
        // By now it is too late for Ana's claim: it neither confirms nor frees the name.
        assert!(name.confirm(1).facts.is_empty() && name.release(1).facts.is_empty());
        assert_eq!(name.holder, Some(Holder { by: BEN, is_confirmed: false }));
    }

    #[test]
    fn stale_claim_answer_is_requested_again() {
        let mut name = anas();
        let again = name.claim(ANA, None, at(0), at(1)).unwrap();
        does(&mut name, again);
        let held = ClaimRefusal::Held { by: ANA, number: 2 };
        assert_eq!(name.claim(BEN, Some(1), at(1), at(70_000)).unwrap_err(), held);
    }

    #[test]
    fn holder_is_asked_before_name_changes_hands() {
        let mut name = anas();
        let confirmed = name.confirm(1);
        does(&mut name, confirmed);
        let held = ClaimRefusal::Held { by: ANA, number: 1 };
        assert_eq!(name.claim(BEN, None, at(0), at(1)).unwrap_err(), held);
        assert!(name.release(1).facts.is_empty(), "a name that is had is given up");
        let given_up = name.give_up(ANA);
        does(&mut name, given_up);
        assert!(name.claim(BEN, None, at(0), at(1)).is_ok());
    }

    #[test]
    fn reclaimed_name_is_not_released() {
        let mut name = anas();
        let confirmed = name.confirm(1);
        does(&mut name, confirmed);
        let again = name.claim(ANA, None, at(0), at(1)).unwrap();
        does(&mut name, again);
        assert!(name.give_up(ANA).facts.is_empty() && name.give_up(BEN).facts.is_empty());
    }

    /// Journals hold these ids, so they must never change.
    #[test]
    fn a_name_has_the_same_stream_for_ever() {
        let stream = |name: Contact| NameId::of(&name).to_string();
        let email = stream(Contact::Email("ana@example.org".to_owned()));
        let phone = stream(Contact::Phone("15550101234".to_owned()));
        assert_eq!((email.as_str(), phone.as_str()), (EMAIL, PHONE));
    }

    const EMAIL: &str = "0f9abe4f8b95f18729a48685bfb51c40";
    const PHONE: &str = "c1adbde607eb8a751641b52628aab32c";
}
