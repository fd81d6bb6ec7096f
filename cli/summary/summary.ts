/** A short answer of a command, for readers who pay for every line: as text, and the same as data in base units. */
import { count, list } from '../../engine/basics/quantities.ts';
import { jsonText } from '../../server/text/jsonText.ts';
import { printable } from '../../server/text/printable.ts';

/** Fields say their unit: `iteration_seconds`, `peak_bytes`, `bubble_share`. */
export type Fields = Readonly<Record<string, unknown>>;

export interface SummaryItem {
  /** Absent: it is in the data only. */
  readonly line?: string;
  readonly data: Fields | string;
}

/** What may be many. Items that do not fit are left out, the last first. */
export interface SummaryList {
  /** Of the field. */
  readonly name: string;
  readonly singular: string;
  readonly plural: string;
  /** The most important first. */
  readonly items: readonly SummaryItem[];
}

export interface Summary {
  /** Lines that always stay, the verdict first. */
  readonly head: readonly string[];
  /** Fields that always stay. */
  readonly fields: Fields;
  /** The most important first. */
  readonly lists: readonly SummaryList[];
  /** The text of a file that the answer gives. */
  readonly text?: string;
  /** The whole answer as JSON. Made only if someone reads it. Absent if nothing is longer than this. */
  readonly whole?: () => string;
}

/** Characters of the text, and bytes of the data. */
export const mostCharacters = 2_000;
export const mostBytes = 8_000;

/** Characters of one line, and of a line of the head. */
const longestLine = 480;
/** Kept free for the last line. */
const lastLine = 160;

/** `most`: items of each list. */
export function summaryText({ head, lists, text = '' }: Summary, most = Infinity): string {
  const fixed = head.map(clipped);
  const shown = text === '' ? [] : clean(text.replace(/\n+$/u, '')).split('\n');
  let room = mostCharacters - lastLine - lengthOf(fixed);
  const lines = [...fixed];
  const left: string[] = [];
  for (const [at, { items, singular, plural }] of lists.entries()) {
    const later = [...lists.slice(at + 1).map((each) => lengthOf(linesOf(each, most))), lengthOf(shown)];
    const kept = taken(linesOf({ items }, most), room - reserved(room, later));
    lines.push(...kept);
    room -= lengthOf(kept);
    const missing = items.filter(({ line }) => line !== undefined).length - kept.length;
    if (missing > 0) left.push(count(missing, singular, plural));
  }
  const kept = taken(shown, room);
  lines.push(...kept);
  if (kept.length < shown.length) left.push(count(shown.length - kept.length, 'line of the text', 'lines of the text'));
  if (left.length > 0) lines.push(`Left out: ${list(left)}.`);
  return `${lines.join('\n')}\n`;
}

/** What later parts may claim of the room: what they need, but no more than equal shares. */
function reserved(room: number, later: readonly number[]): number {
  const share = Math.max(0, room) / (later.filter((need) => need > 0).length + 1);
  return later.reduce((sum, need) => sum + Math.min(need, share), 0);
}

const clean = (text: string): string => text.split('\n').map(printable).join('\n');

/** Words of a file that steer no terminal. A space splits what a page of Markdown would read as a link, an address or a tag. */
export const inert = (text: string): string =>
  clean(text)
    .replaceAll('](', '] (')
    .replaceAll('://', ': //')
    .replaceAll(/<(?=[A-Za-z/!?])/gu, '< ');

/** The same of all texts in the data. */
function inertData(value: unknown): unknown {
  if (typeof value === 'string') return inert(value);
  if (Array.isArray(value)) return value.map(inertData);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [inert(name), inertData(each)]));
}

/** Each line cut at its length. An entry may have several. */
const clipped = (entry: string): string =>
  entry
    .split('\n')
    .map(inert)
    .map((line) => (line.length <= longestLine ? line : `${line.slice(0, longestLine - 1)}…`))
    .join('\n');

const linesOf = ({ items }: Pick<SummaryList, 'items'>, most: number): readonly string[] =>
  items
    .flatMap(({ line }) => line ?? [])
    .slice(0, most)
    .map(clipped);

const lengthOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0);

/** The first lines that have room. */
function taken(lines: readonly string[], room: number): readonly string[] {
  const kept: string[] = [];
  let length = 0;
  for (const line of lines) {
    length += line.length + 1;
    if (length > room) break;
    kept.push(line);
  }
  return kept;
}

/** The same as data. `left_out` counts what is missing of each list. */
export function summaryData({ fields, lists, text }: Summary, most = Infinity): Fields {
  const kept = lists.map(({ items }) => Math.min(items.length, most));
  const parts = lists.map(({ items }) => items.map(({ data }) => inertData(data)));
  const fixed = inertData(fields) as Fields;
  let shown = text;
  const made = (): Fields => {
    const left = Object.fromEntries(
      lists.flatMap(({ name, items }, at) => (kept[at] < items.length ? [[name, items.length - kept[at]]] : [])),
    );
    if (text !== undefined && shown === undefined) left['text'] = text.length;
    return {
      ...fixed,
      ...Object.fromEntries(lists.map(({ name }, at) => [name, parts[at].slice(0, kept[at])])),
      ...(shown === undefined ? {} : { text: shown }),
      ...(Object.keys(left).length === 0 ? {} : { left_out: left }),
    };
  };
  for (;;) {
    const data = made();
    const size = sizeOf(data);
    if (size <= mostBytes) return data;
    // The text of a file is of no use in part.
    if (shown !== undefined && sizeOf(shown) > mostBytes / 2) {
      shown = undefined;
      continue;
    }
    const longest = longestOf(parts, kept);
    if (longest === undefined && shown === undefined) return data;
    if (longest === undefined) shown = undefined;
    else kept[longest] -= Math.max(1, Math.floor(kept[longest] / 8));
  }
}

/** Of lists that have items left: the one that takes most room; of equal ones the last. */
function longestOf(parts: readonly (readonly unknown[])[], kept: readonly number[]): number | undefined {
  let longest: number | undefined;
  let most = 0;
  for (const [at, items] of parts.entries()) {
    const size = kept[at] === 0 ? 0 : sizeOf(items.slice(0, kept[at]));
    if (size === 0 || size < most) continue;
    [longest, most] = [at, size];
  }
  return longest;
}

const sizeOf = (value: unknown): number => Buffer.byteLength(jsonText(value));
