#!/usr/bin/env bash
# Makes a fresh machine ready to build Collie: installs what is missing, once and quietly.
#
#   bash scripts/setup.sh             the terminal command
#   bash scripts/setup.sh --desktop   the desktop app as well
#   bash scripts/setup.sh --tests     both, and what the tests need
#
# What is there already is left alone. It needs apt (Debian, Ubuntu) and root or sudo to install; elsewhere it says
# what to install.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '%s\n' "$*" >&2; }

have() { command -v "$1" >/dev/null 2>&1; }

# Runs a command quietly; shows the end of what it said only when it fails.
quietly() {
  local log
  log="$(mktemp)"
  if ! "$@" >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
}

desktop=false
tests=false
case "${1:-}" in
  "") ;;
  --desktop) desktop=true ;;
  --tests) desktop=true tests=true ;;
  *)
    say "Unknown option $1: setup.sh takes --desktop or --tests."
    exit 2
    ;;
esac

# A tool, and the Debian package that brings it.
missing=()
have git || missing+=(git)
have python3 || missing+=(python3)
have cc || missing+=(build-essential)
# What pull requests bring is run in it, or not at all; macOS has its own.
[ "$(uname)" != Linux ] || have bwrap || missing+=(bubblewrap)

# git http-backend, which the local forge serves repositories with, may come in a package of its own.
if have git && [ ! -x "$(git --exec-path)/git-http-backend" ]; then missing+=(git); fi

# A library as pkg-config knows it, and the Debian package that brings it.
library() {
  if ! { have pkg-config && pkg-config --exists "$1"; } 2>/dev/null; then missing+=("$2"); fi
}
if "$desktop"; then
  have pkg-config || missing+=(pkg-config)
  library webkit2gtk-4.1 libwebkit2gtk-4.1-dev
  library openssl libssl-dev
  library ayatana-appindicator3-0.1 libayatana-appindicator3-dev
  library librsvg-2.0 librsvg2-dev
  # This one tells pkg-config nothing.
  [ -e /usr/include/xdo.h ] || missing+=(libxdo-dev)
fi
if "$tests"; then
  have WebKitWebDriver || missing+=(webkit2gtk-driver)
  have Xvfb || missing+=(xvfb)
  have dbus-run-session || missing+=(dbus-daemon)
  have dbus-launch || missing+=(dbus-x11)
  have gnome-keyring-daemon || missing+=(gnome-keyring)
  have chromium || missing+=(chromium)
  have strace || missing+=(strace)
  # Views of two servers on one database.
  have initdb || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || missing+=(postgresql)
  # PyGithub lives in an environment of its own, which Debian's python3 makes with a package of its own.
  python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
  [ -d /usr/share/fonts/truetype/dejavu ] || missing+=(fonts-dejavu-core)
fi

if [ "${#missing[@]}" -gt 0 ]; then
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if have sudo && sudo -n true 2>/dev/null; then
      as_root=(sudo -n)
    else
      as_root=(false)
    fi
  fi
  if have apt-get && [ "${as_root[*]:-}" != false ]; then
    say "Installing ${missing[*]} …"
    apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq)
    if ! { quietly "${apt[@]}" update && quietly "${apt[@]}" -y install --no-install-recommends "${missing[@]}"; }; then
      say "Could not install ${missing[*]}: install them, then run this again."
      exit 1
    fi
  else
    say "Missing: ${missing[*]} (as Debian names them). Install them with your package manager, then run this again."
    exit 1
  fi
fi

# Rust: whatever toolchain is there; Cargo.toml says which is the oldest that will do.
[ -f "$HOME/.cargo/env" ] && . "$HOME/.cargo/env"
wanted="$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)"
if ! have cargo; then
  say "Missing: Rust $wanted or later. Install it with rustup (see rust-lang.org), then run this again."
  exit 1
fi

# From npm: what the UI is built and tested with. Installed again when the lock file has changed.
if "$desktop" && { [ ! -f node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; }; then
  if ! have npm; then
    say "Missing: Node.js 20 or later, with npm. Install it (see nodejs.org), then run this again."
    exit 1
  fi
  say "Installing what the window is built with …"
  # Not `npm ci`: it refuses a lock that leaves out what only other systems need, and not every registry carries that.
  if ! quietly npm install --no-save --no-audit --no-fund --loglevel=error; then
    say "npm install failed: see above."
    exit 1
  fi
  touch node_modules/.package-lock.json
fi

# The durable engine that tests of `collie worker` run. It is 200 MB, and nothing that people install.
if "$tests" && { [ ! -f tests/restate/node_modules/.package-lock.json ] || [ tests/restate/package-lock.json -nt tests/restate/node_modules/.package-lock.json ]; }; then
  say "Installing the engine that workers are tested on …"
  if ! (cd tests/restate && quietly npm install --no-save --no-audit --no-fund --ignore-scripts --loglevel=error); then
    say "npm install in tests/restate failed: see above. Tests of workers are skipped, and say so."
  else
    touch tests/restate/node_modules/.package-lock.json
  fi
fi
