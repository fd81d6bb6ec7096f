/** Reads a `model`: its layers, spread out within the limit, and which layers they need. */
import type { BlockDeclaration, Entry, Span } from '../../../grammar/syntax.ts';
import { count } from '../../quantities.ts';
import { type FileContext, detail, symbolId } from '../context.ts';
import type { Precision } from '../costs/types.ts';
import type { LayerDefinition, ModelDefinition } from '../definitions.ts';
import { wholeNumber } from '../evaluate.ts';
import { missing, or, readKeys, readQuantity, readWord, type Keys } from '../keys.ts';
import { paths } from '../plan.ts';
import { readLayer } from './layer.ts';
import { checkGraph } from './layerGraph.ts';
import { readLayers } from './layerSet.ts';

/** Reads a `model` declaration; nothing is defined where a layer of it is wrong. */
export function readModel(context: FileContext, block: BlockDeclaration): void {
  const before = context.report.errors();
  const at = block.name ?? block.keyword;
  const keys = readKeys(context, 'model', block.body, at);
  const sequence = readQuantity(context, keys, 'sequence');
  const microBatch = or(readQuantity(context, keys, 'micro_batch'), 1);
  const precision = or(readWord<Precision>(context, keys, 'precision'), 'bf16');
  if (block.name === undefined) return;
  const id = symbolId('model', block.name.text);
  const written = readAll(context, keys, id);
  if (written === undefined || context.report.errors() !== before || keys.doubtful) return;
  const { layers, afters, elements } = written;
  if (layers.length === 0) {
    if (keys.one('from') === undefined) missing(context, 'model', 'layer', at);
    return;
  }
  const firstShape = layers.find((one) => one.cost.kind === 'shape');
  if (firstShape !== undefined && sequence.is === 'absent') return missing(context, 'model', 'sequence', at);
  const layerOf = new Int32Array(elements);
  for (const [index, layer] of layers.entries()) layerOf.fill(index, layer.first, layer.first + layer.count);
  const after = new Map<number, readonly number[]>();
  let needs = 0;
  for (const { element, values } of afters) {
    const needed = readLayers(context, values, layers, 'last');
    if (needed === undefined) continue;
    needs += needed.length;
    if (needs > mostNeeds(context)) {
      tooMany(context, values[0], 'Layers named in `after`', needs, mostNeeds(context));
      return;
    }
    after.set(element, needed);
  }
  if (microBatch === undefined || precision === undefined || context.report.errors() !== before) return;
  const model: ModelDefinition = {
    name: block.name.text,
    sequence: or(sequence, undefined),
    microBatch,
    precision,
    layers,
    elements,
    layerOf,
    after,
  };
  if (!checkGraph(context, model)) return;
  context.models.set(id, model);
  detail(context, id, `${count(elements, 'layer', 'layers')}, ${precision}`);
}

/** Skip connections of a model: as many as ten for each layer that it may have. */
const mostNeeds = (context: FileContext): number => 10 * context.options.limits.elements;

function tooMany(context: FileContext, at: Span, what: string, figure: number, limit: number): void {
  context.report.report('limit/too-large', at, {
    what,
    figure: figure.toLocaleString('en-US'),
    limit: limit.toLocaleString('en-US'),
    setting: 'pipewright.limits.elements',
  });
}

/** A layer that names those it needs. */
interface After {
  readonly element: number;
  readonly values: NonNullable<Entry['values']>;
}

function readAll(
  context: FileContext,
  keys: Keys,
  model: string,
):
  | { readonly layers: readonly LayerDefinition[]; readonly afters: readonly After[]; readonly elements: number }
  | undefined {
  const layers: LayerDefinition[] = [];
  const afters: After[] = [];
  let elements = 0;
  let whole = true;
  const members = context.members.get(model);
  const owner = model.slice(model.indexOf(':') + 1);
  for (const entry of keys.all('layer')) {
    const { name } = entry;
    // A layer without a name, or with one that is taken, has been reported; the model is left out.
    const info = name === undefined ? undefined : members?.get(name.text);
    if (name === undefined || info?.declaration?.start !== name.start) {
      whole = false;
      continue;
    }
    const index = entry.index?.[0];
    const number =
      index === undefined ? 1 : wholeNumber(context, index, `The number of layers "${name.text}"`, { min: 1 });
    const read = readLayer(context, entry);
    if (number === undefined || read === undefined) {
      whole = false;
      continue;
    }
    if (elements + number > context.options.limits.elements) {
      tooMany(context, index ?? name, 'Layers of a model', elements + number, context.options.limits.elements);
      return undefined;
    }
    const { id: symbol, declaration: place } = info;
    layers.push({
      name: name.text,
      array: index !== undefined,
      count: number,
      first: elements,
      symbol,
      place,
      end: entry.end,
      cost: read.cost,
    });
    context.origins.set(paths.layer(owner, name.text), place);
    for (let i = 0; i < (index === undefined ? 0 : number); i += 1)
      context.origins.set(paths.layer(owner, `${name.text}[${i}]`), place);
    detail(context, symbol, `${read.text}${index === undefined ? '' : `, ${count(number, 'layer', 'layers')}`}`);
    if (read.after !== undefined) afters.push({ element: elements, values: read.after });
    elements += number;
  }
  return whole ? { layers, afters, elements } : undefined;
}
