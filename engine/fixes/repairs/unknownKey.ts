import { parametersOf } from '../../findings/finding.ts';
import { spellings } from '../../basics/spelling.ts';
import { findKey, keysOf } from '../../language/schema.ts';
import { findUnit } from '../../language/units.ts';
import { entriesOf } from '../source.ts';
import { carriedOver } from './carriedOver.ts';
import { hasMisspelled } from './competing.ts';
import { replaced, withEntry, withoutItem, withoutNode } from './edits.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { comparing, naming } from './scheduleSlips.ts';
import { bodiesOf, siteAt, type Site } from './site.ts';

/** The nearest spellings, the same entry in a block that has this key, or without it. */
export const keyUnknown: Repairer = { repairs };

const mostBlocks = 3;
/** Characters before a key in which a number is looked for. */
const longestGap = 16;

function* repairs({ analysis, finding }: Mistake): Generator<Repair | undefined> {
  const { syntax } = analysis;
  const parameters = parametersOf(finding, 'key/unknown');
  if (parameters === undefined) return;
  const { key, nearest } = parameters;
  const { start } = finding.place;
  // `5 ms`: the unit of the number before it.
  const gap = /\d([ \t]+)$/.exec(syntax.text.slice(Math.max(0, start - longestGap), start))?.[1];
  if (gap !== undefined && findUnit(key) !== undefined)
    yield {
      what: `Join "${key}" to the number before it`,
      edits: [replaced({ start: start - gap.length, end: start }, '')],
    };
  const site = siteAt(syntax, start);
  yield* carriedOver(syntax, site);
  const hinted = finding.hint?.kind === 'spelling' ? finding.hint.suggestions : [];
  for (const text of new Set([...hinted, ...(nearest === undefined ? [] : [nearest]), ...similar(site, key)]))
    yield {
      what: `Change to "${text}"`,
      edits: [replaced(finding.place, text)],
      contested: competes(site, text),
    };
  const call = site.path.findLast((node) => node.kind === 'call' || node.kind === 'index');
  const inCall = call?.kind === 'call' || call?.kind === 'index' ? call.arguments : [];
  const index = inCall.findIndex(({ start, end }) => start <= finding.place.start && finding.place.end <= end);
  if (index >= 0) {
    if (call?.kind === 'call') yield comparing(syntax, call, inCall[index]);
    // Without its name the value is for the parameter in its place.
    yield { what: `Remove "${key}"`, edits: [withoutItem(inCall, index)], last: true };
    return;
  }
  const { entry } = site;
  if (entry === undefined) return;
  if (site.withinBlock === 'schedule' && nearest === undefined) yield naming(entry);
  const written = syntax.text.slice(entry.start, entry.end);
  if (!written.includes('\n')) yield* moves(analysis.syntax, site, key, written);
  yield { what: `Remove "${key}"`, edits: [withoutNode(syntax, entry)], last: true };
}

/** Whether another unknown key of the block means this one too, such as `gbs` and `batch_size`. */
const competes = ({ entry, within, withinBlock, key: known }: Site, key: string): boolean =>
  entry !== undefined &&
  within !== undefined &&
  withinBlock !== undefined &&
  known === undefined &&
  findKey(withinBlock, key)?.repeatable !== true &&
  hasMisspelled(withinBlock, within, entry, key);

/** Keys of the block that are spelled alike and not written yet. */
function similar({ within, withinBlock }: Site, key: string): readonly string[] {
  if (within === undefined || withinBlock === undefined) return [];
  const left = new Set(
    [...keysOf(withinBlock).values()]
      .filter(({ name, repeatable }) => repeatable === true || entriesOf(within, name).length === 0)
      .map(({ name }) => name),
  );
  const near = spellings();
  const out: string[] = [];
  for (let best = near(key, left); best !== undefined && out.length < 2; best = near(key, left)) {
    out.push(best);
    left.delete(best);
  }
  return out;
}

/** To blocks that know the key and do not have it: first those around this one, then the others from the top. */
function* moves(
  syntax: Parameters<typeof withoutNode>[0],
  { entry, within }: Site,
  key: string,
  written: string,
): Generator<Repair> {
  if (entry === undefined || within === undefined) return;
  const fitting = [...bodiesOf(syntax)].filter(
    ({ block, body }) => body !== within && findKey(block, key) !== undefined && entriesOf(body, key).length === 0,
  );
  const isAround = ({ body }: (typeof fitting)[number]): boolean => body.start < entry.start && entry.end < body.end;
  const ordered = [...fitting.filter(isAround), ...fitting.filter((each) => !isAround(each))];
  for (const { body, label } of ordered.slice(0, mostBlocks))
    yield {
      what: `Move "${key}" to ${label}`,
      edits: [withoutNode(syntax, entry), withEntry(syntax.text, body, written)],
    };
}
