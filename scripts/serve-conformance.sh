#!/usr/bin/env bash
# Starts a server for the official conformance suite, like scripts/run-server.sh: its worker has the suite's fixtures
# besides. scripts/stop-server.sh stops it.
#
#   scripts/serve-conformance.sh [OPTION...]     options of lapidary-router, see --help; --port or GS_MCP_PORT picks the port
#
# LAPIDARY_BIN names a folder with finished binaries; without it, release binaries are built first where needed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

bin="${LAPIDARY_BIN:-}"
if [[ -z "$bin" ]]; then
    command -v cargo >/dev/null || fail "cargo is not there: install Rust, or set LAPIDARY_BIN to a folder with binaries"
    bin="${CARGO_TARGET_DIR:-$root/target}/release"
    (cd "$root" && cargo build --release --locked --quiet -p router -p worker -p stone -p tests --bins) >&2
fi
worker="$bin/conformance-worker"
[[ -x "$worker" ]] || fail "$worker is not there: build it with cargo build -p tests --bins"
export LAPIDARY_BIN="$bin" GS_MCP_WORKER_BINARY="$worker" GS_MCP_TOOLSETS="${GS_MCP_TOOLSETS:-conformance}"
exec "$(dirname "${BASH_SOURCE[0]}")/run-server.sh" "$@"
