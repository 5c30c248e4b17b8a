#!/usr/bin/env bash
# Makes a fresh machine ready to build and test Collie: installs what is missing, once and quietly.
# What is there already is left alone. It needs apt (Debian, Ubuntu) and root or sudo to install; elsewhere it says
# what to install.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '%s\n' "$*" >&2; }

have() { command -v "$1" >/dev/null 2>&1; }

# A tool, and the Debian package that brings it.
missing=()
have git || missing+=(git)
have python3 || missing+=(python3)
have cc || missing+=(build-essential)

# git http-backend, which the local forge serves repositories with, may come in a package of its own.
if have git && [ ! -x "$(git --exec-path)/git-http-backend" ]; then missing+=(git); fi

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
    log="$(mktemp)"
    if ! { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq update &&
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
      tail -n 20 "$log" >&2
      rm -f "$log"
      say "Could not install ${missing[*]}: install them, then run this again."
      exit 1
    fi
    rm -f "$log"
  else
    say "Missing: ${missing[*]}. Install them with your package manager, then run this again."
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

# What the tests need of npm: GitHub's published GraphQL schema. Installed again when the lock file has changed.
if [ "${1:-}" = --tests ] && { [ ! -f node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; }; then
  say "Installing what the tests need from npm …"
  log="$(mktemp)"
  if ! npm ci --no-audit --no-fund >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    say "npm ci failed: see above."
    exit 1
  fi
  rm -f "$log"
  touch node_modules/.package-lock.json
fi
