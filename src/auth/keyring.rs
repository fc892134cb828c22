//! The keyring: finds the user of a token, in a bounded cache first, then in the index.
//!
//! The cache is a projection of the journal: a token that ended, however it ended, is out of the
//! cache before anybody is answered or hears of its end. Nothing else has to invalidate it.
//!
//! A token is 40 random letters and digits and is stored as its SHA-256 only; with that much
//! randomness a slow hash would add nothing.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quick_cache::sync::Cache;

use crate::access_token::{AccessToken, hash};
use base::clock::Clock;
use domain::event::Fact;
use domain::ids::{ClientId, StreamId, TokenId, UserId};
use domain::instance::{FixedSettings, InstanceFact, SettingsInEffect};
use domain::required_factor::FactorRequirement;
use domain::scopes::ScopeSet;
use domain::time::Timestamp;
use domain::user::{TokenHash, TokenRecord, UserFact};
use index::{Index, IndexFault};
use journal::{Committed, Follower};

/// Tokens in the cache; a miss costs one look-up.
const REMEMBERED: usize = 65_536;
/// Lengths of tokens that still work. Earlier versions made tokens of 43 characters: 32 bytes in
/// base64. Texts of any other length are not even hashed.
const TOKEN_LENGTHS: [usize; 2] = [AccessToken::LENGTH, 43];
/// How exactly the last use of a token is known while the server runs, in milliseconds.
const USED_MILLIS: u64 = 60_000;
/// How exactly it is known after a restart: how often the use is written down, in milliseconds.
const NOTED_MILLIS: u64 = 24 * 60 * 60 * 1000;

/// The user who sent a request, found by the token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenOwner {
    /// The user's id.
    pub user: UserId,
    /// The token's id.
    pub token: TokenId,
    /// The token's hash.
    pub hash: TokenHash,
    /// When the token expires; `None` if it never does.
    pub expires_at: Option<Timestamp>,
    /// The application that the token was given to; `None` for a log-in.
    pub client: Option<ClientId>,
    /// What the token may be used for.
    pub scopes: ScopeSet,
    /// Whether it may be used for the account only, since the account lacks a second factor that it
    /// must have.
    pub lacks_factor: bool,
}

/// A token that was looked up.
#[derive(Debug)]
struct Known {
    caller: TokenOwner,
    /// When it was last used, in Unix milliseconds; zero when never.
    used: AtomicU64,
    /// When its use was last written down, or when it was created; in Unix milliseconds.
    noted: AtomicU64,
    /// The value of [`Keyring::removals`] when it was looked up.
    removals: u64,
    /// Until when the account may be used without a second factor, as it was looked up last.
    factor: Mutex<FactorCheck>,
}

/// Until when an account may be used without the second factor that everybody must have.
#[derive(Debug, Clone, Copy, Default)]
struct FactorCheck {
    /// The number of changes of settings and factors at which it was looked up; zero if it never was.
    at: u64,
    /// The deadline; `None` if the account has a factor, or needs none.
    deadline: Option<Timestamp>,
}

impl Known {
    fn of(user: UserId, token: &TokenRecord, removals: u64) -> Self {
        let caller = TokenOwner {
            user,
            token: token.id,
            hash: token.hash,
            expires_at: token.expires_at,
            client: token.client,
            scopes: token.effective_scopes(),
            lacks_factor: false,
        };
        let used = token.last_used_at.unwrap_or_default();
        let noted = used.max(token.created_at);
        let used = AtomicU64::new(used.millis());
        let noted = AtomicU64::new(noted.millis());
        Self { caller, used, noted, removals, factor: Mutex::default() }
    }
}

