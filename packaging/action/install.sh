#!/usr/bin/env bash
# The Action's first step: fetches the `collie` of the release that the action's own version names, holds it to that release's checksums,
# and tells the next step where it is. ACTION_PATH and ACTION_REPOSITORY come from the action; GH_TOKEN reads the release.
set -euo pipefail

version="$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"$/\1/p' "$ACTION_PATH/Cargo.toml")"
case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) target=x86_64-unknown-linux-gnu ;;
  Linux-aarch64) target=aarch64-unknown-linux-gnu ;;
  Darwin-arm64) target=aarch64-apple-darwin ;;
  Darwin-x86_64) target=x86_64-apple-darwin ;;
  MINGW*-x86_64 | MSYS*-x86_64) target=x86_64-pc-windows-msvc ;;
  *)
    echo "::error::Collie has no program for $(uname -s) on $(uname -m); name one of your own as the input 'collie'"
    exit 1
    ;;
esac
asset="collie-$version-$target.tar.gz"
folder="$(mktemp -d "${RUNNER_TEMP:-/tmp}/collie-XXXXXX")"
cd "$folder"
gh release download "v$version" --repo "$ACTION_REPOSITORY" --pattern "$asset" --pattern SHA256SUMS
# Without a line for it, nothing is checked and this fails.
grep -F "  $asset" SHA256SUMS >wanted
if command -v sha256sum >/dev/null; then sha256sum --check --strict wanted; else shasum -a 256 --check wanted; fi
tar -xzf "$asset"
program="$folder/collie"
[ -e "$program" ] || program="$folder/collie.exe"
"$program" --version
echo "collie=$program" >>"$GITHUB_OUTPUT"
