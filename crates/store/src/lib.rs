//! collie-core
