/** The `layers` of stage blocks, as lists of single layers. */
import type { Entry, Expression, SyntaxFile } from '../../../grammar/syntax.ts';
import { writtenLayers } from '../layers.ts';
import type { Edit } from '../proposal.ts';
import { entriesOf, setKey } from '../source.ts';
import { replaced } from './edits.ts';
import { itemsOf } from './layerCycle.ts';
import { siteAt } from './site.ts';

/** A stage block with the layers that it names. */
export interface WrittenStage {
  readonly name: string;
  readonly entry: Entry;
  /** Absent where they are not written as plain names and numbers. */
  readonly layers?: readonly string[];
}

const mostElements = 20_000;

/** The stage blocks of the pipeline around an offset, in order. */
export function stagesAround(syntax: SyntaxFile, offset: number): readonly WrittenStage[] {
  const { declaration } = siteAt(syntax, offset);
  if (declaration?.keyword.text !== 'pipeline' || declaration.body === undefined) return [];
  const [model] = entriesOf(declaration.body, 'model')[0]?.values ?? [];
  const counts = model?.kind === 'name' ? layerCounts(syntax, model.text) : new Map<string, number>();
  return entriesOf(declaration.body, 'stage').map((entry) => ({
    name: entry.name?.text ?? '',
    entry,
    layers: entry.body === undefined ? undefined : elementsOf(entriesOf(entry.body, 'layers')[0], counts),
  }));
}

/** Number of layers of each array of a model of this file; single layers have none. */
function layerCounts(syntax: SyntaxFile, model: string): ReadonlyMap<string, number> {
  const out = new Map<string, number>();
  for (const declaration of syntax.declarations) {
    if (declaration.kind !== 'block' || declaration.name?.text !== model || declaration.body === undefined) continue;
    for (const layer of entriesOf(declaration.body, 'layer')) {
      const [index] = layer.index ?? [];
      if (layer.name !== undefined && index?.kind === 'quantity') out.set(layer.name.text, index.value);
    }
  }
  return out;
}

function elementsOf(entry: Entry | undefined, counts: ReadonlyMap<string, number>): readonly string[] | undefined {
  const out: string[] = [];
  for (const item of entry === undefined ? [] : itemsOf(entry)) {
    const names = named(item, counts);
    if (names === undefined || out.length + names.length > mostElements) return undefined;
    out.push(...names);
  }
  return out;
}

function named(item: Expression, counts: ReadonlyMap<string, number>): readonly string[] | undefined {
  if (item.kind === 'missing') return [];
  if (item.kind === 'name') {
    const count = counts.get(item.text);
    return count === undefined ? [item.text] : Array.from({ length: count }, (_, index) => `${item.text}[${index}]`);
  }
  if (item.kind !== 'index' || item.arguments.length !== 1) return undefined;
  const [{ value }] = item.arguments;
  if (value.kind === 'quantity') return [`${item.target.text}[${value.value}]`];
  if (value.kind !== 'range' || value.from.kind !== 'quantity' || value.to.kind !== 'quantity') return undefined;
  const last = value.exclusive ? value.to.value - 1 : value.to.value;
  const count = Math.max(0, Math.min(mostElements, last - value.from.value + 1));
  const first = value.from.value;
  return Array.from({ length: count }, (_, index) => `${item.target.text}[${first + index}]`);
}

/** Writes other layers into a stage; a list in brackets stays one. */
export function withLayers({ text }: SyntaxFile, { entry }: WrittenStage, layers: readonly string[]): Edit | undefined {
  if (entry.body === undefined || layers.length === 0) return undefined;
  const [value] = entriesOf(entry.body, 'layers')[0]?.values ?? [];
  const written = writtenLayers(layers);
  if (value?.kind === 'list') return replaced({ start: value.start, end: value.end }, `[${written}]`);
  return setKey(text, entry.body, 'layers', written);
}

/** `block[2..3]` as its layers. */
export function piece(text: string): readonly string[] {
  const range = /^(.*)\[(\d+)\.\.(\d+)\]$/.exec(text);
  if (range === null) return [text];
  const [from, to] = [Number(range[2]), Number(range[3])];
  return Array.from({ length: Math.min(mostElements, to - from + 1) }, (_, index) => `${range[1]}[${from + index}]`);
}

/** Layers of one array in order. Other layers keep their places. */
export function inOrder(layers: readonly string[]): readonly string[] {
  const index = (layer: string): number => Number(/\[(\d+)\]$/.exec(layer)?.[1] ?? 0);
  const stem = (layer: string): string => layer.replace(/\[\d+\]$/, '');
  return layers.toSorted((a, b) => (stem(a) === stem(b) ? index(a) - index(b) : 0));
}
