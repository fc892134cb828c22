//! What the dispatcher can be asked.

use std::convert::Infallible;

use crate::actors::ask::Question;
use crate::domain::callback::Delivery;
use crate::domain::ids::DeliveryId;

/// Delivers messages once more, past others. Asked by `http::deliveries`, with
/// deliveries of a bot that the asker made. Answers with those that will be delivered:
/// one whose attempt is under way is not among them.
#[derive(Debug)]
pub struct ReplayDeliveries {
    /// Which, as they stand on disk; all of one bot.
    pub deliveries: Vec<Delivery>,
}

impl Question for ReplayDeliveries {
    type Answer = Vec<DeliveryId>;
    type Refusal = Infallible;
}
