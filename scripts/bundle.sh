#!/usr/bin/env bash
# Builds the Debian package: one program, called `collie-desktop` for the app and `collie` for the command. It says where it lies
# and how large it is.
set -euo pipefail
cd "$(dirname "$0")/.."
bash scripts/setup.sh --desktop
[ -f "$HOME/.cargo/env" ] && . "$HOME/.cargo/env"

target="${CARGO_TARGET_DIR:-target}"
rm -rf "$target/release/bundle/deb"
# What is handed out is optimized as a whole: a fifth smaller, and longer in the making.
export CARGO_PROFILE_RELEASE_LTO=fat CARGO_PROFILE_RELEASE_CODEGEN_UNITS=1
# Without a name cargo would build the default members, and the app is none of them.
npx --no-install tauri build --bundles deb -- --package collie-desktop

# The bundler knows neither links nor a compression better than gzip: the package is opened, completed and packed again.
package="$(ls "$target"/release/bundle/deb/*.deb)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
dpkg-deb --raw-extract "$package" "$work/tree"
ln -s collie-desktop "$work/tree/usr/bin/collie"
dpkg-deb --root-owner-group -Zxz -z9 -Sextreme --build "$work/tree" "$package" >/dev/null
ls -1sh "$package"
