// The walk that each client for Node takes: list, call, hear of progress, cancel, lose its gem, and come back.
//
// A driver gives `main` a function that connects one client; the client has the methods of the SDKs, and `protocol`.
// What was seen is printed as one line of JSON at the end. In the middle of it the line `lose` is printed, and the walk
// goes on when a line comes back: by then whoever runs it has ended the gem.

import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

/** A package of the folder in which scripts/install-test-tools.sh installs. */
export const tool = createRequire(`${process.env.LAPIDARY_TOOLS}/`);

const CODE = 'execute_code';
const TESTS = 'list_failing_tests';

/** Calls a tool; `options` are those of the SDK's requests. */
async function call({ client, callTool }, name, args, options) {
    const result = await callTool(client, { name, arguments: args }, options);
    return { text: result.content[0].text, error: result.isError === true, structured: result.structuredContent };
}

/** Arguments that name a gem which lasts: none in a session, which has one. */
async function hold(connected) {
    if (connected.protocol < '2026') return {};
    return { gem: (await call(connected, 'open_gem', {})).structured.gem };
}

/** The value of the sum, answered by the client's gem. */
const run = async (connected, gem) => (await call(connected, CODE, { code: '3 + 4', ...gem })).text;

/** Calls tests that never end, and gives them up once they have begun. */
async function cancel(connected, gem) {
    const leaving = new AbortController();
    const options = { signal: leaving.signal, onprogress: () => leaving.abort() };
    const ended = call(connected, TESTS, { classNames: ['WalkForEverTest'], ...gem }, options);
    return ended.then(() => false, () => true);
}

async function walk(connect) {
    const connected = await connect();
    const listed = await connected.client.listTools();
    const seen = { protocol: connected.protocol, tools: listed.tools.map((tool) => tool.name) };
    const gem = await hold(connected);
    seen.text = await run(connected, gem);
    seen.error = (await call(connected, CODE, { code: '1/0', ...gem })).error;
    seen.progress = [];
    const heard = { onprogress: ({ progress }) => seen.progress.push(progress) };
    await call(connected, TESTS, { classNames: ['WalkTest'], ...gem }, heard);
    seen.cancelled = await cancel(connected, gem);
    // It is answered only once the tests that never end have been given up.
    seen.after = await run(connected, gem);
    const input = createInterface({ input: process.stdin });
    const told = once(input, 'line');
    console.log('lose');
    await told;
    input.close();
    seen.lost = await run(connected, gem).catch((error) => `${error.name}: ${error.message}`);
    await connected.client.close();
    const back = await connect();
    seen.again = await run(back, await hold(back));
    await back.end();
    await back.client.close();
    return seen;
}

export async function main(connect) {
    console.log(JSON.stringify(await walk(connect)));
}
