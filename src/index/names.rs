//! Rows of names: who is taking or has taken an email address or a phone number.

use crate::domain::ids::NameId;
use crate::domain::name::{Name, NameFact};
use crate::index::draft::BatchDraft;
use crate::index::{Index, IndexFault};

fn key(id: NameId) -> Vec<u8> {
    [b"E".as_slice(), id.bytes()].concat()
}

/// Applies a fact to the row of its name.
pub(super) fn derive(
    draft: &mut BatchDraft<'_>,
    id: NameId,
    fact: &NameFact,
) -> Result<(), IndexFault> {
    let mut name: Name = draft.get("name", &key(id))?.unwrap_or_default();
    name.apply(fact);
    draft.put(key(id), &name)
}

impl Index {
    /// Returns who is taking or has taken a name.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub fn name(&self, id: NameId) -> Result<Option<Name>, IndexFault> {
        self.row("name", &key(id))
    }
}
