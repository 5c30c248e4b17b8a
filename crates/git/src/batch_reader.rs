//! Reads `git cat-file --batch` as it streams by; of each blob only the beginning is kept.

/// A blob of the batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlobStart {
    /// Its size in bytes.
    pub(crate) size: u64,
    /// Its first bytes.
    pub(crate) bytes: Vec<u8>,
}

/// Reads the output in pieces, and makes of each blob what `of_blob` says; none for a name that git does not know.
pub(crate) struct BatchReader<T> {
    keep: usize,
    of_blob: fn(usize, &BlobStart) -> T,
    header: Vec<u8>,
    blob: BlobStart,
    /// Bytes of the blob that are still to come, with the line feed behind it; none between two blobs.
    left: Option<u64>,
    found: Vec<Option<T>>,
    broken: bool,
}

/// A header is a name that was asked for, and little more.
const MAX_HEADER: usize = 64 * 1024;

impl<T> BatchReader<T> {
    /// Keeps at most `keep` bytes of one blob. `of_blob` is given the place of the blob among those asked for.
    pub(crate) fn new(keep: usize, of_blob: fn(usize, &BlobStart) -> T) -> Self {
        Self {
            keep,
            of_blob,
            header: Vec::new(),
            blob: BlobStart::default(),
            left: None,
            found: Vec::new(),
            broken: false,
        }
    }

    /// Takes the next piece.
    pub(crate) fn feed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && !self.broken {
            bytes = match self.left {
                None => self.read_header(bytes),
                Some(left) => self.read_content(bytes, left),
            };
        }
    }

    /// What was made of each of `count` names, when the output was whole.
    pub(crate) fn finish(self, count: usize) -> Option<Vec<Option<T>>> {
        let whole = !self.broken && self.left.is_none() && self.header.is_empty();
        (whole && self.found.len() == count).then_some(self.found)
    }

    fn read_header<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        self.header
            .extend_from_slice(&bytes[..end.unwrap_or(bytes.len())]);
        let Some(end) = end else {
            self.broken = self.header.len() > MAX_HEADER;
            return &[];
        };
        let header = std::mem::take(&mut self.header);
        let words = String::from_utf8_lossy(&header);
        match words.rsplit_once(' ') {
            Some((_, "missing")) => self.found.push(None),
            Some((_, size)) => match size.parse::<u64>() {
                Ok(size) => {
                    self.blob.size = size;
                    self.left = Some(size.saturating_add(1));
                }
                Err(_) => self.broken = true,
            },
            None => self.broken = true,
        }
        &bytes[end + 1..]
    }

    fn read_content<'a>(&mut self, bytes: &'a [u8], left: u64) -> &'a [u8] {
        let taken = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
        let left = left - taken as u64;
        // The last byte is git's own.
        let own = if left == 0 { taken - 1 } else { taken };
        let room = self.keep.saturating_sub(self.blob.bytes.len());
        self.blob.bytes.extend_from_slice(&bytes[..own.min(room)]);
        self.left = (left > 0).then_some(left);
        if left == 0 {
            let blob = std::mem::take(&mut self.blob);
            self.found
                .push(Some((self.of_blob)(self.found.len(), &blob)));
        }
        &bytes[taken..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &[u8] =
        b"aa blob 5\na\nb\0c\nHEAD:no such missing\nbb blob 0\n\ncc blob 3\nxyz\n";

    #[test]
    fn blobs_are_told_apart_whatever_is_in_them() {
        for step in [1, 2, 7, 1_000] {
            let mut reader = BatchReader::new(4, |at, blob| (at, blob.clone()));
            for piece in OUTPUT.chunks(step) {
                reader.feed(piece);
            }
            let blob = |at, size, bytes: &[u8]| {
                let bytes = bytes.to_vec();
                Some((at, BlobStart { size, bytes }))
            };
            let expect = [
                blob(0, 5, b"a\nb\0"),
                None,
                blob(2, 0, b""),
                blob(3, 3, b"xyz"),
            ];
            assert_eq!(reader.finish(4).unwrap(), expect);
        }
    }

    #[test]
    fn what_was_cut_off_or_is_something_else_is_no_answer() {
        for (bytes, count) in [
            (&b"aa blob 5\nab"[..], 1),
            (b"aa blob", 0),
            (b"x\n", 1),
            (b"", 1),
        ] {
            let mut reader = BatchReader::new(4, |_, _| ());
            reader.feed(bytes);
            assert_eq!(reader.finish(count), None);
        }
    }
}
