//! Listeners: each has a reader, which is cut off now and then and resumed with its last cursor.

use std::rc::Rc;
use std::time::Duration;

use coterie::journal::Cursor;
use coterie::subscribers::reader::{Reader, ReaderEvent};
use fastrand::Rng;
use serde_json::Value;

use crate::book::{Heard, Shared, token_of};
use crate::machine::Server;

/// A listener in one life of the server; its subscription goes on after a crash.
pub(crate) struct Listener {
    pub(crate) subscription: usize,
    pub(crate) server: Rc<Server>,
    pub(crate) book: Shared,
    pub(crate) random: Rng,
    /// Whether the connection is cut now and then.
    pub(crate) is_cut: bool,
}

impl Listener {
    /// Listens until the server ends.
    pub(crate) async fn lives(mut self) {
        loop {
            if let Some(mut reader) = self.opens().await {
                self.listens(&mut reader).await;
            }
            let pause = Duration::from_millis(self.random.u64(1..300));
            tokio::time::sleep(pause).await;
        }
    }

    fn note(&self, what: impl FnOnce() -> String) {
        let subscription = self.subscription;
        self.book.borrow_mut().note(|| format!("subscription {subscription} {}", what()));
    }

    async fn opens(&mut self) -> Option<Reader> {
        let (user, have) = {
            let book = self.book.borrow();
            let subscription = &book.subscriptions[self.subscription];
            (book.people[subscription.who].account.as_ref()?.0, subscription.have.clone())
        };
        let caller = match self.server.shared.keyring.caller(&token_of(user)).await {
            Ok(Some(caller)) => caller,
            Ok(None) => {
                self.book.borrow_mut().object(format!("the token of {user} is unknown"));
                return None;
            }
            Err(_) => return None,
        };
        let (shared, local) = (&self.server.shared, &self.server.local);
        let reader = Reader::open(shared, local, caller, have.as_deref()).await.ok()?;
        if have.is_none() {
            let mut book = self.book.borrow_mut();
            let subscription = &mut book.subscriptions[self.subscription];
            (subscription.first, subscription.have) = (reader.position(), Some(reader.cursor()));
        }
        self.note(|| format!("opens {have:?}"));
        Some(reader)
    }

    async fn listens(&mut self, reader: &mut Reader) {
        loop {
            let patience = match (self.is_cut, self.random.u8(..40)) {
                (true, 0) => return,
                (true, 1..8) => Duration::from_millis(self.random.u64(..100)),
                _ => Duration::from_secs(3600),
            };
            if self.is_cut && self.random.u8(..12) == 0 {
                // A slow client: more events come meanwhile than may wait for it.
                tokio::time::sleep(Duration::from_millis(self.random.u64(..3000))).await;
            }
            let Ok(told) = tokio::time::timeout(patience, reader.next()).await else { return };
            match told {
                ReaderEvent::Events(frames) => {
                    frames.iter().for_each(|frame| self.hears(&frame.text));
                }
                ReaderEvent::Synced => {
                    self.note(|| "is synced".to_owned());
                    let mut book = self.book.borrow_mut();
                    let subscription = &mut book.subscriptions[self.subscription];
                    (subscription.have, subscription.is_synced) = (Some(reader.cursor()), true);
                }
                ReaderEvent::Reset(why) => {
                    let what = format!("subscription {} was reset: {why}", self.subscription);
                    return self.book.borrow_mut().object(what);
                }
                ReaderEvent::EphemeralEvents(_) => {}
                ReaderEvent::Over(close) => {
                    return self.note(|| format!("is closed: {}", close.why));
                }
            }
        }
    }

    fn hears(&self, frame: &str) {
        let frame: Value = serde_json::from_str(frame).expect("frames are JSON");
        let text = |key: &str| frame[key].as_str().expect("a text").to_owned();
        let have = text("c");
        let cursor = self.server.shared.instance.parse_cursor(&have).expect("a cursor of ours");
        let heard = Heard {
            cursor,
            conv: text("conv"),
            n: frame["n"].as_u64().expect("a number"),
            kind: text("type"),
        };
        let subscription = self.subscription;
        let mut book = self.book.borrow_mut();
        book.note(|| {
            format!("subscription {subscription} {} {} {}", heard.conv, heard.n, heard.kind)
        });
        book.subscriptions[subscription].have = Some(have);
        let last =
            book.subscriptions[subscription].heard.last().map_or(Cursor::START, |it| it.cursor);
        if cursor <= last {
            book.object(format!("subscription {subscription} hears {heard:?} after {last:?}"));
        }
        book.subscriptions[subscription].heard.push(heard);
    }
}
