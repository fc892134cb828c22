//! Bytes and places that uploads reserve before they write, counted for each owner apart.
//!
//! A reservation is made and counted under one lock, so two uploads never take the same bytes. When
//! an upload becomes a file, its reservation turns into the file's own bytes under the same lock.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dashmap::DashMap;

use crate::files::FileRefusal;
use domain::ids::UserId;
use domain::limits::{PARTIAL_UPLOADS, UNSENT_FILES};

/// Requests of one user that may bring bytes at the same time: an eighth of all places.
pub(super) const UPLOADS_AT_ONCE: usize = 32;

/// The reservations of each user's uploads.
#[derive(Debug, Default)]
pub(super) struct Reservations {
    by_owner: DashMap<UserId, Arc<OwnerShare>>,
}

#[derive(Debug, Default)]
struct OwnerShare(Mutex<Held>);

#[derive(Debug, Default, Clone, Copy)]
struct Held {
    counts: Counts,
    /// Bytes of uploads that became files since the first present reservation was made.
    settled: u64,
}

/// Bytes and places of one reservation, or of all reservations of an owner.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counts {
    /// Bytes of the quota.
    pub(super) bytes: u64,
    /// Requests that bring bytes.
    pub(super) requests: usize,
    /// Resumable uploads.
    pub(super) uploads: usize,
    /// Files that will wait to be sent.
    pub(super) files: usize,
}

impl Counts {
    /// The place of a request that brings bytes to a resumable upload.
    pub(super) const REQUEST: Self = Self { bytes: 0, requests: 1, uploads: 0, files: 0 };
    /// The places of an upload in one request.
    pub(super) const INTAKE: Self = Self { bytes: 0, requests: 1, uploads: 0, files: 1 };
    /// The places of a resumable upload.
    pub(super) const UPLOAD: Self = Self { bytes: 0, requests: 0, uploads: 1, files: 1 };

    const fn add(&mut self, other: Self) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.requests += other.requests;
        self.uploads += other.uploads;
        self.files += other.files;
    }

    const fn subtract(&mut self, other: Self) {
        self.bytes = self.bytes.saturating_sub(other.bytes);
        self.requests = self.requests.saturating_sub(other.requests);
        self.uploads = self.uploads.saturating_sub(other.uploads);
        self.files = self.files.saturating_sub(other.files);
    }
}

/// Files and uploads that an owner has beside the reservations of this node.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Elsewhere {
    /// Files that wait to be sent.
    pub(super) unsent: usize,
    /// Resumable uploads that only other nodes have.
    pub(super) uploads: usize,
}

/// The reservations of an owner at one moment, before the index was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct SettledMark(u64);

/// Bytes and places that one upload holds; given back on drop.
#[derive(Debug)]
pub(super) struct Reservation {
    of: Arc<Reservations>,
    owner: UserId,
    share: Arc<OwnerShare>,
    own: Mutex<Counts>,
}

impl Reservations {
    /// Bytes that a user's uploads hold.
    pub(super) fn bytes(&self, owner: UserId) -> u64 {
        self.by_owner.get(&owner).map_or(0, |share| share.held().counts.bytes)
    }

    /// Reserves places for an upload.
    ///
    /// # Errors
    /// If the owner has no more places.
    pub(super) fn reserve(
        self: &Arc<Self>,
        owner: UserId,
        wanted: Counts,
        elsewhere: Elsewhere,
    ) -> Result<Arc<Reservation>, FileRefusal> {
        let reservation = self.empty(owner);
        let mut held = reservation.share.held();
        let mut after = held.counts;
        after.add(wanted);
        if wanted.files > 0 && after.files + elsewhere.unsent > UNSENT_FILES {
            return Err(FileRefusal::TooManyUnsent);
        }
        if wanted.uploads > 0 && after.uploads + elsewhere.uploads > PARTIAL_UPLOADS {
            return Err(FileRefusal::TooManyPartial);
        }
        if wanted.requests > 0 && after.requests > UPLOADS_AT_ONCE {
            return Err(FileRefusal::TooManyAtOnce);
        }
        held.counts = after;
        *reservation.own() = wanted;
        drop(held);
        Ok(reservation)
    }

    /// Counts an upload that exists already, whatever the limits are.
    pub(super) fn hold(self: &Arc<Self>, owner: UserId, wanted: Counts) -> Arc<Reservation> {
        let reservation = self.empty(owner);
        let mut held = reservation.share.held();
        held.counts.add(wanted);
        *reservation.own() = wanted;
        drop(held);
        reservation
    }

