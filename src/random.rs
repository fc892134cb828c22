//! What nobody can guess.

/// Random bytes from the operating system.
///
/// # Panics
/// When it has none, which no system that the server runs on says.
pub fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system always has random bytes");
    bytes
}
