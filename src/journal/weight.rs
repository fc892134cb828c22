//! The weight of an event: an upper estimate of its bytes on disk, made before it is encoded, so
//! that the events gathered for one commit fit into a record.

use std::io::{self, Write};

use domain::event::Fact;
use domain::message::Message;

/// Bytes of an event apart from the texts of its message: ids, numbers, names of variants.
const FRAME: usize = 160;

/// Bytes of an event with this fact in a record; never too few.
///
/// Most events are messages, so a message is weighed by the lengths of its texts. Any other fact is
/// encoded, and its bytes counted and dropped.
pub fn weight(fact: &Fact) -> usize {
    match fact.message() {
        Some(message) => of_message(message),
        None => FRAME + encoded(fact),
    }
}

/// Bytes of an event that carries this message; never too few.
pub fn of_message(message: &Message) -> usize {
    let texts = [message.text.as_ref(), Some(&message.name), Some(&message.source_guid)];
    let texts: usize = texts.into_iter().flatten().map(String::len).sum();
    let avatar = message.avatar.as_ref().map_or(0, |it| it.path().len());
    let attachments = match message.attachments.as_slice() {
        [] => 0,
        attachments => encoded(attachments),
    };
    FRAME + texts + avatar + attachments + message.line.as_ref().map_or(0, encoded)
}

fn encoded<T: serde::Serialize + ?Sized>(value: &T) -> usize {
    let mut counted = Counted(0);
    rmp_serde::encode::write(&mut counted, value).expect("counting bytes cannot fail");
    counted.0
}

/// A writer that counts bytes and keeps none.
struct Counted(usize);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use domain::attachment::Attachment;
    use domain::event::Event;
    use domain::first_answer::{AskKey, Fingerprint, FirstAnswer};
    use domain::group::GroupFact;
    use domain::ids::{MessageId, UserId};
    use domain::message::SystemMessage;
    use domain::named::NamedUser;
    use domain::revision::MessageState;
    use domain::time::Timestamp;

    fn fits(fact: Fact) {
        let told = weight(&fact);
        let at = Timestamp::from_millis(u64::MAX);
        let real = encoded(&Event { at, fact });
        assert!((real..=real + FRAME).contains(&told), "{told} for {real} bytes");
    }

    #[test]
    fn records_never_exceed_their_declared_weight() {
        let plain = Message::unlogged(MessageId::new(u64::MAX));
        let named = |number: u64| NamedUser { id: UserId::new(number), name: "é".repeat(255) };
        let mentions = Attachment::Mentions {
            user_ids: vec!["12345678901234567890".to_owned(); 100],
            loci: vec![vec![i64::MIN, i64::MAX]; 100],
            here: vec![UserId::new(u64::MAX); 200],
        };
        for message in [
            Message { text: None, count: u64::MAX, ..plain.clone() },
            Message { text: Some("\u{1f980}".repeat(1000)), ..plain.clone() },
            Message { attachments: vec![mentions; 25], ..plain.clone() },
            Message {
                line: Some(SystemMessage::Added {
                    added: (0..500).map(named).collect(),
                    adder: named(7),
                    is_by_invite: true,
                }),
                written_at: Some(Timestamp::from_millis(u64::MAX)),
                state: MessageState::default(),
                ..plain
            },
        ] {
            fits(Fact::Group(GroupFact::Posted(Arc::new(message))));
        }
        let body = Some("x".repeat(256 << 10));
        let key = AskKey::new(u128::MAX);
        let request = Fingerprint::new(u128::MAX);
        let answer = FirstAnswer { key, request, status: 201, body, headers: Vec::new() };
        fits(Fact::Answered(Arc::new(answer)));
    }
}
