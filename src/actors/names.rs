//! Taking names (email addresses, phone numbers, identities at providers) that only one account may have, from the claim
//! to the profile.
//!
//! Why two accounts never get one name: the name's room lets one user claim it at a time, and a
//! claim is good for a minute. Only within that minute does the claimant's own room write the name
//! into their profile. Afterwards another claim may replace it, but only once the claimant's room,
//! which answers with everything that it decided, has said that the name is not theirs. Names of
//! accounts from before names had streams are found in the index, which has every profile that is
//! durable. So the rule holds over a crash, a stalled disk and a late answer, and needs no lock.

use std::time::Duration;

use crate::ask::{Failure, Fault};
use crate::directory::Directory;
use crate::name::protocol::{ClaimName, ConfirmName, GiveUpName, ReleaseName};
use crate::user::identities::HoldsIdentity;
use crate::user::protocol::{HoldsName, UserRefusal};
use base::clock::Deadline;
use domain::group::Contact;
use domain::identities::Identity;
use domain::ids::{NameId, UserId};
use domain::limits::CLAIM_MILLIS;
use domain::name::claim::ClaimRefusal;
use domain::time::Monotonic;

/// How often a user tries to claim a name while other claims come between.
const ATTEMPTS: usize = 4;
/// How long a user waits for what becomes of somebody else's claim.
const PATIENCE: Duration = Duration::from_secs(20);
/// Between two looks at it.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// Takes names. Cheap to clone.
#[derive(Clone)]
pub struct Names {
    directory: Directory,
    patience: Duration,
}

/// A name that only one account may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UniqueName {
    /// An email address or a phone number.
    Contact(Contact),
    /// An identity at a provider.
    Identity(Identity),
}

impl From<Contact> for UniqueName {
    fn from(contact: Contact) -> Self {
        Self::Contact(contact)
    }
}

impl From<Identity> for UniqueName {
    fn from(identity: Identity) -> Self {
        Self::Identity(identity)
    }
}

impl UniqueName {
    fn id(&self) -> NameId {
        match self {
            Self::Contact(contact) => NameId::of(contact),
            Self::Identity(identity) => identity.name(),
        }
    }
}

/// Why names were not taken.
#[derive(Debug)]
pub enum TakeFailure<R> {
    /// One of the names is another account's.
    Taken,
    /// The act for which the names were claimed failed.
    Act(Failure<R>),
    /// A fault of the server.
    Fault(Fault),
}

/// A claim that may be used until `until`, on the clock of this node.
#[derive(Debug)]
struct Claim {
    name: NameId,
    number: u64,
    until: Monotonic,
}

enum ClaimFailure {
    Taken,
    Fault(Fault),
}

impl From<Fault> for ClaimFailure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl<R> From<ClaimFailure> for TakeFailure<R> {
    fn from(failure: ClaimFailure) -> Self {
        match failure {
            ClaimFailure::Taken => Self::Taken,
            ClaimFailure::Fault(fault) => Self::Fault(fault),
        }
    }
}

impl Names {
    /// Takes names through the rooms of this directory.
    pub const fn new(directory: Directory) -> Self {
        Self { directory, patience: PATIENCE }
    }

    /// Claims all of these names for a user and lets `act` write them into the user's profile.
    /// `act` gets the time until which the profile's room must have decided.
    ///
    /// # Errors
    /// If one of the names is another account's, or `act` or a claim fails.
    pub async fn take<T, R>(
        &self,
        by: UserId,
        names: Vec<impl Into<UniqueName>>,
        act: impl AsyncFnOnce(Monotonic) -> Result<T, Failure<R>>,
    ) -> Result<T, TakeFailure<R>> {
        let mut claims = Vec::with_capacity(names.len());
        for name in names {
            match self.claim(by, &name.into()).await {
                Ok(claim) => claims.push(claim),
                Err(failure) => {
                    self.release(&claims).await;
                    return Err(failure.into());
                }
            }
        }
        let until = claims.iter().map(|claim| claim.until).min().unwrap_or_default();
        match act(until).await {
            Ok(done) => {
                self.confirm(&claims).await;
                Ok(done)
            }
            Err(Failure::Refused(refusal)) => {
                self.release(&claims).await;
                Err(TakeFailure::Act(Failure::Refused(refusal)))
            }
            Err(Failure::Fault(fault)) => {
                // If the act may have been done, the next claim after a minute finds that out.
                if !fault.may_be_done() {
                    self.release(&claims).await;
                }
                Err(TakeFailure::Act(Failure::Fault(fault)))
            }
        }
    }

