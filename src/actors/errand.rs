//! Errands: acts that no request asks for, such as a read mark that comes over a socket. The node
//! that leads does them, whichever node they arise at.

use serde::{Deserialize, Serialize};

use crate::ask::{Failure, Fault};
use crate::audit::protocol::Note;
use crate::directory::Directory;
use crate::node_link::{CarriedOut, LeaderReply};
use crate::user::protocol::{MarkRead, NamePicture, NoteTokenUse, RemoveDevice};
use base::msgpack;
use domain::attachment::ImageRef;
use domain::audit::AuditFact;
use domain::file::FileId;
use domain::ids::{Conversation, TokenId, UserId};
use domain::user::UpTo;

/// The first bytes of an errand among what nodes send to the leader. MessagePack never uses this
/// byte, and a forwarded request begins with one of it.
const MARK: [u8; 2] = [0xc1, 0xc1];

/// An act that no request asks for. Each may be done twice.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Errand {
    /// A user has read a conversation up to this event, as a session says.
    MarkRead {
        /// The user.
        user: UserId,
        /// The conversation.
        conv: Conversation,
        /// The number of the event.
        n: u64,
    },
    /// A push service no longer knows a device.
    RemoveDevice {
        /// The user whose device it is.
        user: UserId,
        /// The device, by its `registration_id`.
        id: String,
    },
    /// A token is in use.
    NoteTokenUse {
        /// The user of the token.
        user: UserId,
        /// The token.
        id: TokenId,
    },
    /// The content of an announced picture has arrived.
    NamePicture {
        /// The user who announced it.
        user: UserId,
        /// The picture's id.
        picture: FileId,
        /// The image.
        image: ImageRef,
    },
    /// Something that an operator did at a node stands in the audit log.
    Note(AuditFact),
}

/// What became of an errand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Outcome {
    Done {
        /// The position up to which a node has to show the journal to show what was done.
        newest: u64,
    },
    Refused,
    Failed,
}

/// The rules refuse an errand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the rules refuse this")]
pub struct ErrandRefused;

/// The result of an errand.
pub type Ran = Result<(), Failure<ErrandRefused>>;

impl Directory {
    /// Has an errand done; it is durable then, and shown by this node.
    ///
    /// # Errors
    /// If the rules refuse it, or on a fault of the server.
    pub async fn run(&self, errand: Errand) -> Ran {
        let Some(link) = self.link() else { return self.run_here(errand).await };
        let pack = |_| {
            let packed = msgpack::to_vec_named(&errand).expect("plain values are always written");
            [&MARK[..], &packed].concat().into()
        };
        match link.have_led(|| true, pack).await? {
            CarriedOut::Here(_act) => self.run_here(errand).await,
            CarriedOut::There(Outcome::Done { newest }) => {
                self.show(newest).await;
                Ok(())
            }
            CarriedOut::There(Outcome::Refused) => Err(Failure::Refused(ErrandRefused)),
            CarriedOut::There(Outcome::Failed) => Err(Fault::Gone.into()),
        }
    }

    /// Answers another node's errand; `None` if the bytes are something else.
    pub async fn answer_errand(&self, packed: &[u8]) -> Option<Vec<u8>> {
        let packed = packed.strip_prefix(&MARK)?;
        let reply = match (msgpack::from_slice(packed), self.link().and_then(|it| it.begin_act())) {
            // An errand of a later version, which will lead soon.
            (Err(_), _) | (_, None) => LeaderReply::NotLeading,
            (Ok(errand), Some(_act)) => match self.run_here(errand).await {
                Ok(()) => {
                    let newest = self.context().archive.journal.newest().get();
                    LeaderReply::Carried(Outcome::Done { newest })
                }
                Err(Failure::Refused(_)) => LeaderReply::Carried(Outcome::Refused),
                Err(Failure::Fault(Fault::Elsewhere)) => LeaderReply::NotLeading,
                Err(Failure::Fault(Fault::Busy)) => LeaderReply::Busy,
                Err(Failure::Fault(_)) => LeaderReply::Carried(Outcome::Failed),
            },
        };
        Some(msgpack::to_vec_named(&reply).expect("plain values are always written"))
    }

    async fn run_here(&self, errand: Errand) -> Ran {
        match errand {
            Errand::MarkRead { user, conv, n } => {
                let marked = self.ask(user, MarkRead { conv, upto: UpTo::Event(n) }).await;
                marked.map(drop).map_err(refused)
            }
            Errand::RemoveDevice { user, id } => {
                self.ask(user, RemoveDevice { id }).await.map_err(refused)
            }
            Errand::NoteTokenUse { user, id } => {
                self.ask(user, NoteTokenUse { id }).await.map_err(refused)
            }
            Errand::NamePicture { user, picture, image } => {
                self.ask(user, NamePicture { picture, image }).await.map_err(refused)
            }
            Errand::Note(fact) => self.audit(Note(fact)).await.map_err(refused),
        }
    }
}

fn refused<R>(failure: Failure<R>) -> Failure<ErrandRefused> {
    failure.map(|_| ErrandRefused)
}
