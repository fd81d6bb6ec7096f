import { parametersOf } from '../../findings/finding.ts';
import { nearest } from '../../basics/spelling.ts';
import { standardFiles } from '../../std/index.ts';
import { replaced, withoutNode } from './edits.ts';
import { exportsOf } from '../../language/exported.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { siteAt } from './site.ts';

/** The nearest file names of the folder and of the language; a file that declares what the import asks for. */
export const importNotFound: Repairer = { repairs };

function* repairs({ analysis, finding, neighbours }: Mistake): Generator<Repair | undefined> {
  const { syntax } = analysis;
  const path = parametersOf(finding, 'import/not-found')?.path;
  if (path === undefined) return;
  const site = siteAt(syntax, finding.place.start);
  const node = site.path.find((each) => each.kind === 'import');
  const change = (text: string): Repair => ({
    what: `Change to "${text}"`,
    edits: [replaced(finding.place, `"${text}"`)],
  });
  const files = neighbours();
  const all = [...(path.startsWith('std:') ? [] : files.map((file) => file.path)), ...standardFiles.keys()];
  const near = nearest(path, all) ?? nearest(baseOf(path), all) ?? nearestBase(path, all);
  if (near !== undefined) yield change(near);
  const wanted = node?.kind === 'import' ? (node.names ?? []).map(({ text }) => text) : [];
  if (wanted.length > 0) {
    const sources = [...[...standardFiles].map(([standard, text]) => ({ path: standard, text })), ...files];
    for (const source of sources) {
      const names = new Set(exportsOf(source).map(({ name }) => name));
      if (wanted.every((name) => names.has(name))) yield change(source.path);
    }
  }
  for (const other of all.slice(0, 4)) yield change(other);
  if (node?.kind === 'import') yield { what: 'Remove the import', edits: [withoutNode(syntax, node)], last: true };
}

const baseOf = (path: string): string => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf(':')) + 1);

/** The path whose file name is spelled alike. */
function nearestBase(path: string, all: readonly string[]): string | undefined {
  const bases = new Map(all.map((each) => [baseOf(each), each]));
  const base = nearest(baseOf(path), bases.keys());
  return bases.get(baseOf(path)) ?? (base === undefined ? undefined : bases.get(base));
}