    fn empty(self: &Arc<Self>, owner: UserId) -> Arc<Reservation> {
        let share = Arc::clone(&self.by_owner.entry(owner).or_default());
        Arc::new(Reservation { of: Arc::clone(self), owner, share, own: Mutex::default() })
    }
}

impl OwnerShare {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reservation {
    /// The owner of the upload.
    pub(super) const fn owner(&self) -> UserId {
        self.owner
    }

    /// Bytes that are reserved.
    pub(super) fn bytes(&self) -> u64 {
        self.own().bytes
    }

    /// Marks a moment, and reads under the same lock what no settling may change in between.
    pub(super) fn at_once<T>(&self, read: impl FnOnce() -> T) -> (SettledMark, T) {
        let held = self.share.held();
        (SettledMark(held.settled), read())
    }

    /// Reserves this many bytes in all, if the quota has room for them. `owned` are the bytes of
    /// the owner's files at `moment`. Returns whether they are reserved.
    pub(super) fn raise(&self, bytes: u64, quota: u64, owned: u64, moment: SettledMark) -> bool {
        let mut held = self.share.held();
        let mut own = self.own();
        let others = held.counts.bytes.saturating_sub(own.bytes);
        let since = held.settled.saturating_sub(moment.0);
        let wanted = owned.saturating_add(since).saturating_add(others).saturating_add(bytes);
        if wanted > quota {
            return false;
        }
        held.counts.bytes = others.saturating_add(bytes);
        own.bytes = bytes;
        true
    }

    /// Sets what is reserved, whatever the quota is.
    pub(super) fn set_bytes(&self, bytes: u64) {
        let mut held = self.share.held();
        let mut own = self.own();
        held.counts.bytes = held.counts.bytes.saturating_sub(own.bytes).saturating_add(bytes);
        own.bytes = bytes;
    }

    /// Gives everything back, as the upload became a file of this many bytes. `add` counts the file
    /// among those of its owner, under the same lock.
    pub(super) fn settle(&self, size: u64, add: impl FnOnce()) {
        let mut held = self.share.held();
        let mut own = self.own();
        add();
        held.settled = held.settled.saturating_add(size);
        held.counts.subtract(*own);
        *own = Counts::default();
    }

    /// Gives everything back.
    pub(super) fn release(&self) {
        let mut held = self.share.held();
        let mut own = self.own();
        held.counts.subtract(*own);
        *own = Counts::default();
    }

    /// Locked after the owner's share only.
    fn own(&self) -> MutexGuard<'_, Counts> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.release();
        // Two hold the share then: the map, and this reservation.
        self.of.by_owner.remove_if(&self.owner, |_, share| Arc::strong_count(share) <= 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANA: UserId = UserId::new(1);
    const BEN: UserId = UserId::new(2);

    fn requests(of: &Arc<Reservations>, owner: UserId) -> Vec<Arc<Reservation>> {
        let one = || of.reserve(owner, Counts::REQUEST, Elsewhere::default()).ok();
        std::iter::from_fn(one).take(1000).collect()
    }

    #[test]
    fn one_user_takes_only_a_share_of_the_places() {
        let all = Arc::new(Reservations::default());
        let held = requests(&all, ANA);
        assert_eq!(held.len(), UPLOADS_AT_ONCE);
        assert_eq!(requests(&all, BEN).len(), UPLOADS_AT_ONCE);
        drop(held);
        assert_eq!(requests(&all, ANA).len(), UPLOADS_AT_ONCE);
        assert!(all.by_owner.is_empty());
    }

    #[test]
    fn reserved_bytes_never_exceed_the_quota() {
        let all = Arc::new(Reservations::default());
        let made: Vec<_> = (0..4).map(|_| all.hold(ANA, Counts::INTAKE)).collect();
        let (moment, ()) = made[0].at_once(|| ());
        let raised = made.iter().filter(|it| it.raise(40, 100, 0, moment)).count();
        assert_eq!((raised, all.bytes(ANA)), (2, 80));
        // A file that an upload became counts for those who read the index before.
        made[0].settle(40, || ());
        assert!(!made[2].raise(40, 100, 0, moment) && made[2].raise(20, 100, 0, moment));
        made[1].release();
        assert_eq!(all.bytes(ANA), 20);
    }
}
