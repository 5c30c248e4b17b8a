//! Scripts in, states and effects out.
