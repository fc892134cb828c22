//! When certificates are ordered: at the start if there is none for the domains, and again when a
//! third of the validity is left.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use actix::Arbiter;
use instant_acme::ChallengeType;

use crate::http::acme::orders::{AuthorityClient, Orders, name};
use crate::http::acme::store::{AcmeStatus, AcmeStore, OrderFailure, StoreFault};
use crate::http::acme::{AcmeCertificate, AcmeSettings};
use crate::http::certificate::{CertificateWithKey, date};
use base::clock::Clock;
use outgoing::Outgoing;

/// The delay after the first failure, in seconds. With it, an authority that allows five failed
/// validations an hour for each name, as Let's Encrypt does, refuses none.
const FIRST_DELAY: u64 = 120;
/// The longest delay after a failure, in seconds.
const LONGEST_DELAY: u64 = 86_400;
/// The least time between two orders of processes that follow each other, in seconds: a server that
/// crashes at its start must not use up what the authority allows.
const RESTART_DELAY: u64 = 60;
/// The longest pause before the first look whether the authority is done.
const PACE: Duration = Duration::from_millis(250);

/// What the renewal needs from the server.
pub struct RenewalContext {
    /// The sender of requests to the authority.
    pub outgoing: Outgoing,
    /// The clock of the server.
    pub clock: Arc<dyn Clock>,
    /// Returns random numbers between 0 and 1.
    pub chance: fn() -> f64,
    /// How often the renewal looks at the clock.
    pub look_every: Duration,
    /// Whether the server listens for HTTP-01.
    pub has_http: bool,
}

/// Orders certificates when they are due.
pub struct Renewal {
    served: Arc<AcmeCertificate>,
    settings: AcmeSettings,
    store: AcmeStore,
    status: AcmeStatus,
    /// When a certificate for the current settings is renewed, in Unix seconds; `None` if there is
    /// no such certificate.
    renews: Option<u64>,
    /// Whether the failure in the status is one of the process before.
    has_restarted: bool,
    context: RenewalContext,
}

/// The thread on which certificates are ordered.
pub struct RenewalThread(Arbiter);

impl RenewalThread {
    /// Stops the thread, and waits for its end.
    pub fn end(self) {
        self.0.stop();
        if self.0.join().is_err() {
            tracing::error!("the certificate thread panicked");
        }
    }
}

