/** Reads a `model`: its layers, spread out within the limit, and which layers they need. */
import type { ModelSource } from './modelSource.ts';
import type { LayerDefinition, ModelDefinition } from '../definitions/model.ts';
import type { BlockDeclaration, Entry, Span } from '../../grammar/syntax.ts';
import { count } from '../basics/quantities.ts';
import { detail, symbolId } from '../language/context.ts';
import { defaultNumber, defaultWord } from '../language/defaults.ts';
import type { ReadContext } from './context.ts';
import { memberId } from '../language/declare.ts';
import type { Precision } from '../costs/types.ts';
import { wholeNumber } from '../language/expressions.ts';
import { missing, notApplicable, or, readKeys, readQuantity, readWord, valueOf, type Keys } from '../language/keys.ts';
import { paths } from '../values/plan.ts';
import { readDecided, withDecided } from './decidedArguments.ts';
import { readLayer } from './layer.ts';
import { runsOf } from './layerPattern.ts';
import { noteShapes } from './layerShapes.ts';
import { baseOf, inheritLayers } from './inherit.ts';
import { checkGraph } from './layerGraph.ts';
import { readLayers } from './layerSet.ts';
import { checkJoins } from './checkJoins.ts';
import { checkTowers } from './checkTowers.ts';
import { checkWidths } from './checkWidths.ts';
import { checkTraining } from './checkTraining.ts';
import { readConstants } from './constants.ts';
import { readStored } from './stored.ts';
import { checkTargets, readTrainable, type Trains, trainsByModel } from './trainable.ts';

/** Reads a `model` declaration; nothing is defined where a layer of it is wrong. */
export function readModel(context: ReadContext, block: BlockDeclaration): void {
  const before = context.report.errors();
  const at = block.name ?? block.keyword;
  const keys = readKeys(context, 'model', block.body, at);
  const from = keys.find('from');
  const source = from === undefined ? undefined : context.sources.get(from);
  const length = readQuantity(context, keys, 'sequence');
  const base = baseOf(context, from);
  const microBatch = or(
    readQuantity(context, keys, 'micro_batch'),
    base?.microBatch ?? defaultNumber('model', 'micro_batch'),
  );
  const precision = or(
    readWord<Precision>(context, keys, 'precision'),
    source?.precision ?? base?.precision ?? (defaultWord('model', 'precision') as Precision),
  );
  const training = keys.find('trainable');
  const trainable = training === undefined ? 'all' : readTrainable(context, training);
  const stored = readStored(context, keys, precision);
  const constants = readConstants(context, keys, source?.constants ?? base?.constants);
  const decided = readDecided(context, keys);
  if (block.name === undefined || trainable === undefined || stored === 'wrong' || decided === undefined) return;
  // A model of another length is not the one that is meant: what uses it would be wrong about its tokens.
  if (length.is === 'wrong') return;
  const id = symbolId('model', block.name.text);
  if (from !== undefined && base !== undefined) {
    for (const entry of keys.all('layer')) notApplicable(context, entry, 'the layers come from another model');
    const sequence = or(length, base.sequence);
    if (microBatch === undefined || precision === undefined || context.report.errors() !== before || keys.doubtful)
      return;
    const { name } = block;
    const inherited = inheritLayers(context, base, name.text, from);
    const layers = withDecided(context, keys, inherited.layers, decided).map(({ trains, ...layer }) => ({
      ...layer,
      ...(training === undefined && trains !== undefined ? { trains } : byModel(layer, trainable)),
    }));
    const still = readFrozen(context, keys, layers);
    const bf16 = readBf16(context, keys, layers, precision);
    if (context.report.errors() !== before) return;
    const all = new Set([...(training === undefined ? (base.frozen ?? []) : []), ...(still ?? [])]);
    const formats = stored ?? (precision === base.precision ? base.stored : undefined);
    const model: ModelDefinition = {
      ...{ name: name.text, sequence, microBatch, precision, ...inherited, layers, ...constants },
      ...(all.size > 0 ? { frozen: all } : {}),
      ...(formats === undefined ? {} : { stored: formats }),
      ...(keys.find('in_bf16') === undefined && precision === base.precision && base.inBf16 !== undefined
        ? { inBf16: base.inBf16 }
        : bf16),
    };
    if (!checkTraining(context, model, keys) || !checkTargets(context, model, keys, trainable)) return;
    if (!checkTowers(context, model) || !checkJoins(context, model, keys)) return;
    context.models.set(id, model);
    noteShapes(context, model);
    return detail(context, id, `${count(base.elements, 'layer', 'layers')}, ${precision}`);
  }
  // What is wrong with a source has been reported.
  if (from !== undefined && source === undefined) return;
  const sequence = or(length, source?.sequence);
  const written =
    source === undefined || from === undefined
      ? readAll(context, keys, id)
      : readSource(context, keys, id, source, from);
  if (written === undefined || context.report.errors() !== before || keys.doubtful) return;
  const { afters, elements } = written;
  const layers = withDecided(context, keys, written.layers, decided).map((layer) =>
    written.decided?.has(layer.name) === true ? layer : { ...layer, ...byModel(layer, trainable) },
  );
  if (layers.length === 0) {
    missing(context, 'model', 'layer', at);
    return;
  }
  const firstShape = layers.find((layer) => layer.cost.kind === 'shape');
  if (firstShape !== undefined && length.is === 'absent' && sequence === undefined)
    return missing(context, 'model', 'sequence', at);
  const layerOf = new Int32Array(elements);
  for (const [index, layer] of layers.entries()) layerOf.fill(index, layer.first, layer.first + layer.count);
  const after = new Map<number, readonly number[]>();
  const attended = new Map<number, readonly number[]>();
  let named = 0;
  let unread = false;
  for (const { element, values, elements: known, at: place, attends } of afters) {
    const above = element === 0 ? [] : [element - 1];
    const needs = known ?? (values === undefined ? above : readLayers(context, values, layers, 'last'));
    // One mistake of an array is reported once.
    const others =
      attends === undefined ? [] : (attended.get(layerOf[element]) ?? readLayers(context, attends, layers, 'last'));
    if (needs === undefined || others === undefined) {
      unread = true;
      continue;
    }
    if (attends !== undefined) attended.set(layerOf[element], others);
    const needed = [...new Set([...needs, ...others])];
    named += needed.length;
    if (named > mostNeeds(context)) {
      tooMany(context, place, 'Layers named in `after`', named, mostNeeds(context));
      return;
    }
    after.set(element, needed);
  }
  const frozen = readFrozen(context, keys, layers);
  const bf16 = readBf16(context, keys, layers, precision);
  if (microBatch === undefined || precision === undefined || context.report.errors() !== before) return;
  const model: ModelDefinition = {
    name: block.name.text,
    sequence,
    microBatch,
    precision,
    layers: layers.map((layer, index) => {
      const attends = attended.get(index);
      return attends === undefined ? layer : { ...layer, attends };
    }),
    elements,
    layerOf,
    after,
    ...(frozen === undefined ? {} : { frozen: new Set(frozen) }),
    ...(stored === undefined ? {} : { stored }),
    ...bf16,
    ...constants,
  };
  if (!checkTraining(context, model, keys) || !checkTargets(context, model, keys, trainable)) return;
  if (!checkTowers(context, model)) return;
  // A layer whose name is not known may be what uses another one.
  if (!unread && !checkGraph(context, model, { sinks: source === undefined ? 'one' : 'any' })) return;
  // Layers of a source are its own matter: no edit of this file changes them.
  if (!unread && source === undefined) checkWidths(context, model);
  if (!unread && source === undefined && !checkJoins(context, model, keys)) return;
  context.models.set(id, model);
  noteShapes(context, model);
  detail(context, id, `${count(elements, 'layer', 'layers')}, ${precision}`);
}

