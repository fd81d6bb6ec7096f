import type { Block, Entry, Expression, SyntaxFile } from '../../../grammar/syntax.ts';
import { parametersOf } from '../../findings/finding.ts';
import { replaced, withoutItem, withoutNode } from './edits.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { siteAt } from './site.ts';

/** One edge of the circle less: a name out of an `after`. */
export const layerCycle: Repairer = { repairs };

const mostEdges = 8;

function* repairs({ analysis, finding }: Mistake): Generator<Repair | undefined> {
  const { syntax } = analysis;
  const members = new Set((parametersOf(finding, 'layer/cycle')?.circle ?? []).map(layerOf));
  const { declaration } = siteAt(syntax, finding.place.start);
  let left = mostEdges;
  for (const layer of declaration?.body?.entries ?? []) {
    if (layer.kind !== 'entry' || layer.key.text !== 'layer' || !members.has(layer.name?.text ?? '')) continue;
    const after = layer.body === undefined ? undefined : afterOf(layer.body);
    if (after === undefined) continue;
    const items = itemsOf(after);
    for (const [index, item] of items.entries()) {
      const name = layerName(item);
      if (name === undefined || !members.has(name) || left <= 0) continue;
      left -= 1;
      yield* edge(syntax, layer, after, index, syntax.text.slice(item.start, item.end));
    }
  }
}

/** Without one layer of an `after`. A layer whose `after` names no other then follows the layer above it, or needs none. */
function* edge(syntax: SyntaxFile, layer: Entry, after: Entry, index: number, needed: string): Generator<Repair> {
  const items = itemsOf(after);
  const name = layer.name?.text ?? '';
  const what = `Remove "${needed}" from the after of "${name}"`;
  if (items.length > 1) yield { what, edits: [withoutItem(items, index)] };
  else {
    yield { what, edits: [withoutNode(syntax, after)], group: name };
    const [first] = after.values ?? [];
    const last = after.values?.at(-1);
    if (first !== undefined && last !== undefined)
      yield {
        what: `Let "${name}" need no layer`,
        edits: [replaced({ start: first.start, end: last.end }, '[]')],
        group: name,
      };
  }
}

/** The `after` of a layer. */
export const afterOf = (body: Block): Entry | undefined =>
  body.entries.find((entry): entry is Entry => entry.kind === 'entry' && entry.key.text === 'after');

/** Layers that an entry names, one by one or in a list. */
export function itemsOf({ values = [] }: Entry): readonly Expression[] {
  const [only] = values;
  return values.length === 1 && only?.kind === 'list' ? only.items : values;
}

const layerName = (item: Expression): string | undefined =>
  item.kind === 'name' ? item.text : item.kind === 'index' ? item.target.text : undefined;

/** `block` of `block[3]`. */
export const layerOf = (element: string): string => element.replace(/\[\d+\]$/, '');