/// Finds the users of tokens.
pub struct Keyring {
    index: Arc<Index>,
    clock: Arc<dyn Clock>,
    known: Cache<TokenHash, Arc<Known>>,
    /// Tokens whose use is to be written down, and their users.
    due: Mutex<HashMap<TokenId, UserId>>,
    /// Counts revocations, so that a look-up in progress cannot put a revoked token back.
    revocations: Mutex<u64>,
    /// Counts removals of applications. Their tokens are not searched for in the cache, which would
    /// hold up the journal: each is looked up once more when it is used next.
    removals: AtomicU64,
    /// Counts changes of the settings.
    setting_changes: AtomicU64,
    /// The value of `setting_changes` at which not everybody had to have a second factor; zero if that
    /// was never so.
    is_optional_at: AtomicU64,
    /// Counts facts that may change whether an account lacks the factor, for users whose ids have the
    /// same remainder.
    factor_changes: [AtomicU64; 256],
}

impl Keyring {
    /// An empty cache over this index.
    pub fn new(index: Arc<Index>, clock: Arc<dyn Clock>) -> Self {
        let known = Cache::new(REMEMBERED);
        let due = Mutex::default();
        Self {
            index,
            clock,
            known,
            due,
            revocations: Mutex::default(),
            removals: AtomicU64::new(0),
            setting_changes: AtomicU64::new(1),
            is_optional_at: AtomicU64::new(0),
            factor_changes: std::array::from_fn(|_| AtomicU64::new(0)),
        }
    }

