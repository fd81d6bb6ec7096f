/** A link to a view of a file: `vscode://pipewright.pipewright/view/models/train.pipe?pipeline=train&from=0.1&to=0.2&set=microbatches:16`. */
import { readSelection, selectionText } from '../webview/protocol/keptSelection.ts';
import type { PreviewState } from '../webview/protocol/messages.ts';
import { readOpenGroups } from '../webview/protocol/state.ts';

export type LinkedView = Omit<PreviewState, 'uri' | 'following'>;

/** `path`: in the workspace, with slashes. */
export interface Link {
  readonly path: string;
  readonly view: LinkedView;
}

const root = '/view/';
const longest = 8192;

/** `scheme` of the editor; `id` of the extension. */
export function writeLink(scheme: string, id: string, { path, view }: Link): string {
  const { pipeline, t0, t1, scroll, rowHeight, colours, criticalPath, overrides, openGroups, selection } = view;
  const groups = openGroups === undefined || openGroups === 'all' ? [openGroups] : openGroups;
  const fields: readonly (readonly [name: string, value: string | number | undefined])[] = [
    ['pipeline', pipeline],
    ['from', t0],
    ['to', t1],
    ['scroll', scroll],
    ['row', rowHeight],
    ['colours', colours === 'operation' ? undefined : colours],
    ['path', criticalPath === true ? 'critical' : undefined],
    ...groups.map((name) => ['open', name] as const),
    ...Object.entries(overrides ?? {}).map(([name, value]) => ['set', `${name}:${value}`] as const),
    ['select', selection === undefined ? undefined : selectionText(selection)],
  ];
  const query = fields.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encoded(String(value))}`]));
  const place = path.split('/').map(encoded).join('/');
  return `${scheme}://${id}${root}${place}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

const encoded = (text: string): string => encodeURIComponent(text).replaceAll('%3A', ':');

/**
 * What a link says, or what is wrong with it and where. `path` and `query` are decoded, as editors pass them. Links come from other
 * people: anything that `writeLink` does not write is refused.
 */
export function readLink(path: string, query: string): Link | { readonly problem: string } {
  const wrong = (place: string, wanted: string) => ({ problem: `The link is wrong at ${quoted(place)}: ${wanted}.` });
  if (path.length + query.length > longest) return { problem: `The link is wrong: it has over ${longest} characters.` };
  if (!path.startsWith(root)) return wrong(path, `a link to a view begins with ${quoted(root)}`);
  const file = path.slice(root.length);
  if (!isInside(file)) return wrong(file, 'it must be the path of a .pipe file in the workspace');
  let view: LinkedView = {};
  const seen = new Set<string>();
  for (const part of query === '' ? [] : query.split('&')) {
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(0, at));
    if (!Object.hasOwn(readers, name)) return wrong(part, 'no view has it');
    const { repeats, wanted, read } = readers[name];
    if (seen.has(name) && repeats !== true) return wrong(part, `${name} is there twice`);
    const next = read(part.slice(at + 1), view);
    if (next === undefined) return wrong(part, wanted);
    seen.add(name);
    view = { ...view, ...next };
  }
  const { t0, t1 } = view;
  if ((t0 === undefined) !== (t1 === undefined) || (t0 !== undefined && t1 !== undefined && t0 >= t1))
    return wrong(query, 'from must be less than to');
  return { path: file, view };
}

/** A path that leads out of no folder, on any system. */
function isInside(path: string): boolean {
  const parts = path.split('/');
  return path.endsWith('.pipe') && parts.every((part) => !['', '.', '..'].includes(part) && !/[\\:\p{Cc}]/u.test(part));
}

interface Reader {
  readonly wanted: string;
  /** It may be there several times. */
  readonly repeats?: true;
  read(value: string, view: LinkedView): LinkedView | undefined;
}

function figure(text: string, least = -Infinity): number | undefined {
  const value = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/.test(text) ? Number(text) : NaN;
  return Number.isFinite(value) && value >= least ? value : undefined;
}
const isName = (text: string): boolean => /^[\p{L}\p{N}_.[\] –-]{1,200}$/u.test(text);
const figureReader = (name: 't0' | 't1' | 'scroll' | 'rowHeight', wanted: string): Reader => ({
  wanted,
  read(text) {
    const value = figure(text, 0);
    return value === undefined ? undefined : { [name]: value };
  },
});
const colourings = ['operation', 'microbatch', 'chunk', 'version'] as const;
const mostSliders = 1000;

const readers: Readonly<Record<string, Reader>> = {
  pipeline: {
    wanted: 'it must be the name of a pipeline',
    read: (text) => (isName(text) ? { pipeline: text } : undefined),
  },
  from: figureReader('t0', 'it must be seconds from 0'),
  to: figureReader('t1', 'it must be seconds from 0'),
  scroll: figureReader('scroll', 'it must be pixels from 0'),
  row: figureReader('rowHeight', 'it must be the height of a row in pixels'),
  colours: {
    wanted: `it must be one of ${colourings.join(', ')}`,
    read(text) {
      const colours = colourings.find((each) => each === text);
      return colours === undefined ? undefined : { colours };
    },
  },
  path: {
    wanted: 'it can only be critical',
    read: (text) => (text === 'critical' ? { criticalPath: true } : undefined),
  },
  open: {
    wanted: 'it must be all, or names of a few groups of devices',
    repeats: true,
    read(text, { openGroups }) {
      if (text === 'all') return openGroups === undefined ? { openGroups: 'all' } : undefined;
      const groups = openGroups === 'all' || !isName(text) ? undefined : readOpenGroups([...(openGroups ?? []), text]);
      return groups === undefined ? undefined : { openGroups: groups };
    },
  },
  set: {
    wanted: 'it must be a param and a number, such as microbatches:16',
    repeats: true,
    read(text, { overrides = {} }) {
      const [, name, value] = /^([\p{L}\p{N}_.]{1,200}):(.*)$/u.exec(text) ?? [];
      const number = figure(value ?? '');
      const isNew = name !== undefined && !Object.hasOwn(overrides, name);
      return number === undefined || !isNew || Object.keys(overrides).length >= mostSliders
        ? undefined
        : { overrides: Object.fromEntries([...Object.entries(overrides), [name, number]]) };
    },
  },
  select: {
    wanted: 'it must be a block, a bubble, a device or a range, such as block:F:0:3',
    read(text) {
      const selection = readSelection(text);
      return selection === undefined ? undefined : { selection };
    },
  },
};

/** A part of a link in a message. Editors make links, also to commands, of brackets in a message: no sign of them is left. */
export const quoted = (text: string): string => `"${text.replaceAll(/[^\p{L}\p{N} ._/=:+–-]/gu, '�').slice(0, 80)}"`;
