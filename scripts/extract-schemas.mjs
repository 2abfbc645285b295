// Takes the official JSON Schemas of MCP out of the conformance suite, which carries all of them in its bundle.
//
//   node scripts/extract-schemas.mjs BUNDLE FOLDER      writes FOLDER/schema-REVISION.json, one for each revision
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';

const [bundle, folder] = process.argv.slice(2);
const text = readFileSync(bundle, 'utf8');

// The object literal that begins here. Strings of any quote are skipped; none of them has a part that is computed.
function literal(begin) {
    let depth = 0;
    for (let at = begin; at < text.length; at++) {
        const character = text[at];
        if ('`"\''.includes(character)) {
            for (at++; text[at] !== character; at++) if (text[at] === '\\') at++;
        } else if (character === '{') {
            depth++;
        } else if (character === '}' && --depth === 0) {
            return text.slice(begin, at + 1);
        }
    }
    throw new Error('an object that does not end');
}

// Each revision by what it was the first to have.
function revision(schema) {
    const definitions = schema.$defs ?? schema.definitions ?? {};
    if ('DiscoverRequest' in definitions) return '2026-07-28';
    if ('CreateTaskResult' in definitions) return '2025-11-25';
    if ('ElicitRequest' in definitions) return '2025-06-18';
    if ('JSONRPCBatchRequest' in definitions) return '2025-03-26';
    return undefined;
}

const found = new Map();
for (let at = text.indexOf('{$schema:`'); at >= 0; at = text.indexOf('{$schema:`', at + 1)) {
    const source = literal(at);
    if (!source.includes('JSONRPCNotification')) continue;
    const schema = runInNewContext(`(${source})`, {}, { timeout: 10_000 });
    const name = revision(schema);
    if (name && !found.has(name)) found.set(name, schema);
}
if (found.size !== 4) {
    console.error(`extract-schemas: ${bundle} has ${found.size} schemas (${[...found.keys()]}), not 4`);
    process.exit(1);
}
mkdirSync(folder, { recursive: true });
for (const [name, schema] of found) writeFileSync(`${folder}/schema-${name}.json`, `${JSON.stringify(schema)}\n`);