    /// Returns the user of this token; `None` if it is unknown, revoked or expired.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub async fn caller(&self, token: &str) -> Result<Option<TokenOwner>, IndexFault> {
        if !TOKEN_LENGTHS.contains(&token.len()) {
            return Ok(None);
        }
        let Some(known) = self.find(hash(token)).await? else { return Ok(None) };
        self.touch(&known);
        self.limited(&known).await.map(Some)
    }

    /// The caller of a token; with what the account alone needs, if the account lacks a second factor
    /// after the time that it had to set one up.
    async fn limited(&self, known: &Known) -> Result<TokenOwner, IndexFault> {
        let setting_changes = self.setting_changes.load(Ordering::SeqCst);
        if self.is_optional_at.load(Ordering::Relaxed) == setting_changes {
            return Ok(known.caller);
        }
        let user = known.caller.user;
        let changes = setting_changes + self.factor_changes_of(user).load(Ordering::SeqCst);
        let now = self.clock.now().wall;
        let is_late = |check: FactorCheck| check.deadline.is_some_and(|deadline| deadline <= now);
        let check = *known.factor.lock().unwrap_or_else(PoisonError::into_inner);
        if check.at == changes && !is_late(check) {
            return Ok(known.caller);
        }
        self.index.current().await?;
        let read = self.index.blocking(move |index| {
            // Options of the server require nothing of everybody.
            let settings = SettingsInEffect::of(&FixedSettings::default(), index.place_settings()?);
            if settings.second_factor.value.of != FactorRequirement::Everyone {
                return Ok(None);
            }
            let deadline = index.factor_deadline(user, &settings, now)?;
            Ok(Some(FactorCheck { at: changes, deadline }))
        });
        let Some(check) = read.await? else {
            self.is_optional_at.store(setting_changes, Ordering::Relaxed);
            return Ok(known.caller);
        };
        *known.factor.lock().unwrap_or_else(PoisonError::into_inner) = check;
        if !is_late(check) {
            return Ok(known.caller);
        }
        let scopes = known.caller.scopes.within(ScopeSet::WITHOUT_FACTOR);
        Ok(TokenOwner { scopes, lacks_factor: true, ..known.caller })
    }

    fn factor_changes_of(&self, user: UserId) -> &AtomicU64 {
        let at = usize::try_from(user.get() % 256).unwrap_or_default();
        &self.factor_changes[at]
    }

    /// Whether the token of this caller still works.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub async fn still_opens(&self, caller: &TokenOwner) -> Result<bool, IndexFault> {
        self.opens(&caller.hash).await
    }

    /// Whether the token with this hash works.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub async fn opens(&self, hash: &TokenHash) -> Result<bool, IndexFault> {
        Ok(self.find(*hash).await?.is_some())
    }

    async fn find(&self, hash: TokenHash) -> Result<Option<Arc<Known>>, IndexFault> {
        let known = match self.known.get(&hash).filter(|known| self.is_current(known)) {
            Some(known) => Some(known),
            None => self.look_up(hash).await?,
        };
        Ok(known.filter(|known| self.is_alive(&known.caller)))
    }

    /// Remembers that a token is in use. Most requests store nothing here: many threads would
    /// contend for the cache line.
    fn touch(&self, known: &Known) {
        let now = self.clock.now().wall.millis();
        if now < known.used.load(Ordering::Relaxed).saturating_add(USED_MILLIS) {
            return;
        }
        known.used.store(now, Ordering::Relaxed);
        if now >= known.noted.load(Ordering::Relaxed).saturating_add(NOTED_MILLIS) {
            let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
            if due.len() < REMEMBERED {
                due.insert(known.caller.token, known.caller.user);
                known.noted.store(now, Ordering::Relaxed);
            }
        }
    }

    /// When a token was last used, as far as this process knows.
    pub fn last_used(&self, hash: &TokenHash) -> Option<Timestamp> {
        let used = self.known.get(hash)?.used.load(Ordering::Relaxed);
        (used > 0).then(|| Timestamp::from_millis(used))
    }

    /// Takes the tokens whose use is to be written down; each is due once a day at most.
    pub fn take_due(&self) -> HashMap<TokenId, UserId> {
        std::mem::take(&mut self.due.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the token of this caller has not expired.
    pub fn is_alive(&self, caller: &TokenOwner) -> bool {
        caller.expires_at.is_none_or(|end| self.clock.now().wall < end)
    }

    async fn look_up(&self, hash: TokenHash) -> Result<Option<Arc<Known>>, IndexFault> {
        let seen = *self.revocations();
        let removals = self.removals.load(Ordering::SeqCst);
        self.index.current().await?;
        let row = self.index.blocking(move |index| index.token(&hash)).await?;
        let Some(row) = row else { return Ok(None) };
        let known = Arc::new(Known::of(row.user, &row.token, removals));
        // If any token was revoked during the look-up, it may be this one: it is not cached then.
        let revocations = self.revocations();
        if *revocations == seen {
            self.known.insert(hash, Arc::clone(&known));
        }
        Ok(Some(known))
    }

    /// Whether the token still counts: it was not given to an application, or no application was
    /// removed since it was looked up.
    fn is_current(&self, known: &Known) -> bool {
        known.caller.client.is_none() || known.removals == self.removals.load(Ordering::SeqCst)
    }

    fn revocations(&self) -> MutexGuard<'_, u64> {
        self.revocations.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, user: UserId, fact: &UserFact) {
        if may_change_factors(fact) {
            self.factor_changes_of(user).fetch_add(1, Ordering::SeqCst);
        }
        match fact {
            // Tokens of applications are not cached here: their application may have been removed
            // before, which only the index knows.
            UserFact::TokenIssued(token) if token.client.is_none() => {
                self.known.insert(token.hash, Arc::new(Known::of(user, token, 0)));
            }
            UserFact::TokenRevoked { hash, .. } => self.end(|known| drop(known.remove(hash))),
            UserFact::TokensRevoked { tokens } => self.end(|known| {
                tokens.iter().for_each(|dead| drop(known.remove(&dead.hash)));
            }),
            UserFact::ApplicationsRemoved { .. } => {
                self.removals.fetch_add(1, Ordering::SeqCst);
            }
            UserFact::TokenIssued(_)
            | UserFact::Registered { .. }
            | UserFact::ProfileChanged { .. }
            | UserFact::SmsModeOn(_)
            | UserFact::SmsModeOff
            | UserFact::Blocked { .. }
            | UserFact::Unblocked { .. }
            | UserFact::TokenUsed { .. }
            | UserFact::PasswordChanged { .. }
            | UserFact::ApplicationRegistered(_)
            | UserFact::DeviceAdded(_)
            | UserFact::DeviceRemoved { .. }
            | UserFact::ReadUpTo(_)
            | UserFact::Drafted { .. }
            | UserFact::LevelSet { .. }
            | UserFact::ChatMuted { .. }
            | UserFact::TopicMuted { .. }
            | UserFact::AllMuted { .. }
            | UserFact::Deleted
            | UserFact::Disabled
            | UserFact::Enabled
            | UserFact::PictureNamed { .. }
            | UserFact::Mailed(_)
            | UserFact::Factored(_)
            | UserFact::Identified(_)
            | UserFact::Provisioned(_)
            | UserFact::Waits(_)
            | UserFact::Admitted
            | UserFact::DmFromChosen { .. }
            | UserFact::RequestChanged { .. }
            | UserFact::OperatorRoleSet { .. }
            | UserFact::ReportResolved { .. }
            | UserFact::ListArranged { .. }
            | UserFact::MessageSaved(_)
            | UserFact::MessageUnsaved { .. }
            | UserFact::ConversationsPinned { .. } => {}
        }
    }

    /// Counts and removes under one lock, so that no look-up puts the token back in between.
    fn end(&self, remove: impl FnOnce(&Cache<TokenHash, Arc<Known>>)) {
        let mut revocations = self.revocations();
        *revocations += 1;
        remove(&self.known);
    }
}

