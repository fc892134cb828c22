//! The question with which `subscribers::alarms` has a room do what is due at a set time. The room's
//! answer, and the facts that it records, say what becomes of the alarm.

use std::convert::Infallible;

use crate::actors::ask::Question;
use crate::domain::alarm::{AlarmAnswer, DatedAppointment};

/// Does what an alarm is for. Sent by `subscribers::alarms`; answered once the facts are on disk
/// that remove or move the alarm.
#[derive(Debug)]
pub struct RingAlarm(pub DatedAppointment);

impl Question for RingAlarm {
    type Answer = AlarmAnswer;
    type Refusal = Infallible;
}
