#!/usr/bin/env bash
# Sets a fresh machine up, builds Collie and shows it at work: the demo in this terminal.
set -euo pipefail
cd "$(dirname "$0")/.."
bash scripts/setup.sh
[ -f "$HOME/.cargo/env" ] && . "$HOME/.cargo/env"

if ! cargo build --quiet --package collie-cli --bin collie --message-format short 2>&1; then
  echo "The build failed; the messages above say why." >&2
  exit 1
fi
target="${CARGO_TARGET_DIR:-target}"
exec "$target/debug/collie" demo "$@"
