//! Frames of the wire format.

use std::io::{self, Read};

/// Reads one frame.
pub fn read_frame(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 2];
    input.read_exact(&mut length)?;
    let mut payload = vec![0; usize::from(u16::from_be_bytes(length))];
    input.read_exact(&mut payload)?;
    Ok(payload)
}
