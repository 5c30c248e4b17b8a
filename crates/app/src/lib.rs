//! Puts Collie together once, for every host: configuration, wiring, command bodies, words.

pub mod activity;
pub mod assemble;
pub mod clock;
pub mod config;
pub mod connect;
pub mod demo;
pub mod desk;
pub mod doctor;
pub mod home;
pub mod keychain;
pub mod panel;
pub mod policies;
pub mod requests;
pub mod review;
pub mod settled;
pub mod trace;
pub mod view;
pub mod words;
