//! Reports of messages of a group.

use crate::{Flow, Index, IndexFault, Walk, keys, rows};
use domain::group::{OpenReports, Report, Role};
use domain::ids::{Conversation, GroupId, ReportId, UserId};

impl Index {
    /// The open reports of a group, as its room needs them.
    ///
    /// # Errors
    /// If the index cannot be read; the same for every function here.
    pub fn open_reports(&self, group: GroupId) -> Result<OpenReports, IndexFault> {
        let reports: Vec<Report> = self.rows_of("report", &keys::open_reports(group))?;
        Ok(reports.iter().map(|report| (report.id, report.into())).collect())
    }

    /// Visits open or resolved reports before this one, the newest first.
    pub fn reports(
        &self,
        group: GroupId,
        is_open: bool,
        before: Option<ReportId>,
        visit: &mut dyn FnMut(Report) -> Flow,
    ) -> Result<(), IndexFault> {
        let (low, key): (_, fn(GroupId, ReportId) -> Vec<u8>) = match is_open {
            true => (keys::open_reports(group), keys::open_report),
            false => (keys::resolved_reports(group), keys::resolved_report),
        };
        let last_before = |id: ReportId| ReportId::new(id.get().saturating_sub(1));
        let high = before.map_or_else(|| keys::end_of(&low), |id| key(group, last_before(id)));
        self.rows.scan(&low, &high, Walk::Down, &mut |_, value| {
            Ok(visit(rows::decode("report", value)?))
        })
    }

    /// Whether a user resolves reports of a conversation: the owner and admins of a group.
    pub fn resolves_reports(&self, user: UserId, conv: Conversation) -> Result<bool, IndexFault> {
        match conv {
            Conversation::Group(group) => {
                Ok(self.member(group, user)?.is_some_and(|member| member.role != Role::Member))
            }
            Conversation::Chat(_) => Ok(false),
        }
    }

    /// A report, open or resolved.
    pub fn report(&self, group: GroupId, id: ReportId) -> Result<Option<Report>, IndexFault> {
        match self.row("report", &keys::open_report(group, id))? {
            Some(open) => Ok(Some(open)),
            None => self.resolved_report(group, id),
        }
    }

    /// A report that was resolved and is still kept.
    pub fn resolved_report(
        &self,
        group: GroupId,
        id: ReportId,
    ) -> Result<Option<Report>, IndexFault> {
        self.row("report", &keys::resolved_report(group, id))
    }
}
