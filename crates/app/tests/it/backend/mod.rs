//! The backend on the real engine, store, git and GitHub adapter, with the real forge, in one process.

mod accounts;
mod auto_start;
mod changes;
mod data_folders;
mod excerpts_and_timeline;
mod fixture;
mod insights;
mod listings;
mod merge_offer;
mod models;
mod session_view;
mod sign_in;
mod updates;
