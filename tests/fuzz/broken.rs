//! How inputs are broken: bytes that are changed, and values that do not belong where they are. An
//! input begins as a valid one, so that it gets far into the code.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A change of bytes. Offsets are taken modulo the length.
#[derive(Debug, Clone)]
pub(crate) enum ByteChange {
    Flip { at: u32, bit: u8 },
    Set { at: u32, to: u8 },
    Insert { at: u32, bytes: Vec<u8> },
    Remove { at: u32, count: u8 },
    Repeat { at: u32, count: u8 },
    Number { at: u32, number: u32, is_big_endian: bool },
    Cut { at: u32 },
}

/// Numbers at which ranges of integers end.
const EDGES: [u32; 12] =
    [0, 1, 0x7f, 0x80, 0xff, 0x100, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, !0];

/// At most so many changes of bytes.
pub(crate) fn byte_changes(most: usize) -> impl Strategy<Value = Vec<ByteChange>> {
    let at = any::<u32>;
    let one = prop_oneof![
        4 => (at(), 0..8_u8).prop_map(|(at, bit)| ByteChange::Flip { at, bit }),
        4 => (at(), any::<u8>()).prop_map(|(at, to)| ByteChange::Set { at, to }),
        2 => (at(), vec(any::<u8>(), 1..9)).prop_map(|(at, bytes)| ByteChange::Insert { at, bytes }),
        2 => (at(), 1..40_u8).prop_map(|(at, count)| ByteChange::Remove { at, count }),
        2 => (at(), 1..40_u8).prop_map(|(at, count)| ByteChange::Repeat { at, count }),
        3 => (at(), 0..EDGES.len(), any::<bool>()).prop_map(|(at, edge, is_big_endian)| {
            ByteChange::Number { at, number: EDGES[edge], is_big_endian }
        }),
        1 => at().prop_map(|at| ByteChange::Cut { at }),
    ];
    vec(one, 0..=most)
}

impl ByteChange {
    /// Applies the change to these bytes.
    pub(crate) fn apply(&self, bytes: &mut Vec<u8>) {
        let place = |at: u32| at as usize % bytes.len().max(1);
        let length = bytes.len();
        match self {
            Self::Insert { at, bytes: more } => {
                let at = place(*at);
                bytes.splice(at..at, more.iter().copied());
            }
            _ if length == 0 => {}
            Self::Flip { at, bit } => {
                let at = place(*at);
                bytes[at] ^= 1 << bit;
            }
            Self::Set { at, to } => {
                let at = place(*at);
                bytes[at] = *to;
            }
            Self::Remove { at, count } => {
                let at = place(*at);
                bytes.drain(at..length.min(at + usize::from(*count)));
            }
            Self::Repeat { at, count } => {
                let at = place(*at);
                let again = bytes[at..length.min(at + usize::from(*count))].to_vec();
                bytes.splice(at..at, again);
            }
            Self::Number { at, number, is_big_endian } => {
                let at = place(*at);
                let number =
                    if *is_big_endian { number.to_be_bytes() } else { number.to_le_bytes() };
                bytes.iter_mut().skip(at).zip(number).for_each(|(byte, to)| *byte = to);
            }
            Self::Cut { at } => bytes.truncate(place(*at)),
        }
    }
}

/// A change of a JSON value. `at` counts its nodes from the top, modulo their number.
#[derive(Debug, Clone)]
pub(crate) enum JsonChange {
    Replace { at: u16, with: Value },
    Remove { at: u16 },
    Add { at: u16, name: String, value: Value },
    Wrap { at: u16 },
    Repeat { at: u16, times: u8 },
}

/// At most so many changes of a JSON value.
pub(crate) fn json_changes(most: usize) -> impl Strategy<Value = Vec<JsonChange>> {
    let at = any::<u16>;
    let one = prop_oneof![
        6 => (at(), odd()).prop_map(|(at, with)| JsonChange::Replace { at, with }),
        3 => at().prop_map(|at| JsonChange::Remove { at }),
        2 => (at(), odd_text(), odd()).prop_map(|(at, name, value)| JsonChange::Add { at, name, value }),
        1 => at().prop_map(|at| JsonChange::Wrap { at }),
        1 => (at(), 1..100_u8).prop_map(|(at, times)| JsonChange::Repeat { at, times }),
    ];
    vec(one, 0..=most)
}

