import type { ImplementationParams, Location } from 'vscode-languageserver';
import type { SymbolKind } from '../../engine/language/resolution.ts';
import { nodeAt, parse } from '../../grammar/index.ts';
import type { NameIndex } from '../names/fileNames.ts';
import { usesOf } from '../names/uses.ts';
import { toOffset, toRange } from '../text/convert.ts';
import { referenceAt, type View } from '../view.ts';

/** What a pipeline, or a cluster, runs or is made of. */
const keysOf: Readonly<Partial<Record<SymbolKind, readonly string[]>>> = {
  schedule: ['schedule'],
  policy: ['schedule'],
  model: ['model'],
  cluster: ['devices'],
  device: ['gpu'],
};

/** The pipelines that use a schedule, a model or a cluster, and the clusters of a device: in this file and in others that import it. */
export function* implementation(
  view: View,
  params: ImplementationParams,
  index: NameIndex,
): Generator<void, Location[] | null, void> {
  const found = referenceAt(view, toOffset(view.lines, params.position));
  const keys = found === undefined ? undefined : keysOf[found.symbol.kind];
  if (found === undefined || keys === undefined) return null;
  const locations: Location[] = [];
  for (const { uri, text, places } of yield* usesOf(index, view, found.symbol)) {
    yield;
    const own = uri === view.uri;
    const syntax = own ? view.syntax : parse(text);
    const lines = own ? view.lines : view.files.linesIn(text);
    const users = new Set(
      places.flatMap(({ start }) => {
        const path = nodeAt(syntax, start);
        const entry = path.findLast((node) => node.kind === 'entry');
        const block = path.find((node) => node.kind === 'block');
        return entry?.kind === 'entry' && block?.kind === 'block' && keys.includes(entry.key.text) ? [block] : [];
      }),
    );
    for (const { name } of users) if (name !== undefined) locations.push({ uri, range: toRange(lines, name) });
  }
  return locations;
}
