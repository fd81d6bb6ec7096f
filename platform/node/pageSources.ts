/** The bundles of the preview's page: next to this bundle, or in `dist/` if the program runs from source. */
import { existsSync, readFileSync } from 'node:fs';
import type { PageSources } from '../common/platform.ts';

function bundled(name: string): string | undefined {
  const file = new URL(import.meta.url.endsWith('.ts') ? `../../dist/${name}` : `./${name}`, import.meta.url);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

export function pageSources(): PageSources | undefined {
  const script = bundled('preview.js');
  const style = bundled('preview.css');
  return script === undefined || style === undefined ? undefined : { script, style };
}
