//! Tries inputs one after the other, each from a seed of its own, and shrinks the first one that
//! fails to the smallest that still fails.

use std::fmt::Debug;
use std::panic;
use std::sync::{LazyLock, Mutex, MutexGuard, Once, PoisonError};
use std::time::Instant;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// The seed, unless `FUZZ_SEED` is set.
const SEED: u64 = 20_260_101;
/// How many smaller inputs are tried after a failure.
const TRIES: usize = 300;
/// How much resident memory this process may have after a surface was tried.
const RESIDENT_BYTES: u64 = 2 << 30;

/// The messages of all panics in any thread of this process.
static PANICS: LazyLock<Mutex<Vec<String>>> = LazyLock::new(Mutex::default);
static HOOK: Once = Once::new();
/// Held while a surface is tried: surfaces take turns, so that it is known to which one a panic
/// belongs.
static TURN: Mutex<()> = Mutex::new(());

fn panics() -> MutexGuard<'static, Vec<String>> {
    PANICS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Records panics of all threads, also those that are caught.
fn listen() {
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let thread = std::thread::current().name().unwrap_or("?").to_owned();
            panics().push(format!("a panic on thread {thread}: {info}"));
            usual(info);
        }));
    });
}

/// The number in an environment variable, if it is set.
fn asked(name: &str) -> Option<u64> {
    #[expect(clippy::disallowed_methods, reason = "these variables are the test's own")]
    std::env::var(name).ok().map(|value| value.parse().expect("a number"))
}

/// What came of an input: how many inputs it consisted of, or what was wrong.
pub(crate) type Outcome = Result<u64, String>;

/// A part of the server that takes bytes from strangers.
pub(crate) struct Surface {
    /// The name of the surface.
    pub(crate) name: &'static str,
    /// How many inputs are tried unless `FUZZ` is set.
    pub(crate) usual: u64,
}

impl Surface {
    /// Tries inputs until there were enough of them; panics at the first one that fails.
    pub(crate) fn holds<S: Strategy>(
        &self,
        inputs: &S,
        mut surface: impl FnMut(&S::Value) -> Outcome,
    ) where
        S::Value: Debug,
    {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        listen();
        panics().clear();
        let seed = asked("FUZZ_SEED").unwrap_or(SEED);
        let (first, most) = match asked("FUZZ_CASE") {
            Some(case) => (case, 1),
            None => (0, asked("FUZZ").unwrap_or(self.usual)),
        };
        println!("{}: seed {seed}, {most} inputs", self.name);
        #[expect(clippy::disallowed_methods, reason = "how fast it was is only printed")]
        let began = Instant::now();
        let (mut tried, mut case) = (0, first);
        while tried < most {
            let mut runner = runner(seed, case);
            let mut tree = inputs.new_tree(&mut runner).unwrap();
            match watched(&mut surface, &tree.current()) {
                Ok(inputs) => tried += inputs.max(1),
                Err(first) => {
                    let (last, input) = smaller(&mut surface, &mut tree, first.clone());
                    panic!(
                        "{} fails. Again: FUZZ_SEED={seed} FUZZ_CASE={case}\nat first: {first}\n\
                         as small as it gets: {last}\ninput: {input:#?}",
                        self.name
                    );
                }
            }
            case += 1;
        }
        let (seconds, resident) = (began.elapsed().as_secs_f64(), resident());
        println!(
            "{}: {tried} inputs in {} cases within {seconds:.1} s; {} MiB resident",
            self.name,
            case - first,
            resident >> 20
        );
        assert!(resident < RESIDENT_BYTES, "{} bytes are resident", resident);
    }
}

/// The random generator of a case, seeded with the run's seed and the number of the case.
fn runner(seed: u64, case: u64) -> TestRunner {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&case.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let config = Config { failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, rng)
}

/// Tries an input; a panic of any thread counts as a failure of this input.
fn watched<V>(surface: &mut impl FnMut(&V) -> Outcome, input: &V) -> Outcome {
    let run = panic::catch_unwind(panic::AssertUnwindSafe(|| surface(input)));
    let noticed = std::mem::take(&mut *panics());
    match run {
        _ if !noticed.is_empty() => Err(noticed.join("\n")),
        Ok(outcome) => outcome,
        Err(_) => Err("it panicked".to_owned()),
    }
}

/// Shrinks an input as long as it fails. Returns the smallest input that fails, and its error.
fn smaller<T: ValueTree>(
    surface: &mut impl FnMut(&T::Value) -> Outcome,
    tree: &mut T,
    mut wrong: String,
) -> (String, T::Value) {
    let mut smallest = tree.current();
    let mut goes_on = tree.simplify();
    for _ in 0..TRIES {
        if !goes_on {
            break;
        }
        let input = tree.current();
        goes_on = match watched(surface, &input) {
            Ok(_) => tree.complicate(),
            Err(again) => {
                (wrong, smallest) = (again, input);
                tree.simplify()
            }
        };
    }
    (wrong, smallest)
}

/// Resident memory of this process in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    let kilobytes: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes << 10
}

mod tests {
    use proptest::collection::vec;

    use super::*;

    #[test]
    fn failures_shrink_and_seeds_reproduce() {
        // The panics are recorded for all threads, so no surface may be tried meanwhile.
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let inputs = vec(0..1000_u32, 0..20);
        let run = || {
            let mut tree = (0..).find_map(|case| {
                let tree = inputs.new_tree(&mut runner(7, case)).unwrap();
                (tree.current().iter().sum::<u32>() > 900).then_some(tree)
            });
            let mut surface = |input: &Vec<u32>| match input.iter().sum::<u32>() > 900 {
                true => Err("too much".to_owned()),
                false => Ok(1),
            };
            smaller(&mut surface, tree.as_mut().unwrap(), String::new()).1
        };
        assert_eq!(run().iter().sum::<u32>(), 901);
        assert_eq!(run(), run());
    }

    #[test]
    fn a_panic_of_another_thread_is_noticed() {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        listen();
        panics().clear();
        let mut surface = |(): &()| {
            let thread = std::thread::Builder::new().name("behind".to_owned());
            drop(thread.spawn(|| panic!("planted: on purpose")).unwrap().join());
            Ok(1)
        };
        let wrong = watched(&mut surface, &()).unwrap_err();
        assert!(wrong.contains("behind") && wrong.contains("planted"), "{wrong}");
    }
}
