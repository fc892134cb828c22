//! Drafts: the question to keep one, and what a user's room does with it.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask, Question};
use crate::ledger::Recording;
use crate::user::UserActor;
use crate::user::protocol::UserRefusal;
use domain::attachment::Attachment;
use domain::ids::Conversation;
use domain::user::Draft;

/// Replaces the draft of a conversation. Sent by `http::drafts`, which has checked that the user is
/// in the conversation; answered with the draft once it is on disk.
#[derive(Debug)]
pub struct KeepDraft {
    /// The conversation that the draft belongs to.
    pub conv: Conversation,
    /// The draft's text.
    pub text: String,
    /// The draft's attachments.
    pub attachments: Vec<Attachment>,
}

impl Question for KeepDraft {
    type Answer = Draft;
    type Refusal = UserRefusal;
    const DECIDES: bool = true;
}

impl Answers<KeepDraft> for UserActor {
    fn answer_if_absent() -> AbsentAnswer<KeepDraft> {
        Some(Err(UserRefusal::Unknown))
    }

    fn answer(&mut self, ask: Ask<KeepDraft>, ctx: &mut Context<Self>) {
        let KeepDraft { conv, text, attachments } = ask.question;
        let now = self.context.clock.now();
        let decided = match &self.user {
            Some(user) => Ok(user.draft(conv, Draft { text, attachments, at: now.wall })),
            None => Err(UserRefusal::Unknown),
        };
        self.record(decided, now, ask.reply, ctx);
    }
}
