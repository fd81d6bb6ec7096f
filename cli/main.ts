#!/usr/bin/env node
import { keepCompiled } from '../platform/node/compiled.ts';

async function main(): Promise<void> {
  keepCompiled();
  // Not before: what is imported above is compiled anew.
  const { start } = await import('./start.ts');
  await start();
}

void main();
