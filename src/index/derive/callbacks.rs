//! The rows of callbacks: how far each bot was called back, and its log of deliveries, which is cut
//! here so that it is bounded wherever rows are made.

use crate::derive::Derivation;
use crate::rows::CallbackProgress;
use crate::{IndexFault, keys};
use domain::callback::{CallbackFact, Delivery, DeliveryState};
use domain::ids::{DeliveryId, UserId};
use domain::limits::DELIVERIES;

impl Derivation<'_> {
    pub(super) fn callback(&mut self, fact: &CallbackFact) -> Result<(), IndexFault> {
        match fact {
            CallbackFact::Noted(delivery) => self.note_delivery(delivery),
        }
    }

    fn note_delivery(&mut self, delivery: &Delivery) -> Result<(), IndexFault> {
        let bot = delivery.bot;
        let id = delivery.id;
        // A delivery under way when its bot was removed ends later, and nobody owns it.
        if self.draft.get::<()>("bot number", &keys::bot_number(bot))?.is_none() {
            return Ok(());
        }
        let place = keys::called_back(bot);
        let mut so_far: CallbackProgress =
            self.draft.get("called back", &place)?.unwrap_or_default();
        if id.get() > so_far.newest {
            so_far.newest = id.get();
            self.cut_log(bot, so_far.newest)?;
        }
        let lets_others_past = match delivery.state {
            DeliveryState::Delivered | DeliveryState::Parked | DeliveryState::Dead => true,
            DeliveryState::Pending | DeliveryState::Failed => false,
        };
        if lets_others_past {
            so_far.until = so_far.until.max(delivery.message.get());
            so_far.until_n = so_far.until_n.max(delivery.n);
        }
        self.draft.put(place, &so_far)?;
        let open = keys::open_delivery(bot, id);
        let is_kept = id.get() + DELIVERIES > so_far.newest;
        if delivery.state.is_open() {
            self.draft.put_bytes(open, Vec::new());
            self.draft.put(keys::delivery(bot, id), delivery)
        } else {
            self.draft.delete(open);
            if is_kept {
                return self.draft.put(keys::delivery(bot, id), delivery);
            }
            self.draft.delete(keys::delivery(bot, id));
            Ok(())
        }
    }

    /// Drops the delivery that a new one pushes out of the log, unless it is still open.
    fn cut_log(&mut self, bot: UserId, newest: u64) -> Result<(), IndexFault> {
        let Some(out) = newest.checked_sub(DELIVERIES) else { return Ok(()) };
        let key = keys::delivery(bot, DeliveryId::new(out));
        let known: Option<Delivery> = self.draft.get("delivery", &key)?;
        if known.is_some_and(|known| !known.state.is_open()) {
            self.draft.delete(key);
        }
        Ok(())
    }

    pub(super) fn forget_callbacks(&mut self, bot: UserId) -> Result<(), IndexFault> {
        for prefix in [keys::deliveries(bot), keys::open_deliveries(bot)] {
            for key in self.draft.keys_below(&prefix)? {
                self.draft.delete(key);
            }
        }
        self.draft.delete(keys::called_back(bot));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemoryRows;
    use crate::rows;
    use crate::runs::OpenRuns;
    use crate::{Rows, Walk};
    use domain::bot_event::BotEvent;
    use domain::callback::DeliveredEvent;
    use domain::highest_ids::HighestIds;
    use domain::ids::{GroupId, MessageId};
    use domain::time::Timestamp;
    use journal::Cursor;

    const BOT: UserId = UserId::new(1);

    fn said(id: u64) -> DeliveredEvent {
        let message = Some(MessageId::new(id));
        DeliveredEvent { n: id, event: BotEvent::Message, message }
    }

    fn note(rows: &MemoryRows, ids: impl Iterator<Item = u64>, state: DeliveryState) {
        let open = OpenRuns::new();
        let mut derivation = Derivation::on(rows, &open, HighestIds::default(), Cursor::START);
        derivation.draft.put(keys::bot_number(BOT), &()).unwrap();
        for id in ids {
            let of = (BOT, GroupId::new(2));
            let begun =
                Delivery::begun(DeliveryId::new(id), of.0, of.1, said(id), Timestamp::default());
            let delivery = Box::new(Delivery { state, ..begun });
            derivation.callback(&CallbackFact::Noted(delivery)).unwrap();
        }
        rows.apply(derivation.finish().unwrap().changes).unwrap();
    }

    fn kept(rows: &MemoryRows) -> Vec<u64> {
        let mut kept = Vec::new();
        let low = keys::deliveries(BOT);
        let visit = &mut |_: &[u8], value: &[u8]| {
            let delivery: Delivery = rows::decode("delivery", value)?;
            kept.push(delivery.id.get());
            Ok(crate::Flow::Continue)
        };
        rows.scan(&low, &keys::end_of(&low), Walk::Up, visit).unwrap();
        kept
    }

    #[test]
    fn delivery_of_removed_bot_leaves_no_row() {
        let rows = MemoryRows::default();
        note(&rows, 1..=2, DeliveryState::Failed);
        let open = OpenRuns::new();
        let mut derivation = Derivation::on(&rows, &open, HighestIds::default(), Cursor::START);
        derivation.draft.delete(keys::bot_number(BOT));
        derivation.forget_callbacks(BOT).unwrap();
        let of = (BOT, GroupId::new(2));
        let begun = Delivery::begun(DeliveryId::new(2), of.0, of.1, said(2), Timestamp::default());
        derivation.callback(&CallbackFact::Noted(Box::new(begun))).unwrap();
        rows.apply(derivation.finish().unwrap().changes).unwrap();
        let mut left = 0;
        let all = [keys::deliveries(BOT), keys::open_deliveries(BOT), keys::called_back(BOT)];
        for low in all {
            let count = &mut |_: &[u8], _: &[u8]| {
                left += 1;
                Ok(crate::Flow::Continue)
            };
            rows.scan(&low, &keys::end_of(&low), Walk::Up, count).unwrap();
        }
        assert_eq!(left, 0);
    }

    #[test]
    fn log_keeps_1000_deliveries_and_all_pending() {
        let rows = MemoryRows::default();
        note(&rows, 1..=2, DeliveryState::Parked);
        note(&rows, 3..=DELIVERIES + 5, DeliveryState::Delivered);
        let newest: Vec<u64> = (6..=DELIVERIES + 5).collect();
        assert_eq!(kept(&rows), [&[1, 2], &newest[..]].concat());
        note(&rows, 1..=1, DeliveryState::Dead);
        assert_eq!(kept(&rows), [&[2], &newest[..]].concat(), "over, and too old");
    }
}
