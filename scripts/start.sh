#!/usr/bin/env bash
# Sets a fresh machine up, builds Collie and shows it at work: the demo in this terminal.
set -euo pipefail
cd "$(dirname "$0")/.."
bash scripts/setup.sh
[ -f "$HOME/.cargo/env" ] && . "$HOME/.cargo/env"

# On a terminal cargo shows how far it is; elsewhere one line has to do.
build=(cargo build --package collie-cli --bin collie)
if [ ! -t 2 ]; then
  echo "Building Collie …" >&2
  build+=(--quiet)
fi
if ! "${build[@]}"; then
  echo "The build failed; the messages above say why." >&2
  exit 1
fi
target="${CARGO_TARGET_DIR:-target}"
exec "$target/debug/collie" demo "$@"
