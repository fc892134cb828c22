//! `coterie user`: accounts, as operators handle them.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use crate::admin::protocol::{Account, NewUser, Told, Wish};
use crate::cli::command::{Named, Password, Place, UserAct};
use crate::cli::reach::{IfAbsent, NotDone, Reached};
use crate::cli::{REFUSED, say, secret, when};
use crate::domain::time::Timestamp;
use crate::log::{self, LogFormat};

/// Does it.
pub(super) fn run(act: UserAct) -> Result<ExitCode, String> {
    match act {
        UserAct::Add { name, email, phone, password, place } => {
            let wish =
                |password| Wish::AddUser(NewUser { name, email, phone_number: phone, password });
            with_password(&place, &password, IfAbsent::Begin, wish)
        }
        UserAct::List { json, place } => list(&place, json),
        UserAct::Disable(Named { user, place }) => {
            one(&place, IfAbsent::Refuse, Wish::DisableUser { user })
        }
        UserAct::Enable(Named { user, place }) => {
            one(&place, IfAbsent::Refuse, Wish::EnableUser { user })
        }
        UserAct::ResetPassword { password, named: Named { user, place } } => {
            let wish = |password| Wish::ResetPassword { user, password };
            with_password(&place, &password, IfAbsent::Refuse, wish)
        }
    }
}

fn with_password(
    place: &Place,
    choice: &Password,
    if_absent: IfAbsent,
    wish: impl FnOnce(String) -> Wish,
) -> Result<ExitCode, String> {
    if choice.generate {
        let password = secret::made_up();
        let code = one(place, if_absent, wish(password.clone()))?;
        if code == ExitCode::SUCCESS {
            say(&format!("password: {password}"))?;
        }
        return Ok(code);
    }
    let password =
        if std::io::stdin().is_terminal() { secret::asked_for()? } else { secret::read()? };
    one(place, if_absent, wish(password))
}

/// One wish about one account.
fn one(place: &Place, if_absent: IfAbsent, wish: Wish) -> Result<ExitCode, String> {
    log::start(&place.log, LogFormat::Text)?;
    match Reached::at(&place.data_dir, if_absent)?.ask(wish) {
        Ok(Told::User(account)) => say(&line(&account)).map(|()| ExitCode::SUCCESS),
        Ok(Told::Users { .. } | Told::Place { .. } | Told::Clock { .. }) => {
            Err(MISUNDERSTOOD.to_owned())
        }
        Err(not_done) => refused(not_done),
    }
}

const MISUNDERSTOOD: &str = "the running server answered something else";

fn refused(not_done: NotDone) -> Result<ExitCode, String> {
    match not_done {
        NotDone::Refused(why) => {
            // Whoever closed our stderr does not want to know why.
            drop(writeln!(std::io::stderr(), "coterie: {why}"));
            Ok(ExitCode::from(REFUSED))
        }
        NotDone::Failed(why) => Err(why),
    }
}

fn list(place: &Place, json: bool) -> Result<ExitCode, String> {
    log::start(&place.log, LogFormat::Text)?;
    let mut reached = Reached::at(&place.data_dir, IfAbsent::Refuse)?;
    let mut after = None;
    loop {
        let (users, more) = match reached.ask(Wish::ListUsers { after }) {
            Ok(Told::Users { users, more }) => (users, more),
            Ok(Told::User(_) | Told::Place { .. } | Told::Clock { .. }) => {
                return Err(MISUNDERSTOOD.to_owned());
            }
            Err(not_done) => return refused(not_done),
        };
        for user in &users {
            let text = if json {
                serde_json::to_string(user).map_err(|it| it.to_string())?
            } else {
                line(user)
            };
            say(&text)?;
        }
        after = users.last().and_then(|user| user.id.parse().ok());
        if !more || after.is_none() {
            return Ok(ExitCode::SUCCESS);
        }
    }
}

/// An account on one line.
fn line(account: &Account) -> String {
    let Account { id, name, email, created_at, disabled_at, tokens, .. } = account;
    let since = |seconds| when::written(Timestamp::from_seconds(seconds));
    let standing = match disabled_at {
        Some(at) => format!("disabled since {}", since(*at)),
        None => "active".to_owned(),
    };
    let phone = account.phone_number.as_ref().map(|it| format!("  {it}")).unwrap_or_default();
    let plural = if *tokens == 1 { "" } else { "s" };
    let created = since(*created_at);
    format!("{id}  {email}{phone}  {standing}  since {created}  {tokens} token{plural}  {name}")
}