/** What a model's `trainable` makes of a layer. */
function byModel(layer: Pick<LayerDefinition, 'cost'>, trainable: Trains): Pick<LayerDefinition, 'trains'> {
  const trains = trainsByModel(layer.cost, trainable);
  return trains === undefined ? {} : { trains };
}

/** Elements that `frozen` names. */
function readFrozen(
  context: ReadContext,
  keys: Keys,
  layers: readonly LayerDefinition[],
): readonly number[] | undefined {
  const values = keys.find('frozen')?.values;
  return values === undefined ? undefined : readLayers(context, values, layers);
}

/** Elements that `in_bf16` names, in a model of fewer bits. */
function readBf16(
  context: ReadContext,
  keys: Keys,
  layers: readonly LayerDefinition[],
  precision: Precision | undefined,
): Pick<ModelDefinition, 'inBf16'> {
  const entry = keys.find('in_bf16');
  if (entry?.values === undefined) return {};
  if (precision !== 'fp8' && precision !== 'fp4') {
    notApplicable(context, entry, `the model multiplies in ${precision ?? 'bf16'}`);
    return {};
  }
  const found = readLayers(context, entry.values, layers);
  return found === undefined ? {} : { inBf16: new Set(found) };
}

/** Skip connections of a model: as many as ten for each layer that it may have. */
const mostNeeds = (context: ReadContext): number => 10 * context.options.limits.elements;

function tooMany(context: ReadContext, at: Span, what: string, figure: number, limit: number): void {
  context.report.report('limit/too-large', at, {
    what,
    figure: figure.toLocaleString('en-US'),
    limit: limit.toLocaleString('en-US'),
    setting: 'pipewright.limits.elements',
  });
}

