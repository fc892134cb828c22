//! What tests that kill a server in rounds begin with: how often, by which chances, and
//! somebody on a data directory.

use tempfile::TempDir;

use crate::asking::{Person, starts};

/// A number that whoever runs the tests may set.
pub(crate) fn number(name: &str) -> Option<u64> {
    #[expect(clippy::disallowed_methods, reason = "these variables are the test's own")]
    std::env::var(name).ok().map(|value| value.parse().expect("a number"))
}

/// Chances that `CRASH_SEED` repeats.
pub(crate) fn chances() -> fastrand::Rng {
    let seed = number("CRASH_SEED").unwrap_or_else(|| fastrand::u64(..));
    println!("CRASH_SEED={seed}");
    fastrand::Rng::with_seed(seed)
}

/// A data directory that outlives its servers, one after another.
pub(crate) struct Rounds {
    pub(crate) data: TempDir,
    /// Who is known there from the beginning.
    pub(crate) person: Person,
    pub(crate) random: fastrand::Rng,
    left: std::ops::RangeInclusive<u64>,
}

impl Rounds {
    /// So many, unless `CRASH_ROUNDS` says otherwise.
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

    /// The number of the next one, from 1, if there is one.
    pub(crate) fn next(&mut self) -> Option<u64> {
        let number = self.left.next()?;
        println!("round {number}");
        Some(number)
    }
}
