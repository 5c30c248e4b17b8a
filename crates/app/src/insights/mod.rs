//! What many runs came to (§13.8), for window and command: figures, and the rows they are made of as CSV.

mod csv_file;
mod csv_tables;
mod query;

pub(crate) use csv_file::download_folder;
pub use csv_file::save;
pub use query::InsightsQuery;
