/** Words for links: the heading that a link leads to. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { anchorOf } from '../../engine/language/referencePages.ts';
import { root } from '../build.ts';

/** The heading at `costs/state.md#on-the-host`, or of the page itself. */
export function titleOf(target: string): string {
  const [file, anchor] = target.split('#');
  const text = readFileSync(path.join(root, 'docs', file), 'utf8').replaceAll(/^```[^]*?^```$/gm, '');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading);
  const found = anchor === undefined ? headings[0] : headings.find((heading) => anchorOf(heading) === anchor);
  if (found === undefined) throw new Error(`docs/${target} does not exist.`);
  return found;
}
