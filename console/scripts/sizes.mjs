// The first load stays under 400 kB compressed without the map library: the page, what it loads at once, and the largest page after it.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const LIMIT = 400_000;
const built = new URL('../built/', import.meta.url);
const size = (name) => statSync(new URL(`${name}.gz`, built)).size;
const text = (name) => gunzipSync(readFileSync(new URL(`${name}.gz`, built))).toString();

const files = readdirSync(new URL('assets/', built)).map((name) => `assets/${name.replace(/\.gz$/, '')}`);
// The library and its worker are chunks of their own, with names that say so.
const library = files.filter((name) => /maplibre/.test(name));
if (!library.some((name) => name.endsWith('.js') || name.endsWith('.mjs'))) throw new Error('The map library is not in a chunk of its own.');
if (/maplibre/.test(text('index.html'))) throw new Error('The first page loads the map library.');

const rest = ['index.html', ...files.filter((name) => !library.includes(name))];
const total = rest.reduce((sum, name) => sum + size(name), 0);
for (const name of [...rest, ...library].sort((a, b) => size(b) - size(a)).slice(0, 12)) console.log(`${String(size(name)).padStart(8)}  ${name}`);
console.log(`${String(total).padStart(8)}  everything but the map library (limit ${LIMIT})`);
if (total > LIMIT) {
  console.error(`All pages without the map library take ${total} bytes compressed; the limit is ${LIMIT}.`);
  process.exitCode = 1;
}
