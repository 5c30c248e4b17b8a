#!/usr/bin/env bash
# Packs the command that was built for a target as the release has it: collie-VERSION-TARGET.tar.gz, with the licences.
#
#   packaging/release/archive.sh TARGET DIR
set -euo pipefail
cd "$(dirname "$0")/../.."

target="$1"
mkdir -p "$2"
out="$(cd "$2" && pwd)"
version="$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"$/\1/p' Cargo.toml)"
program=collie
[ "${target#*-windows-}" = "$target" ] || program=collie.exe
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cp "${CARGO_TARGET_DIR:-target}/$target/release/$program" LICENSE-MIT LICENSE-APACHE README.md "$work/"
tar -czf "$out/collie-$version-$target.tar.gz" -C "$work" .
