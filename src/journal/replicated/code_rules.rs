//! Authentication of messages of the log: from the first message with a code on, every message
//! needs a valid one, by the key of the installation, for its place in the log.
//!
//! A code covers the newest message before it on its subject, so a copy of a message is invalid at
//! any other place. All nodes decide alike, because the decision depends on the messages before it
//! alone; after a restart, the marks in the copy tell what came before.

use std::sync::atomic::Ordering;

use crate::JournalFault;
use crate::replicated::foundation::Founding;
use crate::replicated::key::InstallationKey;
use crate::replicated::key_state::{KeyState, no_key};
use crate::replicated::log::{Code, Delivered, Subject};
use crate::replicated::message::{Content, LogMessage, has_code, number_under};
use crate::replicated::node::Node;

impl Node {
    /// Whether this node's messages have codes: once the log has them, and from the start if this
    /// node founds it.
    pub(super) fn writes_codes(&self) -> bool {
        let KeyState { are_required, are_wanted, .. } = self.codes;
        let begins = are_required || are_wanted || self.founding != Founding::Done;
        self.codes.key.is_some() && begins
    }

    /// The number of the next message.
    pub(super) fn next_number(&mut self) -> u64 {
        self.numbers += 1;
        let key = self.codes.key.filter(|_| self.writes_codes());
        self.numbers + key.map_or(0, |key| number_under(&key))
    }

    /// The code of the next message on a subject, if it has one.
    pub(super) fn code(&mut self, subject: Subject, payload: &[u8]) -> Option<Code> {
        let key = self.codes.key.filter(|_| self.writes_codes())?;
        Some(key.of_message(subject, self.lanes.of(subject).marked, payload))
    }

    /// Returns a message that the log's codes allow, or says why it is to be skipped.
    pub(super) fn authenticated(
        &mut self,
        message: LogMessage,
        delivered: &Delivered,
    ) -> Result<LogMessage, &'static str> {
        if !has_code(message.name.number) {
            let is_old = self.codes.are_required;
            return if is_old { Err("it has no code") } else { Ok(message) };
        }
        let after = self.lanes.of(message.subject).marked;
        let is_valid = |key: InstallationKey, code: Code| {
            key.is_of_message(&code, message.subject, after, &delivered.payload)
        };
        match self.codes.key.zip(delivered.code) {
            Some((key, code)) if is_valid(key, code) => {
                let came = self.lanes.of(message.subject).unmarked.contains(&code);
                if came { Err("it came before") } else { Ok(message) }
            }
            Some(_) | None => Err("its code is not valid here"),
        }
    }

    /// Notes that a message was read at its place.
    pub(super) fn note_code(&mut self, message: &LogMessage, code: Option<Code>) {
        if has_code(message.name.number) {
            if matches!(message.content, Content::Part(_)) {
                self.lanes.of(message.subject).unmarked.extend(code);
            }
            self.codes.is_proven = true;
            self.codes.are_required = true;
            self.core.has_codes.store(true, Ordering::SeqCst);
        }
    }

    /// Refuses a message with a code if this node has no key.
    pub(super) fn refuse_without_key(&self, message: &LogMessage) -> Result<(), JournalFault> {
        let needs_key = has_code(message.name.number) && self.codes.key.is_none();
        if needs_key { Err(no_key()) } else { Ok(()) }
    }

    /// Refuses a message with an invalid code if no message was valid yet: the node's key may be
    /// the wrong one.
    pub(super) fn refuse_other_key(&self, delivered: &Delivered) -> Result<(), JournalFault> {
        let message = LogMessage::read(delivered.subject, &delivered.payload);
        let is_doubtful = message.is_ok_and(|it| has_code(it.name.number)) && !self.codes.is_proven;
        if is_doubtful { Err(self.codes.other_key()) } else { Ok(()) }
    }

    /// Begins to write codes, with a repeated take-over if no commit is under way.
    pub(super) fn begin_codes(&mut self) {
        let can = self.codes.key.is_some() && self.founding == Founding::Done;
        if !can || self.codes.are_required || !self.is_caught_up() {
            return;
        }
        self.codes.are_wanted = true;
        if self.leads && self.lanes.of(Subject::LEADER).is_idle() {
            self.send_take_over(Subject::LEADER);
        }
    }
}
