//! Writes `ui/src/generated/wire.ts` from the Rust it comes from: `cargo run -p collie-wire --example generate`.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/generated/wire.ts");
    std::fs::write(path, collie_wire::rpc::typescript())
}
