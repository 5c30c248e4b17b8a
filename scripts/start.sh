#!/usr/bin/env bash
# Sets a fresh machine up, builds Collie and opens it. Without a display, or with --terminal, it shows Collie at work in
# this terminal: the demo.
#
#   bash scripts/start.sh [OWNER/REPO#N]
#   bash scripts/start.sh --terminal [what `collie demo` takes]
set -euo pipefail
cd "$(dirname "$0")/.."

# Whether a window can be opened. A display of another machine is believed; the app itself says if it is not there.
display_is_there() {
  local wayland="${WAYLAND_DISPLAY:-}" x="${DISPLAY:-}"
  if [ -n "$wayland" ]; then
    case "$wayland" in /*) ;; *) wayland="${XDG_RUNTIME_DIR:-/nonexistent}/$wayland" ;; esac
    if [ -S "$wayland" ]; then return 0; fi
  fi
  case "$x" in
    "") return 1 ;;
    :*)
      local screen="${x#:}"
      [ -S "/tmp/.X11-unix/X${screen%%.*}" ]
      ;;
    *) return 0 ;;
  esac
}

# On a terminal cargo shows how far it is; elsewhere one line has to do.
build() {
  local quiet=()
  if [ ! -t 2 ]; then
    echo "Building Collie …" >&2
    quiet=(--quiet)
  fi
  if ! cargo build "${quiet[@]}" "$@"; then
    echo "The build failed; the messages above say why." >&2
    exit 1
  fi
}

# Builds the page, unless what is there is newer than all that it is made of.
build_page() {
  local made=ui/dist/index.html log
  if [ -f "$made" ] && [ -z "$(find ui locales package-lock.json -newer "$made" -type f -not -path 'ui/dist/*' -print -quit)" ]; then
    return
  fi
  echo "Building the window …" >&2
  log="$(mktemp)"
  if ! npm run --silent ui:build >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    echo "The window's page could not be built; the messages above say why." >&2
    exit 1
  fi
  rm -f "$log"
}

target="${CARGO_TARGET_DIR:-target}"
if [ "${1:-}" = --terminal ] || ! display_is_there; then
  if [ "${1:-}" = --terminal ]; then shift; fi
  bash scripts/setup.sh
  [ -f "$HOME/.cargo/env" ] && . "$HOME/.cargo/env"
  build --package collie-cli --bin collie
  exec "$target/debug/collie" demo "$@"
fi

if ! bash scripts/setup.sh --desktop; then
  echo "Or see Collie at work in this terminal: npm start -- --terminal" >&2
  exit 1
fi
[ -f "$HOME/.cargo/env" ] && . "$HOME/.cargo/env"
build_page
build --package collie-desktop
exec "$target/debug/collie-desktop" --demo "$@"
