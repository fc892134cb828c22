//! `coterie audit`: who logged in, who made and ended tokens, who owned and removed what, and what
//! operators did.
//!
//! Reads the journal from its beginning, since many lines come from ordinary facts of users and
//! groups, and learns the names of users and groups on the way. The audit log is kept as long as
//! the journal, which is for ever.

use std::process::ExitCode;

use crate::admin::protocol::AdminCommand;
use crate::cli::command::AuditArgs;
use crate::cli::{reach, say, say_json, when};
use crate::log::{self, LogFormat};
use domain::canonical::contacts::email_key;
use domain::event::Fact;
use domain::ids::{StreamId, UserId};
use domain::time::Timestamp;
use journal::view::View;
use journal::{Committed, Cursor, Journal};

mod line;

use crate::cli::audit::line::AuditNames;
use line::AuditLine;

/// How many bytes of the journal are read at a time.
const AT_ONCE: usize = 1 << 20;

/// Prints the audit log.
pub(super) fn run(wanted: &AuditArgs) -> Result<ExitCode, String> {
    let place = &wanted.place;
    log::start(&place.log, LogFormat::Text)?;
    let journal = place.data_dir.join("journal");
    if !journal.is_dir() {
        return Err(format!(
            "the data directory {} holds no installation",
            place.data_dir.display()
        ));
    }
    // Events of a running server that are not durable yet are left out.
    let end = match reach::running(&place.data_dir) {
        Some(running) => Some(reach::end_of(running, AdminCommand::TellPlace)?.0),
        None => None,
    };
    let view = View::open(&journal, end).map_err(|error| error.to_string())?;
    let mut reading = AuditReader {
        since: wanted.since.map(|since| since.moment()).unwrap_or_default(),
        user: wanted.user.clone(),
        json: wanted.json,
        names: AuditNames::default(),
    };
    let mut from = Cursor::START;
    loop {
        let stretch = view.scan(from, AT_ONCE).map_err(|fault| fault.to_string())?;
        if stretch.commits.is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
        stretch.commits.iter().try_for_each(|commit| reading.commit(commit))?;
        from = stretch.next;
    }
}

struct AuditReader {
    since: Timestamp,
    user: Option<String>,
    json: bool,
    names: AuditNames,
}

impl AuditReader {
    fn commit(&mut self, commit: &Committed) -> Result<(), String> {
        for entry in &commit.entries {
            let at = entry.event.at;
            let fact = &entry.event.fact;
            let line = self.line(commit.stream, fact);
            self.names.learn(commit.stream, fact);
            if at >= self.since
                && let Some(line) = line
            {
                self.show(at, &line)?;
            }
        }
        Ok(())
    }

    /// The line of a fact that is not learned yet.
    fn line(&self, stream: StreamId, fact: &Fact) -> Option<AuditLine> {
        match (stream, fact) {
            (StreamId::User(user), Fact::User(fact)) if self.names.change_contacts(user, fact) => {
                let former = self.names.email(user).map(str::to_owned);
                Some(AuditLine::contacts_changed(user, former))
            }
            (stream, fact) => AuditLine::of(stream, fact),
        }
    }

    fn show(&self, at: Timestamp, line: &AuditLine) -> Result<(), String> {
        if !self.user.as_ref().is_none_or(|user| self.is_about(line, user)) {
            return Ok(());
        }
        let at = when::iso8601(at);
        if self.json { say_json(&line.json(&at)) } else { say(&line.text(&at, &self.names)) }
    }

    fn is_about(&self, line: &AuditLine, wanted: &str) -> bool {
        let key = email_key(wanted);
        let is_same = |email: &str| email_key(email) == key;
        let is_wanted = |user: &UserId| {
            user.to_string() == wanted || self.names.email(*user).is_some_and(is_same)
        };
        line.users().any(|user| is_wanted(&user)) || line.email.as_deref().is_some_and(is_same)
    }
}
