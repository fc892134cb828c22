//! Logging in and out: a token works once the log-in is answered, and no longer once the log-out is
//! answered.

use coterie::actors::user::protocol::{IssueToken, RevokeToken};
use coterie::domain::ids::UserId;
use coterie::domain::user::TokenRecord;

use crate::book::{Book, Key, hash_of};
use crate::person::{PASSWORD, Told, Worker};

impl Worker {
    /// Logs in, logs out, or checks whether a token works.
    pub(crate) async fn uses_keys(&mut self, user: UserId) {
        let own: Vec<usize> = {
            let book = self.book.borrow();
            (0..book.keys.len()).filter(|at| book.keys[*at].of == user).collect()
        };
        if own.is_empty() || self.random.u8(..4) == 0 {
            return self.logs_in(user).await;
        }
        let key = own[self.random.usize(..own.len())];
        if self.random.u8(..3) == 0 {
            self.logs_out(key).await;
        } else {
            self.shows(key).await;
        }
    }

    async fn logs_in(&mut self, user: UserId) {
        let directory = self.directory();
        let (id, at) =
            (directory.context().id_generator.token(), directory.context().clock.now().wall);
        let key = {
            let mut book = self.book.borrow_mut();
            let text = format!("{:0>43}", format!("key-{}", book.next()));
            book.keys.push(Key { of: user, id: None, text, works: [false, true].into() });
            book.keys.len() - 1
        };
        let token = TokenRecord {
            id,
            hash: hash_of(&self.book.borrow().keys[key].text),
            application: None,
            created_at: at,
            expires_at: None,
            client: None,
            last_used_at: None,
            device: None,
            scopes: None,
        };
        let asked = directory.ask(
            user,
            IssueToken { token, password: PASSWORD.to_owned(), code: None, identity: None },
        );
        let works = match self.asks::<IssueToken>(asked).await {
            Told::Done(_) => true,
            Told::Refused(_) => false,
            Told::Nothing => return,
        };
        self.note(|| format!("key {key} works {works}"));
        let key = &mut self.book.borrow_mut().keys[key];
        (key.works, key.id) = ([works].into(), works.then_some(id));
    }

    async fn logs_out(&mut self, key: usize) {
        let (user, id) = {
            let mut book = self.book.borrow_mut();
            let key = &mut book.keys[key];
            let Some(id) = key.id else { return };
            Book::may_become(&mut key.works, false);
            (key.of, id)
        };
        let directory = self.directory();
        let asked = directory.ask(user, RevokeToken { id });
        if let Told::Done(()) | Told::Refused(_) = self.asks::<RevokeToken>(asked).await {
            self.note(|| format!("key {key} is over"));
            self.book.borrow_mut().keys[key].works = [false].into();
        }
    }

    /// Checks whether a token works. No other worker uses this user's tokens, so the expected
    /// answer does not change meanwhile.
    async fn shows(&mut self, key: usize) {
        let text = self.book.borrow().keys[key].text.clone();
        let Ok(caller) = self.server.shared.keyring.caller(&text).await else { return };
        let mut book = self.book.borrow_mut();
        let (works, is_known) = (&book.keys[key].works, caller.is_some());
        if !works.contains(&is_known) && !book.has_twins {
            let what = format!("key {key} works {is_known}, told was {works:?}");
            book.object(what);
        }
    }
}
