//! `coterie user`: manages accounts.

use std::io::{BufRead, IsTerminal, Write};
use std::process::ExitCode;

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::admin::base_url;
use crate::admin::protocol::{AccountView, AdminCommand, AdminResult, NewUser};
use crate::cli::command::{AccountArgs, DataDirArgs, PasswordArgs, UserAct};
use crate::cli::reach::{self, CommandError, IfAbsent, ReachedInstance};
use crate::cli::{REFUSED, complain, say, say_json, when};
use crate::config::Options;
use crate::log::{self, LogFormat};
use domain::time::Timestamp;

/// Carries out the command.
pub(super) fn run(act: UserAct) -> Result<ExitCode, String> {
    match act {
        UserAct::Add { name, email, phone, operator, password, place } => {
            let command = |password| {
                let phone_number = phone;
                AdminCommand::AddUser(NewUser { name, email, phone_number, password, operator })
            };
            with_password(&place, &password, IfAbsent::Begin, command)
        }
        UserAct::List { json, place } => list(&place, json),
        UserAct::Promote { named: AccountArgs { user, place }, role } => {
            let role = Some(role).filter(|role| role != "none");
            one(&place, IfAbsent::Refuse, AdminCommand::SetRole { user, role })
        }
        UserAct::Disable(AccountArgs { user, place }) => {
            one(&place, IfAbsent::Refuse, AdminCommand::DisableUser { user })
        }
        UserAct::Enable(AccountArgs { user, place }) => {
            one(&place, IfAbsent::Refuse, AdminCommand::EnableUser { user })
        }
        UserAct::ResetFactors(AccountArgs { user, place }) => {
            one(&place, IfAbsent::Refuse, AdminCommand::ResetFactors { user })
        }
        UserAct::Recover(AccountArgs { user, place }) => recover(&place, user),
        UserAct::ResetPassword { password, named: AccountArgs { user, place } } => {
            let command = |password| AdminCommand::ResetPassword { user, password };
            with_password(&place, &password, IfAbsent::Refuse, command)
        }
    }
}

fn with_password(
    place: &DataDirArgs,
    choice: &PasswordArgs,
    if_absent: IfAbsent,
    command: impl FnOnce(String) -> AdminCommand,
) -> Result<ExitCode, String> {
    if choice.generate {
        let password = made_up();
        let code = one(place, if_absent, command(password.clone()))?;
        if code == ExitCode::SUCCESS {
            say(&format!("password: {password}"))?;
        }
        return Ok(code);
    }
    let password = if std::io::stdin().is_terminal() { asked_for()? } else { read()? };
    one(place, if_absent, command(password))
}

/// Carries out a command about one account, and prints the account.
fn one(
    place: &DataDirArgs,
    if_absent: IfAbsent,
    command: AdminCommand,
) -> Result<ExitCode, String> {
    log::start(&place.log, LogFormat::Text)?;
    match ReachedInstance::at(&place.data_dir, if_absent)?.ask(command) {
        Ok(AdminResult::User(account)) => say(&line(&account)).map(|()| ExitCode::SUCCESS),
        Ok(other) => Err(reach::unexpected_reply(&other)),
        Err(not_done) => refused(not_done),
    }
}

/// Prints a recovery link. Without a running server, it begins with the public URL of the
/// environment.
fn recover(place: &DataDirArgs, user: String) -> Result<ExitCode, String> {
    log::start(&place.log, LogFormat::Text)?;
    let mut reached = ReachedInstance::at(&place.data_dir, IfAbsent::Refuse)?;
    match reached.ask(AdminCommand::RecoverUser { user }) {
        Ok(AdminResult::RecoveryLink { path, base }) => {
            let base = match base {
                Some(base) => base,
                None => {
                    let options = Options::of(&place.data_dir).map_err(|it| it.to_string())?;
                    base_url(&options.settings_at(options.listen))
                }
            };
            say(&format!("{base}{path}")).map(|()| ExitCode::SUCCESS)
        }
        Ok(other) => Err(reach::unexpected_reply(&other)),
        Err(not_done) => refused(not_done),
    }
}

fn refused(not_done: CommandError) -> Result<ExitCode, String> {
    match not_done {
        CommandError::Refused(why) => {
            complain(&why);
            Ok(ExitCode::from(REFUSED))
        }
        CommandError::Failed(why) => Err(why),
    }
}

fn list(place: &DataDirArgs, json: bool) -> Result<ExitCode, String> {
    log::start(&place.log, LogFormat::Text)?;
    let mut reached = ReachedInstance::at(&place.data_dir, IfAbsent::Refuse)?;
    let mut after = None;
    loop {
        let (users, more) = match reached.ask(AdminCommand::ListUsers { after }) {
            Ok(AdminResult::Users { users, more }) => (users, more),
            Ok(other) => return Err(reach::unexpected_reply(&other)),
            Err(not_done) => return refused(not_done),
        };
        for user in &users {
            if json {
                say_json(&serde_json::to_string(user).map_err(|it| it.to_string())?)?;
            } else {
                say(&line(user))?;
            }
        }
        after = users.last().and_then(|user| user.id.parse().ok());
        if !more || after.is_none() {
            return Ok(ExitCode::SUCCESS);
        }
    }
}

/// Formats an account on one line.
fn line(account: &AccountView) -> String {
    let AccountView { id, name, email, created_at, disabled_at, tokens, .. } = account;
    let since = |seconds| when::iso8601(Timestamp::from_seconds(seconds));
    let standing = match disabled_at {
        Some(at) => format!("disabled since {}", since(*at)),
        None => "active".to_owned(),
    };
    let operator = account.operator.as_ref().map(|it| format!("  {it}")).unwrap_or_default();
    let phone = account.phone_number.as_ref().map(|it| format!("  {it}")).unwrap_or_default();
    let plural = if *tokens == 1 { "" } else { "s" };
    let created = since(*created_at);
    format!(
        "{id}  {email}{phone}{operator}  {standing}  made {created}  {tokens} token{plural}  {name}"
    )
}

/// The length of a generated password: 20 of 32 characters are 100 bits.
const CHARS: usize = 20;
/// Letters and digits that cannot be mistaken for each other.
const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// Generates a random password.
pub(super) fn made_up() -> String {
    let bytes: [u8; CHARS] = base::random::random();
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
