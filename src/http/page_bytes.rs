//! Keeps lists within the bytes of a page: entries are written whole while they fit, then in their
//! short form. A list paged by number leaves no entry out; a snapshot may be cut at its end.

use crate::http::error::ApiError;

/// Largest page or snapshot, in bytes, without the envelope.
pub(super) const PAGE_BYTES: usize = 8 << 20;

/// Writes a list of JSON entries, as many as fit into `most` bytes; the first one in any case.
pub(super) fn write_list<E: AsRef<[u8]>>(
    body: &mut Vec<u8>,
    most: usize,
    entries: impl IntoIterator<Item = E>,
) {
    body.push(b'[');
    let begun = body.len();
    for (index, json) in entries.into_iter().enumerate() {
        let json = json.as_ref();
        if index > 0 {
            if body.len() - begun + json.len() > most {
                break;
            }
            body.push(b',');
        }
        body.extend_from_slice(json);
    }
    body.push(b']');
}

/// A list of entries in JSON, and how it was made to fit.
pub(super) struct Fitted {
    /// The entries, in order.
    json: Vec<Vec<u8>>,
    /// How many entries, counted from the first, are in their whole form.
    whole: usize,
    /// Bytes of all entries, each with a comma.
    bytes: usize,
    /// Whether entries at the end are missing.
    pub(super) is_cut: bool,
}

impl Fitted {
    /// Writes entries whole while all of them fit into `most` bytes, and the rest in their short
    /// form.
    ///
    /// # Errors
    /// If `whole` or `short` fails.
    pub(super) fn of<T>(
        entries: &[T],
        most: usize,
        whole: impl Fn(usize, &T) -> Result<Vec<u8>, ApiError>,
        short: impl Fn(usize, &T) -> Result<Vec<u8>, ApiError>,
    ) -> Result<Self, ApiError> {
        let json = Vec::with_capacity(entries.len());
        let mut fitted = Self { json, whole: 0, bytes: 0, is_cut: false };
        for (index, entry) in entries.iter().enumerate() {
            if fitted.whole == index {
                let json = whole(index, entry)?;
                if fitted.bytes + json.len() < most {
                    fitted.whole += 1;
                    fitted.push(json);
                    continue;
                }
            }
            fitted.push(short(index, entry)?);
        }
        // The short forms may have taken more than was left.
        while fitted.bytes > most && fitted.whole > 0 {
            fitted.whole -= 1;
            let index = fitted.whole;
            let json = short(index, &entries[index])?;
            fitted.bytes = fitted.bytes - fitted.json[index].len() + json.len();
            fitted.json[index] = json;
        }
        Ok(fitted)
    }

    /// A list of entries that have no short form: as many as fit into `most` bytes.
    pub(super) fn cut_to(json: Vec<Vec<u8>>, most: usize) -> Self {
        let bytes = json.iter().map(|json| json.len() + 1).sum();
        let mut fitted = Self { whole: json.len(), json, bytes, is_cut: false };
        fitted.cut(most);
        fitted
    }

    fn push(&mut self, json: Vec<u8>) {
        // Counts the comma as well.
        self.bytes += json.len() + 1;
        self.json.push(json);
    }

    /// Removes entries from the end until the rest fits into `most` bytes.
    pub(super) fn cut(&mut self, most: usize) {
        while self.bytes > most {
            let Some(last) = self.json.pop() else { return };
            self.bytes -= last.len() + 1;
            self.is_cut = true;
        }
    }

    /// Bytes of all entries, each with a comma.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Writes the list.
    pub(super) fn write(&self, body: &mut Vec<u8>) {
        body.push(b'[');
        for (index, json) in self.json.iter().enumerate() {
            if index > 0 {
                body.push(b',');
            }
            body.extend_from_slice(json);
        }
        body.push(b']');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_ends_before_an_oversized_item() {
        let pages = [(0, "[aaa]"), (5, "[aaa]"), (6, "[aaa,bbb]"), (8, "[aaa,bbb]")];
        for (most, expected) in pages.into_iter().chain([(9, "[aaa,bbb,cc]")]) {
            let mut body = Vec::new();
            write_list(&mut body, most, ["aaa", "bbb", "cc"]);
            assert_eq!(String::from_utf8(body).unwrap(), expected, "{most}");
        }
    }

    fn fitted(entries: &[usize], most: usize) -> (String, Fitted) {
        let whole = |_: usize, bytes: &usize| Ok(vec![b'w'; *bytes]);
        let short = |_: usize, _: &usize| Ok(b"s".to_vec());
        let fitted = Fitted::of(entries, most, whole, short).unwrap();
        let mut body = Vec::new();
        fitted.write(&mut body);
        (String::from_utf8(body).unwrap(), fitted)
    }

    #[test]
    fn snapshot_shortens_lists_that_do_not_fit() {
        assert_eq!(fitted(&[], 10).0, "[]");
        assert_eq!(fitted(&[3, 4], 10).0, "[www,wwww]");
        assert_eq!(fitted(&[3, 9, 1], 10).0, "[www,s,s]");
        assert_eq!(fitted(&[20, 1], 10).0, "[s,s]");
        let (json, fitted) = fitted(&[5, 9, 9, 9, 9], 10);
        assert_eq!((json.as_str(), fitted.bytes()), ("[s,s,s,s,s]", 10));
    }

    #[test]
    fn a_list_is_cut_at_its_end() {
        let (_, mut list) = fitted(&[9; 8], 10);
        assert!(!list.is_cut);
        list.cut(10);
        let mut body = Vec::new();
        list.write(&mut body);
        assert_eq!((body.as_slice(), list.is_cut), (&b"[s,s,s,s,s]"[..], true));
        let list = Fitted::cut_to(vec![b"aaa".to_vec(), b"bb".to_vec(), b"c".to_vec()], 7);
        let mut body = Vec::new();
        list.write(&mut body);
        assert_eq!((body.as_slice(), list.is_cut), (&b"[aaa,bb]"[..], true));
    }
}
