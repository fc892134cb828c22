//! The lists of liked messages of a group.

use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};

use crate::ask::{AbsentAnswer, Answers, Ask, Failure, Fault};
use crate::conversation::ConversationRoom;
use crate::group::GroupActor;
use crate::group::protocol::{LikesPage, ListLikes, ViewRefusal};
use crate::ledger::{Recording, Room};
use domain::ids::{MessageId, StreamId, UserId};
use domain::time::Timestamp;
use index::IndexFault;
use index::archive::{Archive, Archived};

impl Answers<ListLikes> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ListLikes> {
        Some(Err(ViewRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<ListLikes>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        let ListLikes { reader, page } = ask.question;
        if !self.may_read(reader) {
            return ask.reply.send(Err(Failure::Refused(ViewRefusal::NotAMember)));
        }
        let archive = self.context.archive.clone();
        let stream = self.stream();
        let now = self.context.clock.now().wall;
        let newest = self.context.archive.journal.newest();
        let list = async move {
            // A message that was posted just now can be on a leaderboard, so the index has to have
            // it.
            archive.index.reached(newest).await?;
            archive
                .blocking(reader, move |archive| read_liked(archive, stream, reader, page, now))
                .await
        };
        ctx.spawn(list.into_actor(self).map(move |found, room: &mut Self, _| {
            let found = found.map_err(|fault| Fault::from(fault).into());
            room.send_read(reader, found, ViewRefusal::NotAMember, ask.reply);
        }));
    }
}

/// Lists liked messages, with the time of the reader's like where the page is the reader's own
/// likes.
fn read_liked(
    archive: &Archive,
    stream: StreamId,
    reader: UserId,
    page: LikesPage,
    now: Timestamp,
) -> Result<Vec<(Archived, Option<Timestamp>)>, IndexFault> {
    let plain = |ids: Vec<MessageId>| ids.into_iter().map(|id| (id, None)).collect();
    let wanted: Vec<(MessageId, Option<Timestamp>)> = match page {
        LikesPage::Leaders { seconds } => {
            let from = now.seconds().saturating_sub(seconds);
            plain(archive.index.leaders(stream, from, now.seconds())?)
        }
        LikesPage::Mine => {
            let mine = archive.index.liked_by(reader, stream)?;
            mine.into_iter().map(|(id, liked_at)| (id, Some(liked_at))).collect()
        }
        LikesPage::ForMe => plain(archive.index.liked_of(reader, stream)?),
    };
    let mut found = Vec::with_capacity(wanted.len());
    for (id, liked_at) in wanted {
        found.extend(archive.message(stream, id)?.map(|message| (message, liked_at)));
    }
    Ok(found)
}
