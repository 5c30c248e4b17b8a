#!/usr/bin/env bash
# Builds the Debian package: the desktop app and the `collie` command. It says where it lies and how large it is.
set -euo pipefail
cd "$(dirname "$0")/.."
bash scripts/setup.sh --desktop
[ -f "$HOME/.cargo/env" ] && . "$HOME/.cargo/env"

target="${CARGO_TARGET_DIR:-target}"
case "$target" in /*) ;; *) target="$PWD/$target" ;; esac
cargo build --release --package collie-cli --bin collie
files="{\"bundle\":{\"linux\":{\"deb\":{\"files\":{\"/usr/bin/collie\":\"$target/release/collie\"}}}}}"
# Without a name cargo would build the default members, and the app is none of them.
npx --no-install tauri build --bundles deb --config "$files" -- --package collie-desktop
ls -1sh "$target"/release/bundle/deb/*.deb
