#!/usr/bin/env bash
# The Action's second step: hands its inputs, which come as variables, to `collie action`. The exit status is Collie's.
set -euo pipefail

# A data folder of this job alone: nothing of another run counts here.
export COLLIE_HOME="${COLLIE_HOME:-${RUNNER_TEMP:-/tmp}/collie-home}"
mkdir -p "$COLLIE_HOME"
[ -z "${INPUT_CONFIG:-}" ] || cp -- "$INPUT_CONFIG" "$COLLIE_HOME/config.toml"
# An empty key is none.
[ -n "${LLM_API_KEY:-}" ] || unset LLM_API_KEY

args=()
# The flag, and the input that it takes; nothing where that is empty.
flag() { [ -z "$2" ] || args+=("$1" "$2"); }
flag --pull-request "${INPUT_PULL_REQUEST:-}"
flag --llm-provider "${INPUT_LLM_PROVIDER:-}"
flag --model "${INPUT_LLM_MODEL:-}"
flag --llm-url "${INPUT_LLM_URL:-}"
flag --fail-on "${INPUT_FAIL_ON:-}"
flag --sarif "${INPUT_SARIF:-}"
flag --lang "${INPUT_LANGUAGE:-}"
case "${INPUT_DRY_RUN:-false}" in
  true) args+=(--dry-run) ;;
  false | "") ;;
  *)
    echo "::error::dry-run is true or false"
    exit 2
    ;;
esac
# An empty list is no error, in the shell of macOS too.
exec "${COLLIE:?}" action ${args[@]+"${args[@]}"}
