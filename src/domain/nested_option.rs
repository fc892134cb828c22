//! Serializes an option inside an option: whether a value changes, and whether it changes to none.
//! Most formats write both as one option.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes the inner option as a list of one element.
pub(super) fn serialize<T: Serialize, S: Serializer>(
    change: &Option<Option<T>>,
    to: S,
) -> Result<S::Ok, S::Error> {
    change.as_ref().map(|inner| (inner,)).serialize(to)
}

/// Reads what [`serialize`] wrote.
pub(super) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::<(Option<T>,)>::deserialize(from).map(|change| change.map(|(inner,)| inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Change(#[serde(with = "super")] Option<Option<u32>>);

    #[test]
    fn absent_and_null_fields_differ() {
        for change in [None, Some(None), Some(Some(7))].map(Change) {
            let packed = rmp_serde::to_vec_named(&change).unwrap();
            assert_eq!(rmp_serde::from_slice::<Change>(&packed).unwrap(), change);
        }
    }
}
