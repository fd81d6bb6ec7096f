import type { Block, Entry, Expression, SyntaxFile } from '../../../grammar/syntax.ts';
import { parametersOf } from '../../findings/finding.ts';
import { replaced, withoutItem, withoutNode } from './edits.ts';
import type { Mistake, Repair, Repairer } from './repair.ts';
import { siteAt } from './site.ts';

/** One edge of the circle less: a name out of an `after`, or another one in an `attends`. */
export const layerCycle: Repairer = { repairs };

const mostEdges = 8;

function* repairs({ analysis, finding }: Mistake): Generator<Repair | undefined> {
  const { syntax } = analysis;
  const members = new Set((parametersOf(finding, 'layer/cycle')?.circle ?? []).map(layerOf));
  const { declaration } = siteAt(syntax, finding.place.start);
  let left = mostEdges;
  const layers = (declaration?.body?.entries ?? []).filter(
    (entry): entry is Entry => entry.kind === 'entry' && entry.key.text === 'layer',
  );
  for (const layer of layers) {
    if (!members.has(layer.name?.text ?? '')) continue;
    const after = layer.body === undefined ? undefined : afterOf(layer.body);
    const attends = layer.body === undefined ? undefined : entryOf(layer.body, 'attends');
    if (attends !== undefined) yield* others(layers, attends, members);
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

/** Attention to a layer outside the circle, the last one of the file first. Only one with as many tokens as `cross` is right. */
function* others(layers: readonly Entry[], attends: Entry, members: ReadonlySet<string>): Generator<Repair> {
  const [first] = attends.values ?? [];
  const last = attends.values?.at(-1);
  if (first === undefined || last === undefined) return;
  const names = layers.map(({ name }) => name?.text ?? '').filter((name) => name !== '' && !members.has(name));
  for (const name of names.toReversed().slice(0, mostEdges))
    yield { what: `Attend to "${name}"`, edits: [replaced({ start: first.start, end: last.end }, name)] };
}

const entryOf = (body: Block, key: string): Entry | undefined =>
  body.entries.find((entry): entry is Entry => entry.kind === 'entry' && entry.key.text === key);

/** The `after` of a layer. */
export const afterOf = (body: Block): Entry | undefined => entryOf(body, 'after');

/** Layers that an entry names, one by one or in a list. */
export function itemsOf({ values = [] }: Entry): readonly Expression[] {
  const [only] = values;
  return values.length === 1 && only?.kind === 'list' ? only.items : values;
}

const layerName = (item: Expression): string | undefined =>
  item.kind === 'name' ? item.text : item.kind === 'index' ? item.target.text : undefined;

/** `block` of `block[3]`. */
export const layerOf = (element: string): string => element.replace(/\[\d+\]$/, '');
