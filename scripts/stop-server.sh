#!/usr/bin/env bash
# Stops the server that scripts/run-server.sh started on a port, and nothing else.
#
#   scripts/stop-server.sh [PORT]         by default GS_MCP_PORT or 8000
#
# Exit codes: 0 stopped or nothing ran; 1 could not be stopped; 2 bad arguments; 3 the port is held by something that
# run-server.sh did not start.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

(($# <= 1)) || usage "give one port at most"
port="${1:-${GS_MCP_PORT:-8000}}"
check_port "$port"

if ! remembered "$port"; then
    rm -f "$(pid_file "$port")"
    if port_answers "$port"; then
        printf 'Port %s is held by something that run-server.sh did not start; it was left alone.\n' "$port" >&2
        exit 3
    fi
    say "Nothing runs on port $port."
    exit 0
fi

# Waits for the end, in tenths of a second.
ended_within() {
    for ((tries = 0; tries < $1; tries++)); do
        is_same "$pid" "$started" || return 0
        sleep 0.1
    done
    ! is_same "$pid" "$started"
}

kill -TERM "$pid" 2>/dev/null || true
if ended_within 100; then
    say "Stopped the server on port $port (pid $pid)."
else
    kill -KILL "$pid" 2>/dev/null || true
    ended_within 50 || fail "the server on port $port (pid $pid) does not end, not even by force"
    say "Stopped the server on port $port (pid $pid) by force: it did not end within 10 seconds."
fi
rm -f "$(pid_file "$port")"