impl JsonChange {
    /// Applies the change to a value.
    pub(crate) fn apply(&self, value: &mut Value) {
        let (Self::Replace { at, .. }
        | Self::Remove { at }
        | Self::Add { at, .. }
        | Self::Wrap { at }
        | Self::Repeat { at, .. }) = self;
        // Seldom at the top, where a change leaves little of the valid value.
        let (at, below) = (usize::from(*at), nodes(value) - 1);
        let mut left = if below == 0 || at % 256 == 0 { 0 } else { 1 + at / 256 % below };
        let node = node(value, &mut left).expect("a node of this number");
        match self {
            Self::Replace { with, .. } => *node = with.clone(),
            Self::Remove { .. } => match node {
                Value::Object(fields) => {
                    let first = fields.keys().nth(at % fields.len().max(1));
                    if let Some(name) = first.cloned() {
                        fields.remove(&name);
                    }
                }
                Value::Array(items) => drop(items.pop()),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                    *node = Value::Null;
                }
            },
            Self::Add { name, value, .. } => match node {
                Value::Object(fields) => drop(fields.insert(name.clone(), value.clone())),
                Value::Array(items) => items.push(value.clone()),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                    *node = json!({name: value});
                }
            },
            Self::Wrap { .. } => *node = json!([node.take()]),
            Self::Repeat { times, .. } => {
                *node = Value::Array(vec![node.take(); usize::from(*times)])
            }
        }
    }
}

fn nodes(value: &Value) -> usize {
    1 + match value {
        Value::Object(fields) => fields.values().map(nodes).sum(),
        Value::Array(items) => items.iter().map(nodes).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn node<'a>(value: &'a mut Value, left: &mut usize) -> Option<&'a mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Object(fields) => fields.values_mut().find_map(|it| node(it, left)),
        Value::Array(items) => items.iter_mut().find_map(|it| node(it, left)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// Texts that have broken programs before.
const ODD_TEXTS: [&str; 26] = [
    "",
    " ",
    "0",
    "-1",
    "+1",
    "00",
    "1e9",
    "NaN",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "null",
    "1+2",
    "2+1+3",
    "\0",
    "\u{7f}\u{80}\u{9f}",
    "../../etc/passwd",
    "a/b?c=d#e&f",
    "%00%ff%2f%",
    "\u{202e}abc\u{2066}",
    "\u{feff}\u{200d}\u{fffd}\u{10ffff}",
    "👩‍👩‍👧‍👦🏳️‍🌈",
    "http://[::1]:0/\\@x",
    "2026-13-45T99:99:99Z",
    "g:1\r\nX: y",
    "<script>'\"`${x}</script>",
];

/// A text that programs may not expect.
pub(crate) fn odd_text() -> impl Strategy<Value = String> {
    prop_oneof![
        5 => (0..ODD_TEXTS.len()).prop_map(|at| ODD_TEXTS[at].to_owned()),
        2 => any::<u64>().prop_map(|number| number.to_string()),
        2 => "\\PC{0,40}",
        1 => vec(any::<char>(), 0..12).prop_map(|signs| signs.into_iter().collect()),
        1 => (1..9000_usize, any::<char>()).prop_map(|(times, sign)| sign.to_string().repeat(times)),
    ]
}

/// A value that programs may not expect.
pub(crate) fn odd() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (0..EDGES.len()).prop_map(|at| Value::from(EDGES[at])),
        Just(Value::from(1e308)),
    ];
    let leaf = prop_oneof![
        2 => Just(Value::Null),
        2 => any::<bool>().prop_map(Value::from),
        4 => number,
        8 => odd_text().prop_map(Value::from),
        1 => Just(json!([])),
        1 => Just(json!({})),
        1 => (1..200_usize).prop_map(nested),
    ];
    leaf.prop_recursive(2, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((odd_text(), inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// An array in an array, and so on to this depth.
fn nested(depth: usize) -> Value {
    (0..depth).fold(Value::Null, |inner, _| json!([inner]))
}
