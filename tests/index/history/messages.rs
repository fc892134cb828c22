//! The revisions of messages, and the polls, of a random history.

use std::sync::Arc;

use coterie::domain::attachment::ImageRef;
use coterie::domain::group::GroupFact;
use coterie::domain::ids::{PollId, UserId};
use coterie::domain::polls::{MadePoll, NewPoll, PollChange, PollKind, Visibility};
use coterie::domain::previews::LinkPreview;
use coterie::domain::revision::{Deleter, Revision, RevisionKind};

use crate::history::History;

/// A link preview with one of a few pictures.
fn preview(picture: u8) -> LinkPreview {
    let image = ImageRef::from_path(&format!("/images/2x3.png.{picture:032x}"));
    let url = "https://a.example/".to_owned();
    LinkPreview { url, title: "A page".to_owned(), description: None, image }
}

impl History {
    /// An author edits, pins, unpins or deletes a message, or it gets its link previews.
    pub(super) fn revise(&mut self, group: u64) -> Option<GroupFact> {
        let (told, text) = (self.groups.get_mut(&group)?, Some("edited".to_owned()));
        let place = self.random.choice(0..told.messages.len())?;
        let (message, by) = told.messages[place].clone();
        let kind = match self.random.u8(..5) {
            0 => RevisionKind::Pinned,
            1 => RevisionKind::Unpinned,
            2 => RevisionKind::Edited { text, attachments: Vec::new(), previews: Vec::new() },
            3 => RevisionKind::Previewed { previews: vec![preview(self.random.u8(..3))] },
            _ => RevisionKind::Deleted { actor: Deleter::Sender },
        };
        if matches!(kind, RevisionKind::Deleted { .. }) {
            told.messages.remove(place);
            told.likes.retain(|like| like.message != message);
        }
        Some(GroupFact::Revised(Arc::new(Revision { message, by, kind })))
    }

    /// A user starts a poll; at the next calls somebody votes in it, and then it ends.
    pub(super) fn poll(&mut self, group: u64, by: UserId) -> Option<GroupFact> {
        let (id, at) = (PollId::new(self.fresh()), self.at());
        let told = self.groups.get_mut(&group)?;
        let change = match told.polls.pop() {
            Some((poll, true)) => PollChange::Ended { poll, by: None },
            Some((poll, false)) => {
                told.polls.push((poll, true));
                PollChange::Voted { poll, by, options: vec![2] }
            }
            None => {
                told.polls.push((id, false));
                let options = vec!["six".to_owned(), "seven".to_owned()];
                let (kind, visibility) = (PollKind::Multi, Visibility::Public);
                let ends = at.plus_millis(60_000);
                let poll = NewPoll { subject: "when?".to_owned(), options, ends, kind, visibility };
                PollChange::Made(MadePoll { id, owner: by, at, poll })
            }
        };
        Some(GroupFact::Polled(Arc::new(change)))
    }
}
