/** A file's timelines as one HTML page that works without an editor and without a network. */
import { base64 } from '../platform/common/base64.ts';
import type { PageSources } from '../platform/common/platform.ts';
import { sha256 } from '../platform/common/sha256.ts';
import { type StandalonePage, standaloneHtml } from '../webview/protocol/standalone.ts';

export type { StandalonePage };

/** `problem`: why there is no page, as a sentence. */
export function standalonePage(
  page: StandalonePage,
  sources: PageSources | undefined,
): { readonly text: string } | { readonly problem: string } {
  if (sources === undefined) return { problem: 'The script of the preview is missing: run npm run build.' };
  return { text: standaloneHtml({ ...sources, hash: (text) => base64(sha256(text)) }, page) };
}
