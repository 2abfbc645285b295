// Calls the endpoint from pages of several origins in a browser, and tells what each was allowed to see.
//
// Usage: page.mjs URL PORT                 serves the pages on PORT; prints a line of JSON: by host, the answer or the
//                                          error

import { createServer } from 'node:http';
import { withBrowser } from './browser.mjs';

const [, , url, port] = process.argv;

/** Runs in the page: opens a session, lists its tools, hears its stream, ends it; and calls without one. */
async function call(url) {
    const kinds = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const message = (id, method, params) => JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const post = (body, headers) => fetch(url, { method: 'POST', headers: { ...kinds, ...headers }, body });

    async function inSession() {
        const clientInfo = { name: 'page', version: '1' };
        const opening = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
        const opened = await post(message(1, 'initialize', opening));
        const id = opened.headers.get('mcp-session-id');
        const session = { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' };
        const listed = await (await post(message(2, 'tools/list', {}), session)).json();
        const asking = { accept: 'text/event-stream', 'last-event-id': '0-0', ...session };
        const stream = (await fetch(url, { headers: asking })).body.getReader();
        const first = new TextDecoder().decode((await stream.read()).value);
        await stream.cancel();
        const ended = await fetch(url, { method: 'DELETE', headers: session });
        return { tools: listed.result.tools.length, first, ended: ended.status };
    }

    async function alone() {
        const gem = '0'.repeat(32);
        const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call',
            'mcp-name': 'execute_code', 'mcp-param-gem': gem };
        const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {} };
        const params = { name: 'execute_code', arguments: { code: '3 + 4', gem }, _meta };
        const called = await (await post(message(3, 'tools/call', params), headers)).json();
        return called.result.structuredContent.error.kind;
    }

    try {
        return { ...await inSession(), alone: await alone() };
    } catch (error) {
        return { error: `${error.name}: ${error.message}` };
    }
}

const page = '<title>A page</title>';
const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(page));
await new Promise((resolve) => server.listen(Number(port), '127.0.0.1', resolve));
const seen = {};
await withBrowser(async (tab) => {
    for (const host of ['127.0.0.1', 'localhost', 'app.example', 'evil.example']) {
        await tab.goto(`http://${host}:${port}/`);
        seen[host] = await tab.evaluate(call, url);
    }
}, ['--host-resolver-rules=MAP *.example 127.0.0.1']);
server.close();
console.log(JSON.stringify(seen));
