//! The rules of identities at providers: linking and unlinking them, log-ins through them, and
//! log-outs by the provider.

use serde::{Deserialize, Serialize};

use crate::event::{Decision, Fact};
use crate::factors::SecretHash;
use crate::identities::{Identity, IdentityChange, PROVIDER_SESSIONS, ProviderSession};
use crate::ids::TokenId;
use crate::user::{DeadToken, IssueRefusal, TokenRecord, User, UserFact};

/// Why the identities of an account were not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum IdentityRefusal {
    /// There is no such account.
    #[error("there is no such user")]
    Unknown,
    /// The account has another identity of this provider.
    #[error("this account has another identity of this provider; unlink it first")]
    SecondOfProvider,
    /// The account has no such identity.
    #[error("there is no such identity")]
    NoIdentity,
    /// Without the identity nobody could log in.
    #[error("this identity is the only way to log in: set a password first")]
    LastWayIn,
    /// An operator disabled the account.
    #[error("this account is disabled; contact the operators of this server")]
    Disabled,
    /// The claim of the identity is over.
    #[error("this took too long; try again")]
    Late,
    /// The log-out token came before.
    #[error("this logout_token was used already")]
    Replayed,
}

/// The tokens that a provider ends: those of one session, or of all sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderLogout {
    /// The issuer.
    pub issuer: String,
    /// The provider's name for the session; `None` for all sessions.
    pub session: Option<String>,
    /// The hash of the log-out token's id.
    pub logout: SecretHash,
}

fn identified(change: IdentityChange) -> Fact {
    Fact::User(UserFact::Identified(change))
}

impl User {
    /// Links an identity, which was claimed for this account.
    ///
    /// # Errors
    /// If the account is disabled or has another identity of this provider.
    pub fn link_identity(
        &self,
        identity: Identity,
        email: Option<String>,
    ) -> Result<Decision<()>, IdentityRefusal> {
        if self.is_disabled() {
            return Err(IdentityRefusal::Disabled);
        }
        match self.identities.at_issuer(&identity.issuer) {
            Some(linked) if linked.identity == identity => Ok(Decision::unchanged(())),
            Some(_) => Err(IdentityRefusal::SecondOfProvider),
            None => {
                let facts = vec![identified(IdentityChange::Linked { identity, email })];
                Ok(Decision { facts, answer: () })
            }
        }
    }

    /// Unlinks an identity, and ends the tokens of log-ins through it but `keep`. Returns the
    /// identity, so that its name can be given up.
    ///
    /// # Errors
    /// If the account has no such identity, or no other way to log in.
    pub fn unlink_identity(
        &self,
        id: &str,
        keep: TokenId,
    ) -> Result<Decision<Identity>, IdentityRefusal> {
        let linked = self.identities.linked.iter().find(|linked| linked.identity.id() == id);
        let identity = linked.ok_or(IdentityRefusal::NoIdentity)?.identity.clone();
        let is_last = self.identities.linked.len() == 1 && self.factors.passkeys.is_empty();
        if self.identities.has_no_password && is_last {
            return Err(IdentityRefusal::LastWayIn);
        }
        let mut facts =
            self.end_sessions(|session| session.issuer == identity.issuer && session.token != keep);
        facts.push(identified(IdentityChange::Unlinked { identity: identity.clone() }));
        Ok(Decision { facts, answer: identity })
    }

    /// Issues a token for a log-in through this identity. The password hash is the one that the
    /// account had when it was looked up.
    ///
    /// # Errors
    /// As [`User::issue`], and if the identity was unlinked meanwhile.
    pub fn issue_for_identity(
        &self,
        token: TokenRecord,
        identity: &Identity,
        session: Option<String>,
    ) -> Result<Decision<()>, IssueRefusal> {
        if !self.identities.has(identity) {
            return Err(IssueRefusal::Unlinked);
        }
        let id = token.id;
        let mut decision = self.issue(token, &self.password)?;
        let full = self.identities.sessions.len() >= PROVIDER_SESSIONS;
        if let Some(oldest) = self.identities.sessions.first().filter(|_| full) {
            let oldest = oldest.token;
            decision.facts.extend(self.end_sessions(|session| session.token == oldest));
        }
        let issuer = identity.issuer.clone();
        let begun = IdentityChange::SessionBegun(ProviderSession { token: id, issuer, session });
        decision.facts.push(identified(begun));
        Ok(decision)
    }

    /// Ends the tokens that the provider logs out. A log-out token counts once.
    ///
    /// # Errors
    /// If the log-out token came before.
    pub fn log_out_by_provider(
        &self,
        wanted: &ProviderLogout,
    ) -> Result<Decision<()>, IdentityRefusal> {
        if self.identities.logouts.iter().any(|(logout, _)| *logout == wanted.logout) {
            return Err(IdentityRefusal::Replayed);
        }
        let is_meant = |session: &ProviderSession| {
            let is_same = wanted.session.is_none() || wanted.session == session.session;
            session.issuer == wanted.issuer && is_same
        };
        let mut facts = self.end_sessions(is_meant);
        facts.push(identified(IdentityChange::LoggedOut { logout: wanted.logout }));
        Ok(Decision { facts, answer: () })
    }

    /// Whether the account has this identity.
    pub fn holds_identity(&self, identity: &Identity) -> bool {
        self.identities.has(identity)
    }

