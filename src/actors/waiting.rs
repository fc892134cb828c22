//! Those who wait for what a room has decided to become durable.

use crate::actors::ask::Fault;

type Look<R> = Box<dyn FnOnce(Result<&mut R, Fault>)>;

/// Who waits for what is decided to be durable.
pub enum Waiting<R> {
    /// Somebody whose answer was made with the decision.
    Answered(Box<dyn FnOnce(Result<(), Fault>)>),
    /// Somebody who looks at the room then.
    Looking(Look<R>),
}

impl<R> Waiting<R> {
    /// Whether the answer was made with the decision.
    pub const fn is_answered(&self) -> bool {
        matches!(self, Self::Answered(_))
    }

    /// It will not become durable.
    pub fn fail(self, fault: Fault) {
        match self {
            Self::Answered(answer) => answer(Err(fault)),
            Self::Looking(look) => look(Err(fault)),
        }
    }

    /// It is durable, and the room shows it.
    pub fn go_on(self, room: &mut R) {
        match self {
            Self::Answered(answer) => answer(Ok(())),
            Self::Looking(look) => look(Ok(room)),
        }
    }
}
