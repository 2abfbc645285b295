// The walk with the SDK 1.x for Node.
//
// Usage: node_sdk_1.mjs URL

import { main, tool } from './walk.mjs';

const { Client } = tool('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = tool('@modelcontextprotocol/sdk/client/streamableHttp.js');

const callTool = (client, params, options) => client.callTool(params, undefined, options);

await main(async () => {
    const client = new Client({ name: 'walk', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(process.argv[2]));
    await client.connect(transport);
    const end = () => transport.terminateSession();
    return { client, callTool, end, protocol: transport.protocolVersion };
});