/** A layer that names those it needs, in the file or in its source. */
interface After {
  readonly element: number;
  readonly at: Span;
  /** Of `after`; absent: the layer above. */
  readonly values?: Entry['values'];
  readonly attends?: Entry['values'];
  readonly elements?: readonly number[];
}

interface Written {
  /** Names of layers that have the key `trainable`. */
  readonly decided?: ReadonlySet<string>;
  readonly layers: readonly LayerDefinition[];
  readonly afters: readonly After[];
  readonly elements: number;
}

/** Layers of a source; their place is the place of `from`. */
function readSource(
  context: ReadContext,
  keys: Keys,
  model: string,
  source: ModelSource,
  from: Entry,
): Written | undefined {
  for (const entry of keys.all('layer')) notApplicable(context, entry, 'the layers come from another file');
  const place = context.report.place(valueOf(from) ?? from);
  const owner = model.slice(model.indexOf(':') + 1);
  const layers: LayerDefinition[] = [];
  const afters: After[] = [];
  let elements = 0;
  // The last element of each layer of the source.
  const lasts: number[] = [];
  for (const { name, count: written, cost, pattern, after, attends } of source.layers) {
    const number = written ?? 1;
    if (elements + number > context.options.limits.elements) {
      tooMany(context, place, 'Layers of a model', elements + number, context.options.limits.elements);
      return undefined;
    }
    const array = written !== undefined;
    const others = attends === undefined ? [] : [lasts[attends]];
    const first = after?.map((index) => lasts[index]) ?? (elements === 0 ? [] : [elements - 1]);
    if (after !== undefined || attends !== undefined)
      afters.push({ element: elements, at: place, elements: [...first, ...others] });
    for (let i = 1; attends !== undefined && i < number; i += 1)
      afters.push({ element: elements + i, at: place, elements: [elements + i - 1, ...others] });
    const layer = { name, array, symbol: memberId('layer', model, name), place, end: from.end };
    if (pattern === undefined)
      layers.push({
        ...{ ...layer, count: number, first: elements, cost },
        ...(attends === undefined ? {} : { attends: others }),
      });
    else
      for (const { kind, at, count: some } of runsOf({ order: [...pattern.letters] }, number))
        layers.push({
          ...{ ...layer, count: some, first: elements + at, cost: pattern.costs[kind] },
          run: { letter: kind, at, of: number },
        });
    lasts.push(elements + number - 1);
    context.origins.set(paths.layer(owner, name), place);
    for (let i = 0; array && i < number; i += 1) context.origins.set(paths.layer(owner, `${name}[${i}]`), place);
    elements += number;
  }
  return { layers, afters, elements };
}

function readAll(context: ReadContext, keys: Keys, model: string): Written | undefined {
  const layers: LayerDefinition[] = [];
  const afters: After[] = [];
  let elements = 0;
  const decided = new Set<string>();
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
    const read = readLayer(context, entry, number ?? 1);
    if (number === undefined || read === undefined) {
      whole = false;
      continue;
    }
    if (elements + number > context.options.limits.elements) {
      tooMany(context, index ?? name, 'Layers of a model', elements + number, context.options.limits.elements);
      return undefined;
    }
    const { id: symbol, declaration: place } = info;
    const written = { name: name.text, array: index !== undefined, symbol, place };
    if (read.pattern === undefined)
      layers.push({
        ...written,
        count: number,
        first: elements,
        end: entry.end,
        cost: read.cost,
        ...(read.trains === undefined ? {} : { trains: read.trains }),
      });
    else
      for (const { kind, at, count: some } of runsOf(read.pattern, number))
        layers.push({
          ...{ ...written, count: some, first: elements + at, end: kind.end, cost: kind.cost },
          run: { letter: kind.letter, at, of: number },
        });
    if (read.decided === true) decided.add(name.text);
    context.origins.set(paths.layer(owner, name.text), place);
    for (let i = 0; i < (index === undefined ? 0 : number); i += 1)
      context.origins.set(paths.layer(owner, `${name.text}[${i}]`), place);
    const spread = index === undefined || read.pattern !== undefined;
    detail(context, symbol, `${read.text}${spread ? '' : `, ${count(number, 'layer', 'layers')}`}`);
    if (read.after !== undefined || read.attends !== undefined)
      afters.push({ element: elements, at: read.after?.[0] ?? name, values: read.after, attends: read.attends });
    // Every layer of an array attends to the same tokens.
    for (let i = 1; read.attends !== undefined && i < number; i += 1)
      afters.push({ element: elements + i, at: read.attends[0] ?? name, attends: read.attends });
    elements += number;
  }
  return whole ? { layers, afters, elements, decided } : undefined;
}
