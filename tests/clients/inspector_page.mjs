// Drives the web page of the MCP Inspector: connects, lists the tools, runs one, and takes a picture of its answer.
//
// Usage: inspector_page.mjs URL ERA PICTURE         prints a line of JSON

import { join } from 'node:path';
import { beside, freePort, withBrowser } from './browser.mjs';

const [, , url, era, picture] = process.argv;
const PATIENCE = 20_000;
const TOKEN = 'of-this-test-only';

async function drive(page, address) {
    page.setDefaultTimeout(PATIENCE);
    await page.setViewportSize({ width: 1400, height: 1000 });
    await page.goto(`${address}/?MCP_INSPECTOR_API_TOKEN=${TOKEN}`);
    // The switch itself is hidden behind what is painted for it, and while the page is still being laid out it is
    // nowhere, where no mouse can click.
    await page.getByRole('switch', { name: /Connect or disconnect/ }).first().dispatchEvent('click');
    await page.getByText('Tools', { exact: true }).first().click();
    await page.getByText('execute_code', { exact: true }).first().click();
    await page.getByLabel(/code/i).first().fill('100 factorial printString size');
    await page.getByRole('button', { name: 'Execute Tool' }).first().click();
    const answer = page.getByText('158', { exact: true }).first();
    await answer.waitFor();
    await page.screenshot({ path: picture });
    return { answer: await answer.textContent() };
}

const inspector = join(process.env.LAPIDARY_TOOLS, 'node_modules/.bin/mcp-inspector');
const port = await freePort();
const env = { HOST: '127.0.0.1', CLIENT_PORT: `${port}`, MCP_SANDBOX_PORT: '0', MCP_APP_ORIGIN_PORT: '0',
    MCP_AUTO_OPEN_ENABLED: 'false', MCP_INSPECTOR_API_TOKEN: TOKEN };
const args = [inspector, '--web', '--transport', 'http', '--server-url', url, '--protocol-era', era];
const seen = await beside(args, env, /http:\/\/127\.0\.0\.1:\d+/, () =>
    withBrowser((page) => drive(page, `http://127.0.0.1:${port}`).catch(async (error) => {
        // What the page showed in place of what was waited for.
        await page.screenshot({ path: picture });
        throw error;
    })));
console.log(JSON.stringify(seen));