/// Whether a fact may change which accounts lack a second factor that they must have.
const fn may_change_factors(fact: &UserFact) -> bool {
    matches!(
        fact,
        UserFact::Factored(_) | UserFact::OperatorRoleSet { .. } | UserFact::PasswordChanged { .. }
    )
}

/// Keeps a keyring up to date with the journal.
pub struct KeyringFollower(pub Arc<Keyring>);

impl Follower for KeyringFollower {
    fn project(&mut self, commits: &[Arc<Committed>]) {
        for commit in commits {
            for entry in &commit.entries {
                match (commit.stream, &entry.event.fact) {
                    (StreamId::User(user), Fact::User(fact)) => self.0.take(user, fact),
                    (_, Fact::Instance(InstanceFact::SettingsChanged { .. })) => {
                        self.0.setting_changes.fetch_add(1, Ordering::SeqCst);
                    }
                    _ => {}
                }
            }
        }
    }

    fn durable(&mut self, _: &Arc<[Arc<Committed>]>) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::clock::ManualClock;
    use domain::audience::Audience;
    use domain::event::{Entry, Event};
    use domain::text::{Email, UserName};
    use domain::user::{Application, ApplicationName, DeadToken, Profile, RedirectUrl};
    use index::indexer::{self, OpenedIndex};
    use index::memory::MemoryRows;
    use journal::memory::MemoryJournal;
    use journal::{Commit, CommitId, Journal, Outcome, StreamHead};

    const ANA: UserId = UserId::new(1);

    /// A keyring that follows a journal, and Ana's account in it.
    struct Fixture {
        journal: Arc<dyn Journal>,
        keyring: Arc<Keyring>,
        head: StreamHead,
        _indexer: indexer::Indexer,
    }

    impl Fixture {
        async fn begins() -> Self {
            let journal: Arc<dyn Journal> = Arc::new(MemoryJournal::new());
            let rows = Arc::new(MemoryRows::default());
            let OpenedIndex { index, indexer, .. } =
                indexer::open(rows, Arc::clone(&journal)).unwrap();
            let clock = Arc::new(ManualClock::at(Timestamp::from_seconds(100)));
            let keyring = Arc::new(Keyring::new(index, clock));
            journal.follow(Box::new(KeyringFollower(Arc::clone(&keyring))));
            let mut it = Self { journal, keyring, head: StreamHead::default(), _indexer: indexer };
            let profile = Profile {
                name: UserName::parse("Ana".to_owned()).unwrap(),
                email: Email::parse("ana@example.org").unwrap(),
                phone: None,
                image: None,
                zip_code: None,
                guest: None,
            };
            it.happens(UserFact::Registered { profile, password: String::new() }).await;
            it
        }

