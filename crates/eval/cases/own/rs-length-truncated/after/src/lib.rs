//! Frames of the wire format.

use std::io::{self, Read, Write};

/// Reads one frame.
pub fn read_frame(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 2];
    input.read_exact(&mut length)?;
    let mut payload = vec![0; usize::from(u16::from_be_bytes(length))];
    input.read_exact(&mut payload)?;
    Ok(payload)
}

/// Writes one frame.
pub fn write_frame(output: &mut impl Write, payload: &[u8]) -> io::Result<()> {
    let length = payload.len() as u16;
    output.write_all(&length.to_be_bytes())?;
    output.write_all(payload)
}
