import { readFileSync } from 'node:fs';

/** The version in `package.json`, which is one folder above this file and above the bundles. */
export function packageVersion(): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) return String(manifest.version);
  } catch {
    // A copy without its manifest still works.
  }
  return 'unknown';
}
