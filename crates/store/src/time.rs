//! Times as people and file names write them.

use collie_core::ids::Time;
use jiff::Timestamp;

/// The moment in UTC; one that no calendar has becomes the nearest that has a date.
pub(crate) fn timestamp(time: Time) -> Timestamp {
    let nearest = if time.0 < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    };
    Timestamp::from_millisecond(time.0).unwrap_or(nearest)
}

/// `20260131T235959Z`: for the name of a file that is kept aside.
pub(crate) fn file_stamp(moment: Timestamp) -> String {
    moment.strftime("%Y%m%dT%H%M%SZ").to_string()
}
