//! A bundle: the questions and answers that one node sends another in one message, and its
//! encoding.
//!
//! Numbers are little-endian. A later version may append fields after the items; a bundle of
//! another version is not read.

use bytes::{Buf, BufMut, Bytes, BytesMut};

use journal::Cursor;

/// The version of the encoding.
const VERSION: u8 = 1;
const ASK: u8 = 1;
const ANSWER: u8 = 2;
const PART_OF_ASK: u8 = 3;
const PART_OF_ANSWER: u8 = 4;
/// The maximum overhead per item, in bytes.
const AROUND: usize = 17;

/// How far a node is, sent along with each bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NodeProgress {
    /// The position up to which the node shows the journal.
    pub(super) shown: Cursor,
    /// Whether other nodes wait for it: it serves and is not behind.
    pub(super) is_ready: bool,
}

/// A message from one node to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bundle {
    /// The run of the sender.
    pub(super) from: u64,
    /// The number of the bundle among those of this run to the receiver, from 1; 0 for a bundle
    /// that only acknowledges.
    pub(super) number: u64,
    /// The number of the receiver's last bundle that the sender has received.
    pub(super) heard: u64,
    pub(super) standing: NodeProgress,
    pub(super) items: Vec<BundleItem>,
}

/// A question or an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BundleItem {
    /// The number of the question, as its asker counts.
    pub(super) id: u64,
    pub(super) kind: ItemKind,
    pub(super) body: Bytes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemKind {
    /// A question. Its answer may take `within` milliseconds.
    Ask { within: u32 },
    /// An answer; an empty body means that there is none.
    Answer,
    /// The next part of a question that is too long for one message; its other parts follow, and
    /// the question itself has the last one.
    PartOfAsk,
    /// The next part of an answer that is too long for one message.
    PartOfAnswer,
}

impl BundleItem {
    /// The item as the parts in which it travels: of at most so many bytes each.
    pub(super) fn parts(mut self, longest: usize) -> Vec<Self> {
        let kind = match self.kind {
            ItemKind::Ask { .. } | ItemKind::PartOfAsk => ItemKind::PartOfAsk,
            ItemKind::Answer | ItemKind::PartOfAnswer => ItemKind::PartOfAnswer,
        };
        let mut parts = Vec::new();
        while self.body.len() > longest {
            parts.push(Self { id: self.id, kind, body: self.body.split_to(longest) });
        }
        parts.push(self);
        parts
    }

    /// Whether the item is a question of this node, or a part of one.
    pub(super) const fn is_of_ask(&self) -> bool {
        matches!(self.kind, ItemKind::Ask { .. } | ItemKind::PartOfAsk)
    }

    /// The maximum number of bytes that the item takes in a bundle.
    pub(super) const fn len(&self) -> usize {
        self.body.len() + AROUND
    }
}

impl Bundle {
    pub(super) fn encode(&self) -> Bytes {
        let length = self.items.iter().map(BundleItem::len).sum::<usize>() + 40;
        let mut out = BytesMut::with_capacity(length);
        out.put_u8(VERSION);
        out.put_u64_le(self.from);
        out.put_u64_le(self.number);
        out.put_u64_le(self.heard);
        out.put_u64_le(self.standing.shown.get());
        out.put_u8(self.standing.is_ready.into());
        out.put_u32_le(u32::try_from(self.items.len()).unwrap_or(u32::MAX));
        for item in &self.items {
            out.put_u64_le(item.id);
            match item.kind {
                ItemKind::Ask { within } => {
                    out.put_u8(ASK);
                    out.put_u32_le(within);
                }
                ItemKind::Answer => out.put_u8(ANSWER),
                ItemKind::PartOfAsk => out.put_u8(PART_OF_ASK),
                ItemKind::PartOfAnswer => out.put_u8(PART_OF_ANSWER),
            }
            out.put_u32_le(u32::try_from(item.body.len()).unwrap_or(u32::MAX));
            out.put_slice(&item.body);
        }
        out.freeze()
    }

    /// Decodes a bundle; `None` if the bytes are malformed or of another version.
    pub(super) fn decode(mut bytes: Bytes) -> Option<Self> {
        if bytes.try_get_u8().ok()? != VERSION {
            return None;
        }
        let from = bytes.try_get_u64_le().ok()?;
        let number = bytes.try_get_u64_le().ok()?;
        let heard = bytes.try_get_u64_le().ok()?;
        let shown = Cursor::new(bytes.try_get_u64_le().ok()?);
        let is_ready = bytes.try_get_u8().ok()? == 1;
        let count = bytes.try_get_u32_le().ok()?;
        let items = (0..count).map(|_| item(&mut bytes)).collect::<Option<_>>()?;
        Some(Self { from, number, heard, standing: NodeProgress { shown, is_ready }, items })
    }
}

fn item(bytes: &mut Bytes) -> Option<BundleItem> {
    let id = bytes.try_get_u64_le().ok()?;
    let kind = match bytes.try_get_u8().ok()? {
        ASK => ItemKind::Ask { within: bytes.try_get_u32_le().ok()? },
        ANSWER => ItemKind::Answer,
        PART_OF_ASK => ItemKind::PartOfAsk,
        PART_OF_ANSWER => ItemKind::PartOfAnswer,
        _ => return None,
    };
    let length = usize::try_from(bytes.try_get_u32_le().ok()?).ok()?;
    let body = (length <= bytes.len()).then(|| bytes.split_to(length))?;
    Some(BundleItem { id, kind, body })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundle_round_trips() {
        let ask = ItemKind::Ask { within: 10_000 };
        let item = |id, kind, body: &'static [u8]| {
            let body = Bytes::from_static(body);
            BundleItem { id, kind, body }
        };
        let bundle = Bundle {
            from: 7,
            number: 3,
            heard: 2,
            standing: NodeProgress { shown: Cursor::new(4711), is_ready: true },
            items: vec![
                item(1, ItemKind::PartOfAsk, b"w"),
                item(1, ask, b"ho?"),
                item(9, ItemKind::PartOfAnswer, b"An"),
                item(9, ItemKind::Answer, b""),
            ],
        };
        let sent = bundle.encode();
        assert_eq!(Bundle::decode(sent.clone()), Some(bundle));
        for cut in 0..sent.len() {
            assert_eq!(Bundle::decode(sent.slice(..cut)), None, "cut at {cut}");
        }
        let later: Bytes = [&[VERSION + 1], &sent[1..]].concat().into();
        assert_eq!(Bundle::decode(later), None);
    }
}
