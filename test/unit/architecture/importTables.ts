import { allowed, type Rule } from './rules.ts';

/** Parts of the page: the rooms of a table, by the beginning of their path. */
export const tables: readonly { readonly title: string; readonly prefix: string }[] = [
  { title: 'engine', prefix: 'engine/' },
  { title: 'server', prefix: 'server/' },
  { title: 'preview page', prefix: 'webview/' },
  { title: 'other folders', prefix: '' },
];

const tableOf = (room: string): string => tables.find(({ prefix }) => room.startsWith(prefix))?.prefix ?? '';

/** Paths as a cell. Inside a table, the folder that its rooms share is left out. */
const cell = (prefix: string, paths: readonly string[]): string =>
  paths.length === 0
    ? '–'
    : paths
        .map((path) =>
          path === '' ? 'everything' : `\`${path.startsWith(prefix) ? path.slice(prefix.length) || path : path}\``,
        )
        .join(', ');

const row = (prefix: string, room: string, { ours, types = [], packages = [] }: Rule): string =>
  `| \`${room}\` | ${[ours, types, packages].map((paths) => cell(prefix, paths)).join(' | ')} |`;

/** The table of the rooms whose path begins so, as Markdown. */
export const importTable = (prefix: string): string =>
  [
    '| room | imports | types only | packages |',
    '| --- | --- | --- | --- |',
    ...Object.entries(allowed)
      .filter(([room]) => tableOf(room) === prefix)
      .map(([room, rule]) => row(prefix, room, rule)),
  ].join('\n');
