/** What draws a PNG, as the packages have it: read when it is first needed, and compressed as well as can be. */
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { subsetOf } from './font/subset.ts';

const root = path.resolve(import.meta.dirname, '..');
/** Compressing takes many seconds, so it is done once for each version of a file. */
const cache = path.join(root, 'node_modules', '.cache', 'pipewright');

/** Files of `dist/`, and what each is made of. */
export const assets = {
  'resvg.wasm.br': 'node_modules/@resvg/resvg-wasm/index_bg.wasm',
  'DejaVuSans.ttf.br': 'node_modules/dejavu-fonts-ttf/ttf/DejaVuSans.ttf',
  'DejaVuSans.LICENSE.txt': 'node_modules/dejavu-fonts-ttf/LICENSE',
} as const;

export async function writeAssets(into: string): Promise<void> {
  const compressing = Object.entries(assets).map(async ([name, from]) => {
    const source = path.join(root, from);
    const target = path.join(into, name);
    if (!name.endsWith('.br')) copyFileSync(source, target);
    else writeFileSync(target, await compressed(whole(name, readFileSync(source))));
  });
  await Promise.all(compressing);
}

const whole = (name: string, bytes: Uint8Array): Uint8Array => (name.includes('.ttf') ? subsetOf(bytes) : bytes);

async function compressed(bytes: Uint8Array): Promise<Uint8Array> {
  const known = path.join(cache, `${createHash('sha256').update(bytes).digest('hex')}.br`);
  if (existsSync(known)) return readFileSync(known);
  const made = await promisify(brotliCompress)(bytes);
  mkdirSync(cache, { recursive: true });
  // Builds may run at the same time: a file is there whole or not at all.
  const unfinished = `${known}.${process.pid}`;
  writeFileSync(unfinished, made);
  renameSync(unfinished, known);
  return made;
}
