import { readFileSync } from 'node:fs';

/** One folder above the bundles. */
const file = new URL(import.meta.url.endsWith('.ts') ? '../../package.json' : '../package.json', import.meta.url);

/** The version in `package.json`. */
export function packageVersion(): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) return String(manifest.version);
  } catch {
    // A copy without its manifest still works.
  }
  return 'unknown';
}