        /// Lets something happen to Ana, as her room would record it.
        async fn happens(&mut self, fact: UserFact) {
            let at = Timestamp::from_seconds(100);
            let event = Arc::new(Event { at, fact: Fact::User(fact) });
            let entry = Entry { audience: Audience::nobody(), ..Entry::stored(event) };
            let commit = Commit {
                stream: StreamId::User(ANA),
                head: self.head,
                id: CommitId(u128::from(self.head.token)),
                at,
                entries: vec![entry],
            };
            match self.journal.submit(commit).unwrap().await {
                Outcome::Committed(committed) => self.head = committed.after,
                Outcome::Conflict | Outcome::Unknown(_) => panic!("the journal works"),
            }
        }

        async fn gets_a_token(&mut self, id: u64, client: Option<ClientId>) -> AccessToken {
            let token = AccessToken::fresh();
            let record = TokenRecord {
                id: TokenId::new(id),
                hash: token.hash(),
                application: None,
                created_at: Timestamp::from_seconds(100),
                expires_at: None,
                client,
                last_used_at: None,
                device: None,
                scopes: None,
            };
            self.happens(UserFact::TokenIssued(record)).await;
            token
        }

        async fn registers(&mut self, client: ClientId) {
            let application = Application {
                client,
                name: ApplicationName::parse("A").unwrap(),
                callback_url: RedirectUrl::parse("https://example.org/back").unwrap(),
                created_at: Timestamp::from_seconds(100),
                scopes: None,
            };
            self.happens(UserFact::ApplicationRegistered(application)).await;
        }

        async fn opens(&self, token: &AccessToken) -> bool {
            self.keyring.caller(token.reveal()).await.unwrap().is_some()
        }
    }

    /// Nobody invalidates the cache explicitly: the 1001st log-in, which evicts the oldest token,
    /// used to tell nobody.
    #[tokio::test]
    async fn a_token_that_ended_in_the_journal_opens_nothing() {
        let mut fixture = Fixture::begins().await;
        let one = fixture.gets_a_token(1, None).await;
        let others = [fixture.gets_a_token(2, None).await, fixture.gets_a_token(3, None).await];
        assert!(fixture.opens(&one).await && fixture.opens(&others[0]).await);
        let id = TokenId::new(1);
        let hash = one.hash();
        fixture.happens(UserFact::TokenRevoked { id, hash }).await;
        assert!(!fixture.opens(&one).await);
        let dead = |id, token: &AccessToken| DeadToken { id: TokenId::new(id), hash: token.hash() };
        let tokens = vec![dead(2, &others[0]), dead(3, &others[1])];
        fixture.happens(UserFact::TokensRevoked { tokens }).await;
        assert!(!fixture.opens(&others[0]).await && !fixture.opens(&others[1]).await);
    }

    #[tokio::test]
    async fn deleted_application_ends_only_its_tokens() {
        let mut fixture = Fixture::begins().await;
        let gone = ClientId::new([1; 16]);
        let stays = ClientId::new([2; 16]);
        fixture.registers(gone).await;
        fixture.registers(stays).await;
        let own = fixture.gets_a_token(1, None).await;
        let spared = fixture.gets_a_token(2, Some(stays)).await;
        let ends = fixture.gets_a_token(3, Some(gone)).await;
        assert!(fixture.opens(&ends).await && fixture.opens(&spared).await);
        fixture.happens(UserFact::ApplicationsRemoved { clients: vec![gone] }).await;
        assert!(!fixture.opens(&ends).await);
        assert!(fixture.opens(&spared).await && fixture.opens(&own).await);
        // A token that was issued just after its application was removed.
        let late = fixture.gets_a_token(4, Some(gone)).await;
        assert!(!fixture.opens(&late).await);
    }
}
