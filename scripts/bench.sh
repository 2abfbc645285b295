#!/usr/bin/env bash
# Runs one bench on release binaries. The last line that it prints is JSON: {"bench": NAME, "figures": {...}}.
#
#   scripts/bench.sh NAME                 route, stateless, streams, tools or language
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

(($# >= 1)) || usage "which bench? route, stateless, streams, tools or language"
cd "$root"
cargo build --release --locked --quiet --workspace --bins >&2
exec "${CARGO_TARGET_DIR:-$root/target}/release/bench" "$@"
