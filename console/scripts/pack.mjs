// Compresses dist/ into built/, which the server embeds. The same sources give the same bytes: no names, no times.

import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const from = join(root, 'dist');
// A test builds into a folder of its own to compare.
const to = process.env.BUILT ?? join(root, 'built');

function* filesIn(folder) {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* filesIn(path);
    else yield path;
  }
}

rmSync(to, { recursive: true, force: true });
for (const path of filesIn(from)) {
  const target = join(to, `${relative(from, path)}.gz`);
  mkdirSync(dirname(target), { recursive: true });
  const bytes = gzipSync(readFileSync(path), { level: 9 });
  // The tenth byte names the operating system that compressed.
  bytes[9] = 255;
  writeFileSync(target, bytes);
}
