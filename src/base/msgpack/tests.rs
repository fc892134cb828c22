use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::Deserialize;

use super::*;

/// Everything that our values are made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct All {
    numbers: (u8, u16, u32, u64, i8, i16, i32, i64),
    wide: (u128, i128),
    fractions: (f32, f64),
    truth: bool,
    letter: char,
    text: String,
    maybe: Option<Box<All>>,
    many: Vec<Kind>,
    by_name: BTreeMap<String, Option<i64>>,
    new: Wrapped,
    nothing: (),
    no_fields: NoFields,
    bytes: Vec<u8>,
    array: [u8; 3],
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Wrapped(u64);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct NoFields;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Kind {
    Alone,
    One(String),
    Two(u8, i16),
    Named { a: Option<u32>, b: Vec<Wrapped> },
}

/// A type that decides by the encoded value what it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Any {
    Truth(bool),
    Number(i64),
    Fraction(f64),
    Text(String),
    Many(Vec<Any>),
    Named(BTreeMap<String, Any>),
    Nothing,
}

fn kinds() -> impl Strategy<Value = Kind> {
    prop_oneof![
        Just(Kind::Alone),
        ".{0,40}".prop_map(Kind::One),
        any::<(u8, i16)>().prop_map(|(a, b)| Kind::Two(a, b)),
        (any::<Option<u32>>(), prop::collection::vec(any::<u64>().prop_map(Wrapped), 0..20))
            .prop_map(|(a, b)| Kind::Named { a, b }),
    ]
}

/// Numbers near the limits beyond which MessagePack needs another byte, as often as any others.
fn edges() -> impl Strategy<Value = (u64, i64)> {
    let near = (0_u32..64, -2_i64..3).prop_map(|(bits, by)| (1_i64 << bits).wrapping_add(by));
    (prop_oneof![any::<i64>(), near.clone()], prop_oneof![any::<i64>(), near])
        .prop_map(|(a, b)| (a.cast_unsigned(), b))
}

fn values() -> impl Strategy<Value = All> {
    let plain = (edges(), any::<(f32, f64, bool, char)>(), ".{0,300}");
    let held = (
        prop::collection::vec(kinds(), 0..40),
        prop::collection::btree_map(".{0,20}", any::<Option<i64>>(), 0..20),
        prop::collection::vec(any::<u8>(), 0..300),
    );
    let one = (plain, held).prop_map(|(plain, held)| {
        let ((up, down), (single, double, truth, letter), text) = plain;
        let (many, by_name, bytes) = held;
        #[expect(clippy::cast_possible_truncation, reason = "any of each will do")]
        let numbers =
            (up as u8, up as u16, up as u32, up, down as i8, down as i16, down as i32, down);
        All {
            numbers,
            wide: (u128::from(up) << 64 | u128::from(up), i128::from(down) << 60),
            fractions: (single, double),
            truth,
            letter,
            text,
            maybe: None,
            many,
            by_name,
            new: Wrapped(up),
            nothing: (),
            no_fields: NoFields,
            array: [bytes.len() as u8; 3],
            bytes,
        }
    });
    one.prop_recursive(3, 4, 1, |inner| {
        (inner.clone(), inner).prop_map(|(outer, inner)| All { maybe: Some(inner.into()), ..outer })
    })
}

fn anything() -> impl Strategy<Value = Any> {
    let leaf = prop_oneof![
        Just(Any::Nothing),
        any::<bool>().prop_map(Any::Truth),
        any::<i64>().prop_map(Any::Number),
        (-1e9..1e9_f64).prop_map(Any::Fraction),
        ".{0,40}".prop_map(Any::Text),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..20).prop_map(Any::Many),
            prop::collection::btree_map(".{0,9}", inner, 0..20).prop_map(Any::Named),
        ]
    })
}

proptest! {
    #[test]
    fn packed_values_round_trip(value in values()) {
        for bytes in [to_vec(&value).unwrap(), to_vec_named(&value).unwrap()] {
            prop_assert_eq!(&from_slice::<All>(&bytes).unwrap(), &value);
            // The library's reader agrees.
            prop_assert_eq!(&rmp_serde::from_slice::<All>(&bytes).unwrap(), &value);
        }
    }

    #[test]
    fn truncated_values_are_refused(value in values(), at in any::<prop::sample::Index>()) {
        let bytes = to_vec(&value).unwrap();
        prop_assert!(from_slice::<All>(&bytes[..at.index(bytes.len())]).is_err());
    }

    #[test]
    fn untyped_values_keep_their_type(value in anything()) {
        let bytes = to_vec(&value).unwrap();
        prop_assert_eq!(from_slice::<Any>(&bytes).unwrap(), value);
    }

    /// Values that a later version added at the end are skipped whole.
    #[test]
    fn unknown_fields_are_skipped(added in anything(), more in values()) {
        let later = (7_u8, Kind::Alone, &added, &more);
        let bytes = to_vec(&[(&later, "behind")]).unwrap();
        let [(now, behind)] = from_slice::<[((u8, Kind), String); 1]>(&bytes).unwrap();
        prop_assert_eq!(now, (7, Kind::Alone));
        prop_assert_eq!(behind, "behind");
    }

    #[test]
    fn no_bytes_do_harm(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        drop(from_slice::<All>(&bytes));
        drop(from_slice::<Any>(&bytes));
        drop(from_slice::<Vec<Kind>>(&bytes));
        drop(from_slice::<serde::de::IgnoredAny>(&bytes));
    }
}

#[test]
fn missing_new_field_gets_its_default() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Now {
        first: u8,
        #[serde(default)]
        second: Option<String>,
        #[serde(default)]
        third: Vec<u8>,
    }
    let read: Now = from_slice(&to_vec(&(1,)).unwrap()).unwrap();
    assert_eq!(read, Now { first: 1, second: None, third: Vec::new() });
    let named = to_vec_named(&BTreeMap::from([("first", 1), ("later", 2)])).unwrap();
    let read: Now = from_slice(&named).unwrap();
    assert_eq!(read.first, 1);
}

#[test]
fn a_number_that_does_not_fit_is_refused() {
    assert!(from_slice::<u8>(&to_vec(&256).unwrap()).is_err());
    assert!(from_slice::<u64>(&to_vec(&-1).unwrap()).is_err());
    assert!(from_slice::<i64>(&to_vec(&u64::MAX).unwrap()).is_err());
    assert_eq!(from_slice::<f64>(&to_vec(&7).unwrap()), Ok(7.0));
}

#[test]
fn deep_nesting_is_refused() {
    let deep = [vec![0x91; 1 << 20], vec![0xc0]].concat();
    assert!(from_slice::<Any>(&deep).is_err());
    // Skipping does not recurse, so depth does no harm.
    assert!(from_slice::<serde::de::IgnoredAny>(&deep).is_ok());
}

#[test]
fn huge_declared_length_is_refused() {
    for marker in [0xdd_u8, 0xdf, 0xdb, 0xc6] {
        let bytes = [marker, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert!(from_slice::<Any>(&bytes).is_err(), "{marker:#x}");
        assert!(from_slice::<Vec<u64>>(&bytes).is_err(), "{marker:#x}");
        assert!(from_slice::<serde::de::IgnoredAny>(&bytes).is_err(), "{marker:#x}");
    }
}
