import { type KeptSelection, readSelection, selectionText } from './keptSelection.ts';
import type { OpenGroups, PreviewState } from './messages.ts';

/** Values of other programs are checked field by field: the page shows text of other people's files, and keeps its state outside. */

const longestText = 4096;
const mostOverrides = 1000;
const colourings = ['operation', 'microbatch', 'chunk', 'version'] as const;

export type Fields = Readonly<Record<string, unknown>>;
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const isFigure = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
/** A name, a path or a uri: neither empty nor long. */
export const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= longestText;

/** Values of params by name; undefined if one of them is none. */
export function readOverrides(raw: unknown): Readonly<Record<string, number>> | undefined {
  if (!isFields(raw)) return undefined;
  const entries = Object.entries(raw);
  if (entries.length > mostOverrides || !entries.every(([name, value]) => isName(name) && isFigure(value)))
    return undefined;
  return Object.fromEntries(entries.map(([name, value]) => [name, Number(value)]));
}

/** Longer lists of groups are not kept: the state stays under 2 KB. */
const mostGroups = 32;
const mostLetters = 800;

/** Names of groups as they are kept; undefined if there are none, or too many of them. */
export function readOpenGroups(raw: unknown): OpenGroups | undefined {
  if (raw === 'all') return raw;
  if (!Array.isArray(raw) || raw.length === 0 || raw.length > mostGroups || !raw.every(isName)) return undefined;
  return raw.join('').length > mostLetters ? undefined : raw;
}

/** A selection whose fields say something. */
const readKept = (raw: unknown): KeptSelection | undefined =>
  isFields(raw) ? readSelection(selectionText(raw as unknown as KeptSelection)) : undefined;

/** What a page kept over a reload. Fields that are not usable are left out. Without a uri there is no state. */
export function readState(raw: unknown): PreviewState | undefined {
  if (!isFields(raw) || !isName(raw['uri'])) return undefined;
  const { uri, pipeline, colours, criticalPath, following } = raw;
  const selection = readKept(raw['selection']);
  const figure = (name: string) => (isFigure(raw[name]) ? raw[name] : undefined);
  return {
    uri,
    pipeline: isName(pipeline) ? pipeline : undefined,
    t0: figure('t0'),
    t1: figure('t1'),
    scroll: figure('scroll'),
    rowHeight: figure('rowHeight'),
    colours: colourings.find((colouring) => colouring === colours),
    criticalPath: typeof criticalPath === 'boolean' ? criticalPath : undefined,
    overrides: readOverrides(raw['overrides']),
    openGroups: readOpenGroups(raw['openGroups']),
    following: typeof following === 'boolean' ? following : undefined,
    ...(selection === undefined ? {} : { selection }),
  };
}
