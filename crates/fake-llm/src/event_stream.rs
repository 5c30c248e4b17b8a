//! Amazon's event stream: frames with a length, headers, a payload and checksums
//! (<https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html>).

use bytes::{BufMut as _, Bytes, BytesMut};
use serde_json::Value;

/// The type of a header whose value is a text.
const TEXT_HEADER: u8 = 7;

/// An event.
pub(crate) fn frame(event: &str, payload: &Value) -> Bytes {
    encode(
        &[
            (":event-type", event),
            (":content-type", "application/json"),
            (":message-type", "event"),
        ],
        payload,
    )
}

/// Something that went wrong.
pub(crate) fn exception_frame(exception: &str, payload: &Value) -> Bytes {
    encode(
        &[
            (":exception-type", exception),
            (":content-type", "application/json"),
            (":message-type", "exception"),
        ],
        payload,
    )
}

fn encode(headers: &[(&str, &str)], payload: &Value) -> Bytes {
    let mut encoded = BytesMut::new();
    for (name, value) in headers {
        encoded.put_u8(length(name.len()));
        encoded.put_slice(name.as_bytes());
        encoded.put_u8(TEXT_HEADER);
        encoded.put_u16(length(value.len()));
        encoded.put_slice(value.as_bytes());
    }
    let payload = payload.to_string();
    // Lengths and checksum at the beginning, another checksum at the end.
    let total: u32 = length(12 + encoded.len() + payload.len() + 4);
    let mut message = BytesMut::new();
    message.put_u32(total);
    message.put_u32(length(encoded.len()));
    message.put_u32(crc32fast::hash(&message));
    message.put_slice(&encoded);
    message.put_slice(payload.as_bytes());
    message.put_u32(crc32fast::hash(&message));
    message.freeze()
}

fn length<T: TryFrom<usize>>(bytes: usize) -> T {
    T::try_from(bytes).ok().expect("a scripted answer is short")
}
