//! Reports: what the room does with each question about them.

use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};

use crate::ask::{AbsentAnswer, Answers, Ask, Failure, Fault, Reply};
use crate::conversation::ConversationRoom;
use crate::group::GroupActor;
use crate::group::protocol::{
    FileAppeal, FileReport, ListAppeals, ListReports, ResolveReport, ViewReport,
};
use crate::ledger::{Recording, Room};
use domain::group::{AppealRefusal, Filing, Report, ReportRefusal};
use domain::ids::{MessageId, ReportId, UserId};
use domain::limits::REPORT_EARLIER_TEXTS;
use domain::message::Message;
use index::Flow;
use index::archive::Archive;

impl Answers<FileReport> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<FileReport> {
        Some(Err(ReportRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<FileReport>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        let FileReport { by, message, .. } = ask.question;
        if !self.may_read(by) {
            return ask.reply.send(Err(Failure::Refused(ReportRefusal::NotAMember)));
        }
        let archive = self.context.archive.clone();
        let stream = self.stream();
        let find = async move {
            archive.read_current(by, move |archive| archive.history(stream, message)).await
        };
        ctx.spawn(find.into_actor(self).map(move |found, room: &mut Self, ctx| {
            let earlier = match found {
                Ok(found) => found.map(|(_, earlier)| texts_of(earlier)).unwrap_or_default(),
                Err(fault) => return ask.reply.send(Err(Fault::from(fault).into())),
            };
            room.with_message(message, ask, ctx, move |room, ask, ctx| {
                room.report_known(ask, earlier, ctx);
            });
        }));
    }
}

/// The newest of the earlier texts of a message.
fn texts_of(earlier: Vec<Message>) -> Vec<String> {
    let texts = earlier.into_iter().filter_map(|version| version.text);
    texts.take(REPORT_EARLIER_TEXTS).collect()
}

impl Answers<ResolveReport> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ResolveReport> {
        Some(Err(ReportRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<ResolveReport>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        let group = self.group.as_ref();
        let now = self.context.clock.now();
        let id = ask.question.report;
        if group.is_some_and(|group| group.open_appeal(id, now.wall).is_some()) {
            let ResolveReport { by, resolution, .. } = ask.question;
            let decided = self.decide(now, ReportRefusal::NotAMember, |group, now, _| {
                group.settle_appeal(by, id, resolution, now.wall)
            });
            return self.record(decided, now, ask.reply, ctx);
        }
        let message = group.and_then(|group| group.reported_message(id));
        match message {
            Some(message) => self.with_message(message, ask, ctx, move |room, ask, ctx| {
                room.resolve(ask, Some(message), ctx);
            }),
            None => self.resolve(ask, None, ctx),
        }
    }
}

impl Answers<FileAppeal> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<FileAppeal> {
        Some(Err(AppealRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<FileAppeal>, ctx: &mut Context<Self>) {
        let FileAppeal { user, text } = ask.question;
        let now = self.context.clock.now();
        let decided = self.decide(now, AppealRefusal::NotAMember, |group, now, id_generator| {
            group.appeal(user, text, now.wall, id_generator)
        });
        self.record(decided, now, ask.reply, ctx);
    }
}

impl Answers<ListAppeals> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ListAppeals> {
        Some(Err(ReportRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<ListAppeals>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        let now = self.context.clock.now().wall;
        let reader = ask.question.reader;
        let reply = ask.reply;
        let group = self.group.as_ref().ok_or(ReportRefusal::NotAMember);
        match group.and_then(|group| group.appeals_for(reader, now)) {
            Ok(appeals) => self.when_durable(move |room| {
                reply.send(room.map(|_| appeals).map_err(Into::into));
            }),
            Err(refusal) => self.refuse_once_durable(refusal, reply),
        }
    }
}

impl Answers<ListReports> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ListReports> {
        Some(Err(ReportRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<ListReports>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        let ListReports { reader, is_open, before, most } = ask.question;
        let now = self.context.clock.now().wall;
        let group = self.group.as_ref().ok_or(ReportRefusal::NotAMember);
        let hidden = match group.and_then(|group| group.hidden_from(reader, now)) {
            Ok(hidden) => hidden,
            Err(refusal) => return self.refuse_once_durable(refusal, ask.reply),
        };
        let id = self.id;
        let read = move |archive: &Archive| {
            let mut found: Vec<Report> = Vec::new();
            archive.index.reports(id, is_open, before, &mut |report| {
                let is_hidden = report.about.is_some_and(|user| hidden.contains(&user));
                if !is_hidden && !report.is_over(now) {
                    found.push(report);
                }
                if found.len() < most { Flow::Continue } else { Flow::Stop }
            })?;
            Ok(found)
        };
        self.answer_from_archive(reader, read, ReportRefusal::NotAMember, ask.reply, ctx);
    }
}

impl Answers<ViewReport> for GroupActor {
    fn answer_if_absent() -> AbsentAnswer<ViewReport> {
        Some(Err(ReportRefusal::NotAMember))
    }

