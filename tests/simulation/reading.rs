//! Reading pages, which must show everything that was acknowledged before.

use coterie::actors::chat::protocol::ListDirect;
use coterie::actors::conversation::MessagePage;
use coterie::actors::group::protocol::ListMessages;
use coterie::domain::ids::{Conversation, MessageId, Pair, UserId};
use coterie::index::archive::Page;

use crate::person::{Told, Worker};

impl Worker {
    pub(crate) async fn reads(&mut self, user: UserId) {
        let conv: Conversation = match (self.random.u8(..4), self.somebody_else(user)) {
            (0, Some(other)) => Pair::of(user, other).unwrap().into(),
            _ => self.group().0.into(),
        };
        let told = self.book.borrow().told_in(conv);
        let page = match self.random.usize(..3) {
            0 if !told.is_empty() => Page::Before(told[self.random.usize(..told.len())]),
            1 if !told.is_empty() => Page::After(told[self.random.usize(..told.len())]),
            _ => Page::Newest,
        };
        let limit = self.random.usize(1..40);
        let directory = self.directory();
        let found = match conv {
            Conversation::Group(group) => {
                let asked = directory.ask(group, ListMessages { reader: user, page, limit });
                match self.asks::<ListMessages>(asked).await {
                    Told::Done(found) => found,
                    Told::Refused(_) | Told::Nothing => return,
                }
            }
            Conversation::Chat(pair) => {
                let asked = directory.ask(pair, ListDirect { page, limit });
                match self.asks::<ListDirect>(asked).await {
                    Told::Done(found) => found,
                    Told::Refused(never) => match never {},
                    Told::Nothing => return,
                }
            }
        };
        // With two rooms per stream, each learns late of what the other one does, so pages are not
        // checked then.
        let flaw = flaw_of(&found, page, limit, &told);
        if let Some(what) = flaw.filter(|_| self.server.directories.len() == 1) {
            self.book.borrow_mut().object(format!("{user} reads {page:?} of {conv:?}: {what}"));
        }
        self.note(|| format!("reads {} of {}", found.messages.len(), found.count));
    }
}

/// What is wrong with a page, if anything: it must show everything acknowledged before, in order.
fn flaw_of(found: &MessagePage, page: Page, limit: usize, told: &[MessageId]) -> Option<String> {
    let ids: Vec<MessageId> = found.messages.iter().map(|it| it.message.id).collect();
    let is_up = matches!(page, Page::After(_));
    if !ids.is_sorted_by(|one, other| if is_up { one < other } else { one > other }) {
        return Some(format!("not in order: {ids:?}"));
    }
    let is_asked = |id: &MessageId| match page {
        Page::Newest => true,
        Page::Before(before) => *id < before,
        Page::After(after) | Page::Since(after) => *id > after,
    };
    let is_full = ids.len() >= limit;
    let is_within = |id: &MessageId| match ids.last() {
        Some(last) if is_full && is_up => id <= last,
        Some(last) if is_full => id >= last,
        Some(_) | None => true,
    };
    let mut expected = told.iter().filter(|id| is_asked(id) && is_within(id));
    expected.find(|id| !ids.contains(id)).map(|id| format!("{id} is missing in {ids:?}"))
}
