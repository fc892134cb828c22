//! Tests that kill a server in rounds: how many rounds, the random numbers, and a user in a data
//! folder.

use tempfile::TempDir;

use crate::asking::{Person, starts};

/// The number in an environment variable, if it is set.
pub(crate) fn number(name: &str) -> Option<u64> {
    #[expect(clippy::disallowed_methods, reason = "these variables are the test's own")]
    std::env::var(name).ok().map(|value| value.parse().expect("a number"))
}

/// A random generator, seeded with `CRASH_SEED` if it is set.
pub(crate) fn chances() -> fastrand::Rng {
    let seed = number("CRASH_SEED").unwrap_or_else(|| fastrand::u64(..));
    println!("CRASH_SEED={seed}");
    fastrand::Rng::with_seed(seed)
}

/// The rounds of a test, on one data folder that outlives its servers.
pub(crate) struct Rounds {
    pub(crate) data: TempDir,
    /// The user who is registered before the first round.
    pub(crate) person: Person,
    pub(crate) random: fastrand::Rng,
    left: std::ops::RangeInclusive<u64>,
}

impl Rounds {
    /// Prepares `usual` rounds, or as many as `CRASH_ROUNDS` says.
    pub(crate) async fn begin(usual: u64) -> Self {
        let rounds = number("CRASH_ROUNDS").unwrap_or(usual);
        println!("CRASH_ROUNDS={rounds}");
        let random = chances();
        let data = TempDir::new().unwrap();
        let program = starts(data.path());
        let person = Person::registered(&program).await;
        program.dies();
        Self { data, person, random, left: 1..=rounds }
    }

    /// The number of the next round, from 1; None after the last one.
    pub(crate) fn next(&mut self) -> Option<u64> {
        let number = self.left.next()?;
        println!("round {number}");
        Some(number)
    }
}