    /// The facts that revoke the tokens of these sessions and remove their devices.
    fn end_sessions(&self, ends: impl Fn(&ProviderSession) -> bool) -> Vec<Fact> {
        let sessions = self.identities.sessions.iter().filter(|session| ends(session));
        let tokens: Vec<DeadToken> = sessions
            .filter_map(|session| self.tokens.get(&session.token))
            .map(|token| DeadToken { id: token.id, hash: token.hash })
            .collect();
        if tokens.is_empty() {
            return Vec::new();
        }
        let devices: Vec<Fact> =
            tokens.iter().flat_map(|token| self.devices_of(token.id)).collect();
        let revoked = Fact::User(UserFact::TokensRevoked { tokens });
        std::iter::once(revoked).chain(devices).collect()
    }
}

/// The first facts of an account that began with an identity, beside its profile.
pub fn begun_with(identity: Identity, email: Option<String>) -> [UserFact; 2] {
    let linked = IdentityChange::Linked { identity, email };
    [linked, IdentityChange::BegunWithoutPassword].map(UserFact::Identified)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;
    use crate::user::TokenHash;
    use crate::user::fixtures::ana_since;

    fn identity(issuer: &str, subject: &str) -> Identity {
        Identity { issuer: issuer.to_owned(), subject: subject.to_owned() }
    }

    fn token(number: u8) -> TokenRecord {
        TokenRecord {
            id: TokenId::new(number.into()),
            hash: TokenHash::new([number; 32]),
            application: None,
            created_at: Timestamp::from_millis(0),
            expires_at: None,
            client: None,
            last_used_at: None,
            device: None,
            scopes: None,
        }
    }

    fn apply<T>(user: &mut User, decision: Decision<T>) -> T {
        for fact in &decision.facts {
            let Fact::User(fact) = fact else { panic!("a user decides facts of users") };
            user.apply(Timestamp::from_millis(1), fact);
        }
        decision.answer
    }

    fn linked() -> User {
        let mut ana = ana_since(Timestamp::from_millis(0));
        let decision = ana.link_identity(identity("https://a", "1"), None).unwrap();
        apply(&mut ana, decision);
        ana
    }

    #[test]
    fn account_has_one_identity_of_a_provider() {
        let mut ana = linked();
        let again = ana.link_identity(identity("https://a", "1"), None).unwrap();
        assert!(again.facts.is_empty());
        let second = ana.link_identity(identity("https://a", "2"), None);
        assert_eq!(second.err(), Some(IdentityRefusal::SecondOfProvider));
        let other = ana.link_identity(identity("https://b", "2"), None).unwrap();
        apply(&mut ana, other);
        assert_eq!(ana.identities.linked.len(), 2);
        ana.apply(Timestamp::from_millis(2), &UserFact::Disabled);
        let late = ana.link_identity(identity("https://c", "2"), None);
        assert_eq!(late.err(), Some(IdentityRefusal::Disabled));
    }

    #[test]
    fn last_way_in_stays() {
        let mut ana = linked();
        let id = identity("https://a", "1").id();
        let missing = ana.unlink_identity("0", TokenId::new(0)).err();
        assert_eq!(missing, Some(IdentityRefusal::NoIdentity));
        let fact = UserFact::Identified(IdentityChange::BegunWithoutPassword);
        ana.apply(Timestamp::from_millis(2), &fact);
        let refused = ana.unlink_identity(&id, TokenId::new(0)).err();
        assert_eq!(refused, Some(IdentityRefusal::LastWayIn));
        let changed = UserFact::PasswordChanged { password: "new".to_owned() };
        ana.apply(Timestamp::from_millis(3), &changed);
        let unlinked = ana.unlink_identity(&id, TokenId::new(0)).unwrap();
        assert_eq!(apply(&mut ana, unlinked), identity("https://a", "1"));
        assert!(ana.identities.linked.is_empty());
    }

    #[test]
    fn provider_ends_tokens_of_a_session_or_of_all() {
        let mut ana = linked();
        let by = identity("https://a", "1");
        for (number, session) in [(1, Some("x")), (2, Some("y")), (3, None)] {
            let session = session.map(str::to_owned);
            let issued = ana.issue_for_identity(token(number), &by, session).unwrap();
            apply(&mut ana, issued);
        }
        let typed = ana.issue(token(4), &ana.password.clone()).unwrap();
        apply(&mut ana, typed);
        let ids = |user: &User| user.tokens.keys().map(|id| id.get()).collect::<Vec<_>>();
        let logout = |session: Option<&str>, number| ProviderLogout {
            issuer: "https://a".to_owned(),
            session: session.map(str::to_owned),
            logout: SecretHash::new([number; 32]),
        };
        let ended = ana.log_out_by_provider(&logout(Some("x"), 1)).unwrap();
        apply(&mut ana, ended);
        assert_eq!(ids(&ana), [2, 3, 4]);
        let again = ana.log_out_by_provider(&logout(Some("y"), 1)).err();
        assert_eq!(again, Some(IdentityRefusal::Replayed));
        let ended = ana.log_out_by_provider(&logout(None, 2)).unwrap();
        apply(&mut ana, ended);
        assert_eq!(ids(&ana), [4]);
        let unlinked = ana.unlink_identity(&by.id(), TokenId::new(0)).unwrap();
        apply(&mut ana, unlinked);
        let late = ana.issue_for_identity(token(5), &by, None).err();
        assert_eq!(late, Some(IssueRefusal::Unlinked));
    }
}
