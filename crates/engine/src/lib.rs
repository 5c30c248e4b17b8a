//! Moves loops: inbox, step, transaction, outbox, effects. Owns the ports.

pub mod ports;
