//! The questions that the dispatcher answers.

use std::convert::Infallible;

use actors::ask::Question;
use domain::callback::Delivery;
use domain::ids::DeliveryId;

/// Delivers events once more, without later ones waiting for them. Asked by `http::deliveries`,
/// with deliveries of a bot that the caller made. Answered with those that will be delivered, which
/// leaves out one whose attempt is under way.
#[derive(Debug)]
pub struct ReplayDeliveries {
    /// The deliveries as they are on disk, all of one bot.
    pub deliveries: Vec<Delivery>,
}

impl Question for ReplayDeliveries {
    type Answer = Vec<DeliveryId>;
    type Refusal = Infallible;
}