    fn answer(&mut self, ask: Ask<ViewReport>, ctx: &mut Context<Self>) {
        self.settle_ready(ctx);
        let ViewReport { reader, report } = ask.question;
        let now = self.context.clock.now().wall;
        let group = self.group.as_ref().ok_or(ReportRefusal::NotAMember);
        let hidden = match group.and_then(|group| group.hidden_from(reader, now)) {
            Ok(hidden) => hidden,
            Err(refusal) => return self.refuse_once_durable(refusal, ask.reply),
        };
        let archive = self.context.archive.clone();
        let id = self.id;
        let read = async move {
            archive.read_current(reader, move |archive| archive.index.report(id, report)).await
        };
        ctx.spawn(read.into_actor(self).map(move |found, room: &mut Self, _| {
            let found = match found {
                Ok(found) => found,
                Err(fault) => return ask.reply.send(Err(Fault::from(fault).into())),
            };
            let is_shown =
                |report: &Report| !report.about.is_some_and(|user| hidden.contains(&user));
            match found.filter(is_shown) {
                Some(report) if report.resolution.is_some() => {
                    room.refuse_once_durable(ReportRefusal::Resolved, ask.reply);
                }
                Some(report) => ask.reply.send(Ok(report)),
                None => room.refuse_once_durable(ReportRefusal::NoReport, ask.reply),
            }
        }));
    }
}

impl GroupActor {
    /// Reports a message that was looked up.
    fn report_known(
        &mut self,
        ask: Ask<FileReport>,
        earlier: Vec<String>,
        ctx: &mut Context<Self>,
    ) {
        let FileReport { by, message, reason, text } = ask.question;
        let filing = Filing { by, reason, text, rule: None };
        let now = self.context.clock.now();
        let unknown = ReportRefusal::NoMessage;
        let decided = self.decide_on(message, unknown, |group, message, id_generator| {
            group.report(filing, message, earlier, now, id_generator)
        });
        self.record(decided, now, ask.reply, ctx);
    }

    /// Resolves a report whose message was looked up.
    fn resolve(
        &mut self,
        ask: Ask<ResolveReport>,
        message: Option<MessageId>,
        ctx: &mut Context<Self>,
    ) {
        let ResolveReport { by, report, resolution } = ask.question;
        let now = self.context.clock.now();
        let decided = match message {
            Some(message) => {
                let unknown = ReportRefusal::NoMessage;
                self.decide_on(message, unknown, |group, message, id_generator| {
                    group.resolve_report(by, report, resolution, Some(message), now, id_generator)
                })
            }
            None => self.decide(now, ReportRefusal::NotAMember, |group, now, id_generator| {
                group.resolve_report(by, report, resolution, None, now, id_generator)
            }),
        };
        match decided {
            Err(ReportRefusal::NoReport) => self.refuse_closed(by, report, ask.reply, ctx),
            decided => self.record(decided, now, ask.reply, ctx),
        }
    }

    /// Refuses to resolve a report that is not open: it was resolved, or there is none.
    fn refuse_closed(
        &mut self,
        by: UserId,
        report: ReportId,
        reply: Reply<(), ReportRefusal>,
        ctx: &mut Context<Self>,
    ) {
        let archive = self.context.archive.clone();
        let id = self.id;
        let read = async move {
            archive.read_current(by, move |archive| archive.index.resolved_report(id, report)).await
        };
        ctx.spawn(read.into_actor(self).map(move |found, room: &mut Self, _| {
            let found = match found {
                Ok(found) => found,
                Err(fault) => return reply.send(Err(Fault::from(fault).into())),
            };
            let group = room.group.as_ref();
            let resolves = |about| group.is_some_and(|group| group.resolves_about(by, about));
            let is_resolved = found.is_some_and(|report| resolves(report.about));
            let refusal =
                if is_resolved { ReportRefusal::Resolved } else { ReportRefusal::NoReport };
            room.refuse_once_durable(refusal, reply);
        }));
    }
}
