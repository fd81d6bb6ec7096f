import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Io } from './io.ts';

/** The version in `package.json` next to the program. */
export function version(io: Io): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(io.packageRoot, 'package.json'), 'utf8'));
    if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) return String(manifest.version);
  } catch {
    // a copy without its manifest still works
  }
  return 'unknown';
}
