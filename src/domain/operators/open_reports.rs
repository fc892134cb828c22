//! How reports to the operators are filed and resolved. Pure rules; the room of the installation asks
//! them.

use std::collections::BTreeMap;

use crate::event::{Decision, Fact};
use crate::group::{FiledReport, Filing, NOBODY, ReportedMessage};
use crate::id_generator::IdGenerator;
use crate::ids::{ReportId, UserId};
use crate::instance::InstanceFact;
use crate::limits::{OPERATOR_REPORTS, REPORT_FILINGS};
use crate::operators::reports::{
    OperatorFiling, OperatorReport, OperatorReportRefusal, OperatorResolution, ReportSubject,
};
use crate::time::Moment;

/// An open report, as far as the room needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenOperatorReport {
    /// What is reported.
    pub subject: ReportSubject,
    /// Who reported it.
    pub reporters: Vec<UserId>,
}

impl From<&OperatorReport> for OpenOperatorReport {
    fn from(report: &OperatorReport) -> Self {
        let reporters = report.filed.filings.iter().map(|filing| filing.by).collect();
        Self { subject: report.filed.subject, reporters }
    }
}

/// The open reports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenOperatorReports(pub BTreeMap<ReportId, OpenOperatorReport>);

/// Something that somebody wants to report to the operators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewOperatorReport {
    /// What is reported.
    pub subject: ReportSubject,
    /// The user whom it is about.
    pub about: Option<UserId>,
    /// Who reports it, and why: one user, or all who did in a group that passes its report on.
    pub filings: Vec<Filing>,
    /// The copy of a message.
    pub copy: Option<ReportedMessage>,
}

impl OpenOperatorReports {
    /// Reports something, or adds to the open report of it. Decides nothing if the users reported it
    /// before, or if so many did that one more says nothing new.
    ///
    /// # Errors
    /// If there are too many open reports, or users report themselves.
    pub fn file(
        &self,
        new: NewOperatorReport,
        now: Moment,
        id_generator: &dyn IdGenerator,
    ) -> Result<Decision<FiledReport>, OperatorReportRefusal> {
        let NewOperatorReport { subject, about, mut filings, copy } = new;
        if filings.iter().any(|filing| Some(filing.by) == about) {
            return Err(OperatorReportRefusal::Own);
        }
        let open = self.0.iter().find(|(_, open)| open.subject == subject);
        if let Some((id, open)) = open {
            filings.retain(|filing| !open.reporters.contains(&filing.by));
            let is_new = !filings.is_empty();
            filings.truncate(REPORT_FILINGS.saturating_sub(open.reporters.len()));
            if filings.is_empty() {
                return Ok(Decision::unchanged(FiledReport { id: *id, is_new }));
            }
        } else if self.0.len() >= OPERATOR_REPORTS {
            return Err(OperatorReportRefusal::Full);
        }
        let report = match open {
            Some((id, _)) => *id,
            None => ReportId::new(id_generator.message(now.wall).get()),
        };
        let copy = copy.filter(|_| open.is_none());
        let filed = OperatorFiling { report, subject, about, filings, copy };
        let fact = Fact::Instance(InstanceFact::Reported(Box::new(filed)));
        Ok(Decision { facts: vec![fact], answer: FiledReport { id: report, is_new: true } })
    }

    /// Resolves a report; answers with those who reported it, without rules of groups.
    ///
    /// # Errors
    /// If there is no such open report.
    pub fn resolve(
        &self,
        report: ReportId,
        resolution: OperatorResolution,
    ) -> Result<Decision<Vec<UserId>>, OperatorReportRefusal> {
        let open = self.0.get(&report).ok_or(OperatorReportRefusal::NoReport)?;
        let fact = Fact::Instance(InstanceFact::ReportResolved { report, resolution });
        let reporters = open.reporters.iter().filter(|it| **it != NOBODY).copied().collect();
        Ok(Decision { facts: vec![fact], answer: reporters })
    }

    /// Applies a fact.
    pub fn apply(&mut self, fact: &InstanceFact) {
        match fact {
            InstanceFact::Reported(filed) => {
                let open = self.0.entry(filed.report).or_insert_with(|| OpenOperatorReport {
                    subject: filed.subject,
                    reporters: Vec::new(),
                });
                open.reporters.extend(filed.filings.iter().map(|filing| filing.by));
            }
            InstanceFact::ReportResolved { report, .. } => drop(self.0.remove(report)),
            InstanceFact::SettingsChanged { .. }
            | InstanceFact::DirectoryGroupChanged { .. }
            | InstanceFact::RuleSaved(_)
            | InstanceFact::RuleDeleted { .. }
            | InstanceFact::InvitationChanged(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::ReportReason;
    use crate::group::fixtures::CountingIds;
    use crate::operators::reports::OperatorAction;
    use crate::time::{Monotonic, Timestamp};

    const ANA: UserId = UserId::new(1);
    const BEN: UserId = UserId::new(2);
    const CEM: UserId = UserId::new(3);

    fn report_of(about: UserId, by: UserId) -> NewOperatorReport {
        let filing = Filing { by, reason: ReportReason::Spam, text: None, rule: None };
        let subject = ReportSubject::User(about);
        NewOperatorReport { subject, about: Some(about), filings: vec![filing], copy: None }
    }

    fn files(
        open: &mut OpenOperatorReports,
        new: NewOperatorReport,
    ) -> Result<FiledReport, OperatorReportRefusal> {
        let wall = Timestamp::from_seconds(1_800_000_000);
        let now = Moment { wall, mono: Monotonic::from_millis(0) };
        let decision = open.file(new, now, &CountingIds::default())?;
        for fact in &decision.facts {
            let Fact::Instance(fact) = fact else { panic!("not of the installation: {fact:?}") };
            open.apply(fact);
        }
        Ok(decision.answer)
    }

    #[test]
    fn reports_of_one_subject_are_one_report() {
        let mut open = OpenOperatorReports::default();
        let first = files(&mut open, report_of(CEM, ANA)).unwrap();
        let again = files(&mut open, report_of(CEM, ANA)).unwrap();
        assert_eq!((again.id, again.is_new), (first.id, false));
        let second = files(&mut open, report_of(CEM, BEN)).unwrap();
        assert_eq!((second.id, second.is_new), (first.id, true));
        assert_eq!(open.0[&first.id].reporters, [ANA, BEN]);
        assert_eq!(files(&mut open, report_of(ANA, ANA)), Err(OperatorReportRefusal::Own));
    }

    #[test]
    fn resolved_report_tells_its_reporters_once() {
        let mut open = OpenOperatorReports::default();
        let filed = files(&mut open, report_of(CEM, ANA)).unwrap();
        let resolution = OperatorResolution {
            by: BEN,
            action: OperatorAction::Dismiss,
            note: "a joke".to_owned(),
            at: Timestamp::default(),
        };
        let decision = open.resolve(filed.id, resolution.clone()).unwrap();
        assert_eq!(decision.answer, [ANA]);
        let Fact::Instance(fact) = &decision.facts[0] else { panic!("not of the installation") };
        open.apply(fact);
        let again = open.resolve(filed.id, resolution);
        assert_eq!(again.err(), Some(OperatorReportRefusal::NoReport));
    }
}
