# Shared by the scripts beside it; not run by itself.
# shellcheck shell=bash
# shellcheck disable=SC2034  # the scripts beside it use what is set here
# A server is remembered in one file per port: process id, start time in clock ticks, URL. The start time makes sure
# that a process id which was given out again is never taken for the server.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
state="${XDG_STATE_HOME:-${HOME:?HOME is not set}/.local/state}/lapidary"

say() { printf '%s\n' "$*"; }
fail() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }
usage() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 2; }

check_port() {
    if [[ ! "$1" =~ ^[0-9]{1,5}$ ]] || ((10#$1 < 1 || 10#$1 > 65535)); then
        usage "'$1' is no port: give 1 to 65535"
    fi
}

pid_file() { printf '%s/router-%s.pid' "$state" "$1"; }

# The start time of a process, empty if there is none. The program's name in the line may contain anything, so the
# fields are counted from the last parenthesis.
start_time() {
    local line fields
    line="$(cat "/proc/$1/stat" 2>/dev/null)" || return 0
    read -ra fields <<<"${line##*) }"
    [[ "${fields[0]}" == Z ]] || printf '%s' "${fields[19]}"
}

# Whether this process still is the one that was remembered.
is_same() { [[ -n "$2" && "$(start_time "$1")" == "$2" ]]; }

# Reads what is remembered of a port into pid, started and url; false if nothing is or if it no longer runs.
remembered() {
    pid='' started='' url=''
    [[ -r "$(pid_file "$1")" ]] || return 1
    read -r pid started url <"$(pid_file "$1")" || true
    [[ "$pid" =~ ^[0-9]+$ ]] && is_same "$pid" "$started"
}

port_answers() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
