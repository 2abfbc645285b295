// What the drivers of a browser share: a headless Chromium, and what is started beside it and ended with it.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tool } from './walk.mjs';

const { chromium } = tool('playwright-core');

// Everything by which a browser would call anybody but the pages that it is told to open is switched off.
const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', '--disable-default-apps', '--disable-extensions'];

/** Runs `act` with a browser of its own, and ends it. */
export async function withBrowser(act, options = []) {
    const folder = mkdtempSync(join(tmpdir(), 'lapidary-browser-'));
    const executablePath = process.env.LAPIDARY_CHROMIUM;
    const settings = { executablePath, headless: true, args: [...QUIET, ...options] };
    const browser = await chromium.launchPersistentContext(folder, settings);
    try {
        return await act(await browser.newPage());
    } finally {
        await browser.close();
        rmSync(folder, { recursive: true, force: true });
    }
}

/** A port that nobody listens on. */
export function freePort() {
    return new Promise((resolve, reject) => {
        const server = createServer();
        server.once('error', reject);
        server.listen(0, '127.0.0.1', () => {
            const { port } = server.address();
            server.close(() => resolve(port));
        });
    });
}

/** Runs `act` beside a program of Node's, once that says `ready`; ends it afterwards. */
export async function beside(args, env, ready, act) {
    const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    const ended = new Promise((resolve) => child.once('exit', resolve));
    try {
        await new Promise((resolve, reject) => {
            const hear = (bytes) => {
                said += bytes;
                if (ready.test(said)) resolve();
            };
            child.stdout.on('data', hear);
            child.stderr.on('data', hear);
            ended.then(() => reject(new Error(`it ended before it was ready: ${said}`)));
        });
        return await act();
    } finally {
        child.kill();
        await ended;
    }
}
