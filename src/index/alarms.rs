//! Alarms: what happens to a conversation by itself at a given time, such as the end of a mute.
//!
//! A row stays until the room has answered the alarm, so that it is found again after a crash. The
//! fact that records the answer removes or moves the row.

use crate::derive::Derivation;
use crate::{Flow, Index, IndexFault, Walk, keys};
use base::msgpack;
use domain::alarm::{AlarmSettled, Appointment, DatedAppointment};
use domain::time::Timestamp;

fn key((at, appointment): DatedAppointment) -> Result<Vec<u8>, IndexFault> {
    let packed = msgpack::to_vec(&appointment);
    let packed =
        packed.map_err(|error| IndexFault::Row { table: "alarm", reason: error.to_string() })?;
    Ok(keys::alarm(at, &packed))
}

impl Derivation<'_> {
    /// Moves an alarm from one time to another; `None` is no alarm.
    pub(super) fn reset_alarm(
        &mut self,
        alarm: Appointment,
        before: Option<Timestamp>,
        after: Option<Timestamp>,
    ) -> Result<(), IndexFault> {
        if before == after {
            return Ok(());
        }
        if let Some(at) = before {
            self.draft.delete(key((at, alarm))?);
        }
        if let Some(at) = after {
            self.draft.put_bytes(key((at, alarm))?, Vec::new());
        }
        Ok(())
    }

    /// Removes or moves the row of an alarm that rang for nothing.
    pub(super) fn settle_alarm(&mut self, settled: &AlarmSettled) -> Result<(), IndexFault> {
        self.reset_alarm(settled.appointment, Some(settled.at), settled.next)
    }
}

impl Index {
    /// Returns up to `most` appointments, the earliest first, future ones included; only those that
    /// come after `after`, if it is given.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn alarms(
        &self,
        after: Option<DatedAppointment>,
        most: usize,
    ) -> Result<Vec<DatedAppointment>, IndexFault> {
        let low = match after {
            Some((at, alarm)) => [key((at, alarm))?, vec![0]].concat(),
            None => keys::alarm(Timestamp::default(), &[]),
        };
        let mut found = Vec::new();
        self.rows.scan(&low, &keys::end_of(&low[..1]), Walk::Up, &mut |key, _| {
            let misfit = || IndexFault::Row { table: "alarm", reason: "a short key".to_owned() };
            let (at, alarm) = key[1..].split_first_chunk().ok_or_else(misfit)?;
            let at = Timestamp::from_millis(u64::from_be_bytes(*at));
            found.push((at, crate::rows::decode("alarm", alarm)?));
            Ok(if found.len() < most { Flow::Continue } else { Flow::Stop })
        })?;
        Ok(found)
    }
}
