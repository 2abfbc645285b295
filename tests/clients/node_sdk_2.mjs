// The walk with the SDK 2.x for Node.
//
// Usage: node_sdk_2.mjs URL MODE         MODE is the SDK's: default, legacy, auto, or a revision that is pinned

import { main, tool } from './walk.mjs';

const { Client, StreamableHTTPClientTransport } = tool('@modelcontextprotocol/client');
const [, , url, mode] = process.argv;
const modes = { default: undefined, legacy: { mode: 'legacy' }, auto: { mode: 'auto' } };
const versionNegotiation = mode in modes ? modes[mode] : { mode: { pin: mode } };
const callTool = (client, params, options) => client.callTool(params, options);

await main(async () => {
    const client = new Client({ name: 'walk', version: '1' }, { versionNegotiation });
    const transport = new StreamableHTTPClientTransport(new URL(url));
    await client.connect(transport);
    const end = () => transport.terminateSession();
    return { client, callTool, end, protocol: client.getNegotiatedProtocolVersion() };
});
