#!/bin/sh
# Stands before rustc in scripts/fuzz.mjs. cargo asks it what holds for the target, so that bolero brings libFuzzer; the libraries and test
# programs of this workspace are compiled with what libFuzzer counts coverage by. All of these flags are stable ones. What comes from others
# is compiled as ever, and shared with other builds.

# cargo has it twice, as the wrapper of everything and as that of the workspace, so that what is ours is built beside other builds of it.
case "$1" in *rustc-for-fuzzing.sh) exec "$@" ;; esac
rustc="$1"
shift

engine="--cfg fuzzing --cfg fuzzing_libfuzzer"
coverage="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
  -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1"

flags=""
previous=""
for argument in "$@"; do
  case "$previous $argument" in
    "--crate-name ___" | "--crate-name bolero"*) flags="$engine" && break ;;
    "--crate-name collie_"*) flags="$coverage" ;;
    # These are linked without libFuzzer.
    "--crate-name build_script_"* | "--crate-type bin" | "--crate-type proc-macro") flags="" && break ;;
  esac
  previous="$argument"
done
# shellcheck disable=SC2086
exec "$rustc" "$@" $flags
