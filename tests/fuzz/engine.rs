//! Tries inputs one after the other, each from a seed of its own, and makes the first one
//! that fails as small as it still fails.

use std::fmt::Debug;
use std::panic;
use std::sync::{LazyLock, Mutex, MutexGuard, Once, PoisonError};
use std::time::Instant;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// The seed unless another is asked for.
const SEED: u64 = 20_260_101;
/// How often something that fails is tried again, smaller.
const TRIES: usize = 300;
/// Memory of this process at most, with all that a surface has left in it.
const RESIDENT_BYTES: u64 = 2 << 30;

/// Every panic of any thread of this process, in words.
static PANICS: LazyLock<Mutex<Vec<String>>> = LazyLock::new(Mutex::default);
static HOOK: Once = Once::new();
/// Surfaces are tried one after the other, so that a panic belongs to one of them.
static TURN: Mutex<()> = Mutex::new(());

fn panics() -> MutexGuard<'static, Vec<String>> {
    PANICS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes note of panics in all threads, also where somebody catches them.
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

/// A number that somebody set for this run.
fn asked(name: &str) -> Option<u64> {
    #[expect(clippy::disallowed_methods, reason = "these variables are the test's own")]
    std::env::var(name).ok().map(|value| value.parse().expect("a number"))
}

/// What an input did: how many inputs it held, or what was wrong.
pub(crate) type Outcome = Result<u64, String>;

/// Something that takes bytes from strangers.
pub(crate) struct Surface {
    /// What it is called.
    pub(crate) name: &'static str,
    /// Inputs of a run of all tests.
    pub(crate) usual: u64,
}

impl Surface {
    /// Tries inputs until there were enough of them.
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

/// All chance of a case comes from here.
fn runner(seed: u64, case: u64) -> TestRunner {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&case.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let config = Config { failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, rng)
}

/// Tries an input; panics of any thread count as its fault.
fn watched<V>(surface: &mut impl FnMut(&V) -> Outcome, input: &V) -> Outcome {
    let run = panic::catch_unwind(panic::AssertUnwindSafe(|| surface(input)));
    let noticed = std::mem::take(&mut *panics());
    match run {
        _ if !noticed.is_empty() => Err(noticed.join("\n")),
        Ok(outcome) => outcome,
        Err(_) => Err("it panicked".to_owned()),
    }
}

/// Makes an input smaller as long as it fails, and says what it did last.
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

/// Bytes of this process in memory.
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
    fn what_fails_is_made_small_and_the_same_seed_gives_the_same() {
        // Whoever looks for panics takes those of all threads.
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
