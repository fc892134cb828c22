//! Decides which failed log-ins the audit log records: all of them, until there are too many.

use std::collections::HashMap;

use crate::audit::{Address, AuditFact};
use crate::event::{Decision, Fact};
use crate::limits::{AUDIT_FAILURES, AUDIT_FAILURES_OF_ADDRESS, AUDIT_WINDOW_MILLIS};
use crate::time::Monotonic;

/// The failed log-ins recorded in the present window. It holds at most as many addresses as
/// failures are recorded in a window ([`AUDIT_FAILURES`]).
#[derive(Debug, Default)]
pub struct FailureBudget {
    began: Option<Monotonic>,
    written: usize,
    of: HashMap<String, usize>,
    skipped: u64,
}

impl FailureBudget {
    /// Decides whether a failed log-in is recorded. Those that are not are counted, and their
    /// number is recorded with the first failure of the next window.
    pub fn note(
        &mut self,
        failure: AuditFact,
        from: &Option<Address>,
        now: Monotonic,
    ) -> Decision<()> {
        let mut facts = Vec::new();
        if self.began.is_none_or(|began| now.millis_since(began) >= AUDIT_WINDOW_MILLIS) {
            if self.skipped > 0 {
                facts.push(Fact::Audit(AuditFact::FailuresSkipped { count: self.skipped }));
            }
            *self = Self { began: Some(now), ..Self::default() };
        }
        let source = from.as_ref().map(Address::source).unwrap_or_default();
        let known = self.of.get(&source).copied().unwrap_or_default();
        if self.written >= AUDIT_FAILURES || known >= AUDIT_FAILURES_OF_ADDRESS {
            self.skipped += 1;
        } else {
            self.written += 1;
            self.of.insert(source, known + 1);
            facts.push(Fact::Audit(failure));
        }
        Decision { facts, answer: () }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails(budget: &mut FailureBudget, from: &str, now: u64) -> Vec<Fact> {
        let from = Some(Address::new(from.to_owned()));
        let failure = AuditFact::LoginFailed { user: None, email: None, from: from.clone() };
        budget.note(failure, &from, Monotonic::from_millis(now)).facts
    }

    #[test]
    fn one_address_cannot_fill_the_disk() {
        let mut budget = FailureBudget::default();
        let written: usize = (0..1000).map(|now| fails(&mut budget, "192.0.2.1", now).len()).sum();
        assert_eq!(written, AUDIT_FAILURES_OF_ADDRESS);
        assert_eq!(fails(&mut budget, "192.0.2.2", 1000).len(), 1, "others are still seen");
    }

    #[test]
    fn many_addresses_cannot_either() {
        let mut budget = FailureBudget::default();
        let one = |number: usize| format!("2001:db8:{:x}:{:x}::1", number / 9, number % 9);
        let written: usize = (0..5000).map(|it| fails(&mut budget, &one(it), 0).len()).sum();
        assert_eq!(written, AUDIT_FAILURES);
        assert!(budget.of.len() <= AUDIT_FAILURES);
    }

    #[test]
    fn one_network_of_ipv6_counts_as_one() {
        let mut budget = FailureBudget::default();
        let one = |number: usize| format!("2001:db8:1:2:{number:x}::1");
        let written: usize = (0..100).map(|it| fails(&mut budget, &one(it), 0).len()).sum();
        assert_eq!(written, AUDIT_FAILURES_OF_ADDRESS);
        // However it is written: zeros in front of the network's end are no other network's.
        let others = ["2001:db8:1:3::1", "2001::1", "2001:db8::1:2:3:4:5"];
        for other in others {
            assert_eq!(fails(&mut budget, other, 0).len(), 1, "{other}");
        }
        let short = "2001:0:0:7:8:9:1:2";
        let long = "2001::7:8:9:1:3";
        (0..AUDIT_FAILURES_OF_ADDRESS).for_each(|_| drop(fails(&mut budget, short, 0)));
        assert!(fails(&mut budget, long, 0).is_empty(), "one network, written in two ways");
    }

    #[test]
    fn next_window_reports_skipped_failures() {
        let mut budget = FailureBudget::default();
        for now in 0..AUDIT_FAILURES_OF_ADDRESS as u64 + 7 {
            fails(&mut budget, "192.0.2.1", now);
        }
        let facts = fails(&mut budget, "192.0.2.1", AUDIT_WINDOW_MILLIS);
        assert_eq!(facts[0], Fact::Audit(AuditFact::FailuresSkipped { count: 7 }));
        assert_eq!(facts.len(), 2);
    }
}
