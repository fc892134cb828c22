//! Passwords that operators choose: generated here, or typed without echo.

use std::io::{BufRead, Write};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// The length of a generated password: 20 of 32 characters are 100 bits.
const CHARS: usize = 20;
/// Letters and digits that cannot be mistaken for each other.
const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// Generates a random password.
pub(super) fn made_up() -> String {
    let bytes: [u8; CHARS] = crate::random::random();
    let character = |byte: &u8| char::from(ALPHABET[usize::from(byte % 32)]);
    let chars: Vec<char> = bytes.iter().map(character).collect();
    let parts: Vec<String> = chars.chunks(5).map(|part| part.iter().collect()).collect();
    parts.join("-")
}

/// Reads a password from a line of stdin.
pub(super) fn read() -> Result<String, String> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).map_err(unreadable)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

fn unreadable(error: impl Into<std::io::Error>) -> String {
    format!("reading the password failed: {}", error.into())
}

/// Asks for a password twice on the terminal.
pub(super) fn asked_for() -> Result<String, String> {
    let first = hidden("New password: ")?;
    if first != hidden("Repeat the password: ")? {
        return Err("the passwords do not match".to_owned());
    }
    Ok(first)
}

/// Turns the terminal's echo back on when dropped.
struct EchoOff(Termios);

impl Drop for EchoOff {
    fn drop(&mut self) {
        // A terminal that is gone needs no echo.
        tcsetattr(std::io::stdin(), OptionalActions::Flush, &self.0).unwrap_or(());
    }
}

fn hidden(prompt: &str) -> Result<String, String> {
    let before = tcgetattr(std::io::stdin()).map_err(unreadable)?;
    let mut silent = before.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    let shown = EchoOff(before);
    tcsetattr(std::io::stdin(), OptionalActions::Flush, &silent).map_err(unreadable)?;
    let mut terminal = std::io::stderr();
    write!(terminal, "{prompt}").and_then(|()| terminal.flush()).map_err(unreadable)?;
    let line = read();
    drop(shown);
    drop(writeln!(terminal));
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_passwords_are_long_and_never_the_same() {
        let one = made_up();
        assert_eq!(one.len(), CHARS + 3);
        assert_ne!(one, made_up());
    }
}
