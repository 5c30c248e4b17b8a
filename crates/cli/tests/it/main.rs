//! The real `collie` in processes of its own, on a forge in another.

mod kill;
mod support;
