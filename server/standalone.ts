/** A file's timelines as one HTML page that works without an editor and without a network. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { type StandalonePage, standaloneHtml } from '../webview/protocol/standalone.ts';

export type { StandalonePage };

/** The page's bundles: next to this bundle, or in `dist/` if the program runs from source. */
function bundled(name: string): string | undefined {
  const file = new URL(import.meta.url.endsWith('.ts') ? `../dist/${name}` : `./${name}`, import.meta.url);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** `problem`: why there is no page, as a sentence. */
export function standalonePage(page: StandalonePage): { readonly text: string } | { readonly problem: string } {
  const script = bundled('preview.js');
  const style = bundled('preview.css');
  if (script === undefined || style === undefined)
    return { problem: 'The script of the preview is missing: run npm run build.' };
  return { text: standaloneHtml({ script, style, hash }, page) };
}

const hash = (text: string): string => createHash('sha256').update(text, 'utf8').digest('base64');
