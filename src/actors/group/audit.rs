//! The audit of a group: what the room does with the question for it.

use actix::Context;

use crate::ask::{AbsentAnswer, Answers, Ask};
use crate::conversation::ConversationRoom;
use crate::group::GroupActor;
use crate::group::protocol::ListAudit;
use crate::ledger::Recording;
use domain::group::{AuditedAct, ReportRefusal};
use index::Flow;
use index::archive::Archive;

impl Answers<ListAudit> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ListAudit> {
        Some(Err(ReportRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<ListAudit>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        let ListAudit { reader, before, most } = ask.question;
        let now = self.context.clock.now().wall;
        let group = self.group.as_ref().ok_or(ReportRefusal::NotAMember);
        let hidden = match group.and_then(|group| group.hidden_from_auditor(reader, now)) {
            Ok(hidden) => hidden,
            Err(refusal) => return self.refuse_once_durable(refusal, ask.reply),
        };
        let id = self.id;
        let read = move |archive: &Archive| {
            let mut found = Vec::new();
            archive.index.audit_entries(id, before, &mut |number, entry| {
                let is_of_report = entry.act == AuditedAct::ReportResolved;
                let is_hidden = entry.target.is_some_and(|user| hidden.contains(&user));
                if !is_of_report || !is_hidden {
                    found.push((number, entry));
                }
                if found.len() < most { Flow::Continue } else { Flow::Stop }
            })?;
            Ok(found)
        };
        self.answer_from_archive(reader, read, ReportRefusal::NotAMember, ask.reply, ctx);
    }
}
