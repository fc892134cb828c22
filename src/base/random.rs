//! Random values that cannot be guessed.

/// Returns random bytes from the operating system.
///
/// # Panics
/// If the system has none, which does not happen on the systems that the server runs on.
pub fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system always has random bytes");
    bytes
}
