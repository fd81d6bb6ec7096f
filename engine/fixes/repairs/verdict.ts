import type { Analysis } from '../../flow/check.ts';
import { type Code, codes } from '../../findings/catalogue.ts';
import type { Finding } from '../../findings/finding.ts';
import type { Edit } from '../proposal.ts';

/** `clean`: no new mistake. `reveals`: others come to light that the finding hid. */
export type Verdict = 'clean' | 'reveals';

/** Errors of a plan that runs: figures of it, not mistakes of the text. */
const ofFigures: readonly Code[] = ['memory/out-of-memory', 'memory/host', 'expect/failed', 'schedule/missing-version'];

/** Codes in the order in which a file is read: a mistake hides mistakes of later groups. */
const groups = ['syntax', 'import', 'name', 'key', 'type', 'value', 'layer', 'stage', 'device', 'schedule'];
const groupOf = (code: Code): number => {
  const at = groups.indexOf(code.slice(0, code.indexOf('/')));
  return at < 0 ? groups.length : at;
};

/** The last group of mistakes that are about the words of a file, not about the plan. */
const ofText = groups.indexOf('value');

/** Places of the texts that edits write, in the file after them. */
function writtenBy(edits: readonly Edit[]): readonly { readonly start: number; readonly end: number }[] {
  let shift = 0;
  return edits
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, end, text }) => {
      const at = start + shift;
      shift += text.length - (end - start);
      return { start: at, end: at + text.length };
    });
}

/** Whether a change answers the finding; undefined if the finding stays, or if the change makes a new mistake. */
export function verdictOf(
  before: Analysis,
  after: Analysis,
  finding: Finding,
  edits: readonly Edit[],
): Verdict | undefined {
  const key = keyOf(finding);
  const [old, now] = [counted(before), counted(after)];
  if ((now.get(key)?.count ?? 0) >= (old.get(key)?.count ?? 0)) return undefined;
  let added = 0;
  let removed = 0;
  let hidden = true;
  const written = writtenBy(edits);
  const removes = edits.some(({ text }) => text.trim() === '');
  for (const [other, { count, found }] of now) {
    const more = count - (old.get(other)?.count ?? 0);
    if (more <= 0 || !isMistake(found)) continue;
    added += more;
    // What is removed may be needed; what is written may be wrong in its turn.
    const [group, own] = [groupOf(found.code), groupOf(finding.code)];
    const touches =
      group <= ofText && written.some(({ start, end }) => found.place.start < end && found.place.end > start);
    hidden &&= removes ? group > own : group >= own && !touches;
  }
  if (added === 0) return 'clean';
  for (const [other, { count, found }] of old) {
    if (isMistake(found)) removed += Math.max(0, count - (now.get(other)?.count ?? 0));
  }
  const isSyntax = groupOf(finding.code) === 0;
  return hidden && (isSyntax || added <= removed) ? 'reveals' : undefined;
}

const isMistake = ({ severity, code }: Finding): boolean => severity === 'error' && !ofFigures.includes(code);

/** Lines that a message names move with the text before them. */
const keyOf = ({ code, message }: Finding): string => `${codes.indexOf(code)} ${message.replace(/line \d+/g, 'line')}`;

function counted({ findings }: Analysis): ReadonlyMap<string, { count: number; readonly found: Finding }> {
  const out = new Map<string, { count: number; readonly found: Finding }>();
  for (const found of findings) {
    const key = keyOf(found);
    const same = out.get(key);
    if (same === undefined) out.set(key, { count: 1, found });
    else same.count += 1;
  }
  return out;
}