impl Renewal {
    /// Serves the stored certificate if it is valid, and decides when the next one is due.
    ///
    /// # Errors
    /// If the folder cannot be used. A damaged file in it is logged, and replaced by the next order.
    pub fn open(
        served: Arc<AcmeCertificate>,
        settings: AcmeSettings,
        store: AcmeStore,
        context: RenewalContext,
    ) -> Result<Self, StoreFault> {
        store.create()?;
        let status = store.status().unwrap_or_else(|error| {
            tracing::error!(%error, "reading the state of the ACME orders failed; starting over");
            AcmeStatus::default()
        });
        let has_restarted = true;
        let mut renewal =
            Self { served, settings, store, status, renews: None, has_restarted, context };
        let now = renewal.context.clock.now().wall;
        let stored = match renewal.store.certificate() {
            Ok(stored) => {
                stored.map(|it| it.valid_at(now)).transpose().map_err(|it| it.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        match stored {
            Ok(Some(read)) => renewal.take_over(read),
            Ok(None) => {}
            Err(error) => {
                tracing::error!(error, "the stored certificate cannot be used; ordering another");
            }
        }
        renewal.served.next_order.store(renewal.due(now.seconds()), Ordering::Relaxed);
        Ok(renewal)
    }

    /// Starts a thread that orders certificates when they are due.
    pub fn start(self) -> RenewalThread {
        let arbiter = Arbiter::new();
        let RenewalContext { outgoing, clock, look_every, .. } = &self.context;
        let client = AuthorityClient::new(outgoing.clone(), arbiter.handle(), Arc::clone(clock));
        let orders = Orders {
            settings: self.settings.clone(),
            store: self.store.clone(),
            client,
            pace: (*look_every).min(PACE),
        };
        arbiter.spawn_fn(move || {
            actix::spawn(self.run(orders));
        });
        RenewalThread(arbiter)
    }

    async fn run(mut self, orders: Orders) {
        loop {
            let now = self.context.clock.now().wall.seconds();
            if now >= self.due(now) {
                self.order(&orders).await;
            }
            tokio::time::sleep(self.context.look_every).await;
        }
    }

    /// The time of the next order, in Unix seconds.
    fn due(&self, now: u64) -> u64 {
        let wanted = self.renews.unwrap_or(0);
        let failure = self.status.failure.as_ref();
        wanted.max(failure.map_or(0, |it| retry_at(it, self.has_restarted, now)))
    }

    async fn order(&mut self, orders: &Orders) {
        let challenges = self.challenges();
        let domains = self.settings.domains.join(",");
        let directory = &self.settings.directory;
        let challenge = challenges.first().map(name).unwrap_or_default();
        tracing::info!(domains, directory, challenge, "ordering a certificate");
        let ordered = orders.order(&self.served, &challenges).await;
        let now = self.context.clock.now().wall.seconds();
        match ordered {
            Ok(read) => {
                self.status = AcmeStatus {
                    directory: self.settings.directory.clone(),
                    domains: self.settings.domains.clone(),
                    failure: None,
                };
                let expires = date(read.expires);
                self.take_over(read);
                self.served.issued.fetch_add(1, Ordering::Relaxed);
                let next_order = date(self.due(now));
                tracing::info!(
                    domains,
                    expires,
                    next_order,
                    "the certificate was issued; new connections receive it"
                );
            }
            Err(fault) => {
                let count = self.status.failure.as_ref().map_or(0, |it| it.count);
                let asked = fault.asked.map(|it| now.saturating_add(it.as_secs()));
                self.status.failure = Some(OrderFailure {
                    count: count.saturating_add(1),
                    at: now,
                    error: fault.error.clone(),
                    asked_until: asked.unwrap_or(0),
                });
                self.has_restarted = false;
                self.served.failed.fetch_add(1, Ordering::Relaxed);
                let error = fault.error;
                let next_order = date(self.due(now));
                if self.served.is_issued() {
                    tracing::error!(
                        domains,
                        error,
                        next_order,
                        "ordering a certificate failed; connections receive the previous one"
                    );
                } else {
                    tracing::error!(
                        domains,
                        error,
                        next_order,
                        "ordering a certificate failed; there is none yet, so HTTPS is refused"
                    );
                }
            }
        }
        self.served.next_order.store(self.due(now), Ordering::Relaxed);
        if let Err(error) = self.store.write_status(&self.status) {
            tracing::error!(%error, "writing the state of the ACME orders failed");
        }
    }

    /// The challenges that the server answers, the best first. After a failure the other one comes
    /// first, since a firewall may close one of the ports.
    fn challenges(&self) -> Vec<ChallengeType> {
        if !self.context.has_http {
            return vec![ChallengeType::TlsAlpn01];
        }
        let failures = self.status.failure.as_ref().map_or(0, |it| it.count);
        let mut challenges = vec![ChallengeType::Http01, ChallengeType::TlsAlpn01];
        if failures % 2 == 1 {
            challenges.reverse();
        }
        challenges
    }

    /// Serves a certificate.
    fn take_over(&mut self, read: CertificateWithKey) {
        let is_ordered_so = self.status.directory == self.settings.directory
            && is_same_set(&self.status.domains, &self.settings.domains);
        let renews = renewal_time(read.begins, read.expires, (self.context.chance)());
        self.renews = is_ordered_so.then_some(renews);
        self.served.serve(read);
    }
}

fn is_same_set(one: &[String], other: &[String]) -> bool {
    one.iter().all(|it| other.contains(it)) && other.iter().all(|it| one.contains(it))
}

/// When a certificate is renewed, in Unix seconds: when a third of its validity is left, and up to a
/// thirtieth earlier by chance, so that servers which started together do not order together.
fn renewal_time(begins: u64, expires: u64, chance: f64) -> u64 {
    let validity = expires.saturating_sub(begins);
    // At most some billions, and the chance is below 1.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a number of seconds"
    )]
    let earlier = ((validity / 30) as f64 * chance) as u64;
    expires.saturating_sub(validity / 3).saturating_sub(earlier)
}

/// When an order is tried again after this failure, in Unix seconds. After a restart, an operator
/// who corrected the cause does not wait.
fn retry_at(failure: &OrderFailure, has_restarted: bool, now: u64) -> u64 {
    let doublings = failure.count.saturating_sub(1).min(16);
    let delay = (FIRST_DELAY << doublings).min(LONGEST_DELAY);
    let delay = if has_restarted { delay.min(RESTART_DELAY) } else { delay };
    let wanted = failure.at.saturating_add(delay).max(failure.asked_until);
    // The clock may have been set back, and the authority may have asked for weeks.
    wanted.min(failure.at.min(now).saturating_add(LONGEST_DELAY))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 86_400;

    fn failure(count: u32, asked_until: u64) -> OrderFailure {
        OrderFailure { count, at: 1_000_000, error: String::new(), asked_until }
    }

    #[test]
    fn certificates_are_renewed_with_a_third_left() {
        assert_eq!(renewal_time(10 * DAY, 100 * DAY, 0.0), 70 * DAY);
        assert_eq!(renewal_time(10 * DAY, 100 * DAY, 0.5), 68 * DAY + DAY / 2);
        assert_eq!(renewal_time(0, 6 * DAY, 0.0), 4 * DAY);
        assert_eq!(renewal_time(5, 5, 0.9), 5);
    }

    #[test]
    fn failures_double_the_delay_up_to_a_day() {
        let delays = [1, 2, 3, 6, 10, 11, 1000]
            .map(|count| retry_at(&failure(count, 0), false, 1_000_000) - 1_000_000);
        assert_eq!(delays, [120, 240, 480, 3840, 61_440, DAY, DAY]);
    }

    #[test]
    fn authority_lengthens_the_delay_up_to_a_day() {
        let delay = |asked| retry_at(&failure(1, 1_000_000 + asked), false, 1_000_000) - 1_000_000;
        assert_eq!([delay(1), delay(3600), delay(100 * DAY)], [120, 3600, DAY]);
    }

    #[test]
    fn restart_shortens_the_delay_to_a_minute() {
        assert_eq!(retry_at(&failure(9, 0), true, 1_000_000), 1_000_060);
        assert_eq!(retry_at(&failure(9, 1_003_600), true, 1_000_000), 1_003_600);
    }

    #[test]
    fn clock_set_back_delays_by_a_day_at_most() {
        assert_eq!(retry_at(&failure(9, 0), false, 1000), 1000 + DAY);
    }
}
