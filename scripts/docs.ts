/** Writes the generated part of the documentation: `npm run docs`. `npm run docs -- --check` only says what is stale. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './build.ts';
import { generatedFiles } from './docs/generated.ts';

const onlyCheck = process.argv.includes('--check');
let stale = 0;
for (const [name, text] of generatedFiles()) {
  const file = path.join(root, name);
  if (existsSync(file) && readFileSync(file, 'utf8').replaceAll('\r\n', '\n') === text) continue;
  stale += 1;
  console.log(`${onlyCheck ? 'stale' : 'written'}: ${name}`);
  if (onlyCheck) continue;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
if (onlyCheck && stale > 0) process.exitCode = 1;
