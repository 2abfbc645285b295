#!/usr/bin/env bash
# Starts the server in the background and waits until it serves. The router starts the stone.
#
#   scripts/run-server.sh [OPTION...]     options of lapidary-router, see --help; --port or GS_MCP_PORT picks the port
#
# LAPIDARY_BIN names a folder with finished binaries; without it, release binaries are built first where needed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

port="${GS_MCP_PORT:-8000}"
options=()
while (($#)); do
    case "$1" in
        --port) port="${2:?--port needs a number}"; shift 2 ;;
        --port=*) port="${1#*=}"; shift ;;
        *) options+=("$1"); shift ;;
    esac
done

binaries() {
    bin="${LAPIDARY_BIN:-}"
    [[ -z "$bin" ]] || return 0
    bin="${CARGO_TARGET_DIR:-$root/target}/release"
    if command -v cargo >/dev/null; then
        [[ -x "$bin/lapidary-router" ]] || say "Building it first, which takes some minutes." >&2
        (cd "$root" && cargo build --release --locked --quiet -p router -p worker -p stone --bins) >&2
    elif [[ ! -x "$bin/lapidary-router" ]]; then
        fail "cargo is not there and neither are binaries: install Rust, or set LAPIDARY_BIN to their folder"
    fi
}

for option in "${options[@]}"; do
    case "$option" in
        -h | --help | -V | --version) binaries; exec "$bin/lapidary-router" "$option" ;;
    esac
done
check_port "$port"
if remembered "$port"; then
    say "Lapidary is already running: $url (pid $pid). Stop it with: scripts/stop-server.sh $port"
    exit 0
fi
if port_answers "$port"; then
    fail "port $port is taken by something that this script did not start; choose another with GS_MCP_PORT or --port"
fi
binaries

(umask 077 && mkdir -p "$state")
log="$state/router-$port.log"
ready="$state/router-$port.ready"
rm -f "$ready"
[[ ! -s "$log" ]] || mv -f "$log" "$log.old"
setsid "$bin/lapidary-router" --port "$port" --ready-file "$ready" "${options[@]}" </dev/null >>"$log" 2>&1 &
pid=$!
started="$(start_time "$pid")"

# Up to a minute: a first start loads the image.
for ((tries = 0; tries < 1200; tries++)); do
    [[ ! -s "$ready" ]] || break
    if ! is_same "$pid" "$started"; then
        tail -n 20 "$log" >&2
        fail "the server ended before it served; all it said is in $log"
    fi
    sleep 0.05
done
if [[ ! -s "$ready" ]]; then
    kill -KILL "$pid" 2>/dev/null || true
    fail "the server did not serve within a minute and was ended; see $log"
fi
url="$(<"$ready")"
rm -f "$ready"
printf '%s %s %s\n' "$pid" "$started" "$url" >"$(pid_file "$port")"
say "Lapidary serves $url (pid $pid)."
say "Log:   $log"
say "Stop:  scripts/stop-server.sh $port"