    /// Frees names that a user has no more.
    pub async fn give_up(&self, by: UserId, names: &[Contact]) {
        for name in names {
            let given_up = self.directory.ask(NameId::of(name), GiveUpName { by }).await;
            late(given_up.map_err(Fault::from));
        }
    }

    /// Frees an identity that a user has no more.
    pub async fn give_up_identity(&self, by: UserId, identity: &Identity) {
        let given_up = self.directory.ask(identity.name(), GiveUpName { by }).await;
        late(given_up.map_err(Fault::from));
    }

    /// Claims a name. While somebody else is taking it, waits for what becomes of that: their act
    /// may fail, and a user who failed and tries again counts as somebody else, too.
    async fn claim(&self, by: UserId, name: &UniqueName) -> Result<Claim, ClaimFailure> {
        let id = name.id();
        let patience = Deadline::after(self.patience);
        let mut attempts = 0;
        let mut instead_of = None;
        while attempts < ATTEMPTS {
            // Taken before the room decides, so that the claim ends here before it ends there.
            let until = self.directory.context().clock.now().mono.plus_millis(CLAIM_MILLIS);
            match self.directory.ask(id, ClaimName { by, instead_of }).await {
                Ok(number) => {
                    let claim = Claim { name: id, number, until };
                    return self.unless_owned(by, name, claim).await;
                }
                Err(Failure::Refused(ClaimRefusal::Held { by: holder, number })) => {
                    if self.holds(holder, name).await? {
                        return Err(ClaimFailure::Taken);
                    }
                    instead_of = Some(number);
                    attempts += 1;
                }
                Err(Failure::Refused(ClaimRefusal::Taken)) => {
                    if patience.left().is_zero() {
                        return Err(Fault::Busy.into());
                    }
                    tokio::time::sleep(BETWEEN_LOOKS).await;
                }
                Err(Failure::Fault(fault)) => return Err(fault.into()),
            }
        }
        Err(ClaimFailure::Taken)
    }

    /// Returns the claim, unless another account has the name without a claim: one from before
    /// names had streams. Then the claim is released.
    async fn unless_owned(
        &self,
        by: UserId,
        name: &UniqueName,
        claim: Claim,
    ) -> Result<Claim, ClaimFailure> {
        let accounts = &self.directory.context().accounts;
        let owner = match name.clone() {
            UniqueName::Contact(contact) => {
                let found = accounts.account_by_contact(contact).await;
                found.map(|found| found.map(|owner| owner.id))
            }
            UniqueName::Identity(identity) => accounts.user_by_identity(identity).await,
        };
        let is_owned = match owner {
            Ok(owner) => owner.is_some_and(|owner| owner != by),
            Err(fault) => {
                self.release(&[claim]).await;
                return Err(Fault::from(fault).into());
            }
        };
        if is_owned {
            self.release(&[claim]).await;
            return Err(ClaimFailure::Taken);
        }
        Ok(claim)
    }

    /// Whether a user has a name, after everything that the user's room has decided.
    async fn holds(&self, user: UserId, name: &UniqueName) -> Result<bool, Fault> {
        let holds = match name.clone() {
            UniqueName::Contact(name) => self.directory.ask(user, HoldsName { name }).await,
            UniqueName::Identity(identity) => {
                self.directory.ask(user, HoldsIdentity { identity }).await
            }
        };
        match holds {
            Ok(holds) => Ok(holds),
            Err(Failure::Refused(UserRefusal::Unknown)) => Ok(false),
            Err(Failure::Fault(fault)) => Err(fault),
        }
    }

    async fn confirm(&self, claims: &[Claim]) {
        for Claim { name, number, .. } in claims {
            let confirmed = self.directory.ask(*name, ConfirmName { number: *number }).await;
            late(confirmed.map_err(Fault::from));
        }
    }

    async fn release(&self, claims: &[Claim]) {
        for Claim { name, number, .. } in claims {
            let released = self.directory.ask(*name, ReleaseName { number: *number }).await;
            late(released.map_err(Fault::from));
        }
    }
}

/// If the outcome of a claim is not recorded, the next user who claims the name finds it out.
fn late(noted: Result<(), Fault>) {
    if let Err(fault) = noted {
        tracing::debug!(
            %fault,
            "recording the outcome of a name claim failed; the next claim resolves it"
        );
    }
}

impl From<Failure<std::convert::Infallible>> for Fault {
    fn from(failure: Failure<std::convert::Infallible>) -> Self {
        match failure {
            Failure::Refused(never) => match never {},
            Failure::Fault(fault) => fault,
        }
    }
}

#[cfg(test)]
mod tests;
