//! Alarms of a group: mutes and polls end, and events begin soon.

use crate::domain::alarm::{AlarmAnswer, Appointment, DatedAppointment};
use crate::domain::event::Decision;
use crate::domain::group::Group;
use crate::domain::id_generator::IdGenerator;
use crate::domain::time::Timestamp;

impl Group {
    /// Does what an alarm is for, if it is due.
    pub fn ring(
        &self,
        alarm: DatedAppointment,
        now: Timestamp,
        id_generator: &dyn IdGenerator,
    ) -> Decision<AlarmAnswer> {
        // Nothing happens any more in a group that was disbanded.
        if self.disbanded {
            return Decision::on_alarm(alarm, AlarmAnswer::NothingToDo);
        }
        let answer = match alarm.1 {
            Appointment::MuteEnds { user, .. } => self.end_mute(user, now),
            Appointment::PollEnds { poll, .. } => self.expire_poll(poll, now, id_generator),
            Appointment::Reminder { event, .. } => self.remind_of_event(event, now, id_generator),
        };
        Decision::on_alarm(alarm, answer)
    }
}
