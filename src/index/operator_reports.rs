//! Reports to the operators: their rows, and the copies that they keep.

use crate::derive::Derivation;
use crate::{Flow, Index, IndexFault, Walk, files, images, keys, rows};
use domain::file::FileId;
use domain::ids::{MessageId, ReportId, StreamId, UserId};
use domain::message::Author;
use domain::operators::open_reports::OpenOperatorReports;
use domain::operators::reports::{
    OperatorFiling, OperatorReport, OperatorResolution, ReportSubject,
};
use domain::operators::{OperatorAct, OperatorPermission, may};
use domain::revision::{Deleter, Revision, RevisionKind};
use domain::time::Timestamp;

/// Old resolved reports that each further resolution drops: more than one, so that they become fewer.
const DROPPED_REPORTS: usize = 4;

impl Index {
    /// The open reports, as their room needs them.
    ///
    /// # Errors
    /// If the index cannot be read; the same for every function here.
    pub fn open_operator_reports(&self) -> Result<OpenOperatorReports, IndexFault> {
        let reports: Vec<OperatorReport> =
            self.rows_of("operators' report", &keys::open_operator_reports())?;
        let open = reports.iter().map(|report| (report.filed.report, report.into()));
        Ok(OpenOperatorReports(open.collect()))
    }

    /// Visits open or resolved reports before this one, the newest first.
    pub fn operator_reports(
        &self,
        is_open: bool,
        before: Option<ReportId>,
        visit: &mut dyn FnMut(OperatorReport) -> Flow,
    ) -> Result<(), IndexFault> {
        let (low, key): (_, fn(ReportId) -> Vec<u8>) = match is_open {
            true => (keys::open_operator_reports(), keys::open_operator_report),
            false => (keys::resolved_operator_reports(), keys::resolved_operator_report),
        };
        let last_before = |id: ReportId| ReportId::new(id.get().saturating_sub(1));
        let high = before.map_or_else(|| keys::end_of(&low), |id| key(last_before(id)));
        self.rows.scan(&low, &high, Walk::Down, &mut |_, value| {
            Ok(visit(rows::decode("operators' report", value)?))
        })
    }

    /// Whether a user reads a file because a report to the operators keeps it: they are an operator
    /// who reads reports.
    pub fn is_read_by_operator(
        &self,
        user: UserId,
        stream: StreamId,
        file: &FileId,
    ) -> Result<bool, IndexFault> {
        let row = self.user(user)?.filter(|row| !row.is_disabled());
        let Some(role) = row.and_then(|row| row.operator) else { return Ok(false) };
        if may(role, OperatorAct::ReadReports) == OperatorPermission::Never {
            return Ok(false);
        }
        let low = keys::operator_reports_of(stream);
        let mut is_kept = false;
        self.rows.scan(&low, &keys::end_of(&low), Walk::Up, &mut |key, _| {
            is_kept = self.carries_file(stream, keys::message_of(key), file)?;
            Ok(if is_kept { Flow::Stop } else { Flow::Continue })
        })?;
        Ok(is_kept)
    }

    /// A report, open or resolved.
    pub fn operator_report(&self, id: ReportId) -> Result<Option<OperatorReport>, IndexFault> {
        let open = self.row("operators' report", &keys::open_operator_report(id))?;
        match open {
            Some(open) => Ok(Some(open)),
            None => self.row("operators' report", &keys::resolved_operator_report(id)),
        }
    }
}

impl Derivation<'_> {
    /// Writes a report, or adds to it. It keeps the files and images of a message.
    pub(super) fn reported(
        &mut self,
        filed: &OperatorFiling,
        at: Timestamp,
    ) -> Result<(), IndexFault> {
        let key = keys::open_operator_report(filed.report);
        let known: Option<OperatorReport> = self.draft.get("operators' report", &key)?;
        if let Some(mut known) = known {
            known.add(filed);
            return self.draft.put(key, &known);
        }
        if let (ReportSubject::Message(conv, _), Some(copy)) = (filed.subject, &filed.copy) {
            let kept = MessageId::new(filed.report.get());
            let stream = StreamId::from(conv);
            self.draft.put_bytes(keys::operator_report_of(stream, filed.report), Vec::new());
            files::kept_by_report(&mut self.draft, stream, kept, &copy.message.attachments)?;
            images::carries(&mut self.draft, stream, kept, &copy.message.attachments)?;
        }
        self.draft.put(key, &OperatorReport::opened(filed.clone(), at))
    }

    /// Moves a report to the resolved ones, and drops some of those that are too old.
    pub(super) fn resolve_reported(
        &mut self,
        id: ReportId,
        resolution: &OperatorResolution,
        at: Timestamp,
    ) -> Result<(), IndexFault> {
        let first = keys::resolved_operator_reports();
        for key in self.draft.first_keys(&first, &keys::end_of(&first), DROPPED_REPORTS)? {
            let known: Option<OperatorReport> = self.draft.get("operators' report", &key)?;
            if let Some(known) = known.filter(|known| known.is_over(at)) {
                self.release_copy(&known, at)?;
                self.draft.delete(key);
            }
        }
        let key = keys::open_operator_report(id);
        let known: Option<OperatorReport> = self.draft.get("operators' report", &key)?;
        self.draft.delete(key);
        let Some(known) = known else { return Ok(()) };
        let report = OperatorReport { resolution: Some(resolution.clone()), ..known };
        self.draft.put(keys::resolved_operator_report(id), &report)
    }

    /// Releases the files and images of a message that a report keeps.
    fn release_copy(&mut self, report: &OperatorReport, at: Timestamp) -> Result<(), IndexFault> {
        let ReportSubject::Message(conv, _) = report.filed.subject else { return Ok(()) };
        let message = MessageId::new(report.filed.report.get());
        let kind = RevisionKind::Deleted { actor: Deleter::Admin };
        let released = Revision { message, by: Author::System, kind };
        let stream = StreamId::from(conv);
        self.draft.delete(keys::operator_report_of(stream, report.filed.report));
        images::revised(&mut self.draft, stream, at, &released)?;
        files::released_by_report(&mut self.draft, stream, at, message)
    }
}
