/** Reads one `layer`: measured in braces, or derived from a shape. */
import type { MeasuredFigures } from '../costs/time.ts';
import type { LayerDefinition } from '../definitions/model.ts';
import type { Block, Entry, Expression } from '../../grammar/syntax.ts';
import { isFigure } from '../language/figureEntry.ts';
import { wholeNumber } from '../language/expressions.ts';
import { time } from '../basics/quantities.ts';
import type { ReadContext } from './context.ts';
import { missing, notApplicable, readKeys, readQuantity, valueOf, type Keys } from '../language/keys.ts';
import { isPattern, type LayerPattern, readPattern } from './layerPattern.ts';
import { readShape } from './shape.ts';
import { sequenceKeys, withTokens } from './layerTokens.ts';
import { readTrainable, trainsIn } from './trainable.ts';

export interface LayerRead {
  readonly cost: LayerDefinition['cost'];
  /** One line: `transformer`, `forward 4 ms, backward 8 ms`. */
  readonly text: string;
  readonly after?: readonly Expression[];
  /** Layers of another tower that every layer of an array needs. */
  readonly attends?: readonly Expression[];
  readonly trains?: LayerDefinition['trains'];
  /** The layer says itself what trains. */
  readonly decided?: true;
  /** Several shapes by letter; `cost` is the first. */
  readonly pattern?: LayerPattern;
}

/** Keys that are quantities of a measured layer, and the figure that each gives. */
const quantities = {
  forward: 'forward',
  backward: 'backward',
  backward_input: 'backwardInput',
  backward_weight: 'backwardWeight',
  weights: 'weights',
  activation: 'activation',
  activation_for_weight: 'activationForWeight',
  output: 'output',
  workspace: 'workspace',
} as const satisfies Readonly<Record<string, keyof MeasuredFigures>>;
const quantityKeys = Object.keys(quantities) as readonly (keyof typeof quantities)[];
const times = ['forward', 'backward', 'backward_input', 'backward_weight'] as const;

/** The layer; `undefined` where something of it is wrong, which has been reported. */
export function readLayer(context: ReadContext, entry: Entry, layers: number): LayerRead | undefined {
  if (entry.body === undefined) {
    const value = valueOf(entry);
    const read = value === undefined ? undefined : shaped(context, value, layers);
    if (read === undefined || !attendsToOthers(read.cost)) return read;
    missing(context, 'layer', 'attends', entry.name ?? entry.key);
    return undefined;
  }
  const isLiteral = entry.body.entries.every(isFigure);
  const text = isLiteral ? context.syntax.text.slice(entry.body.start, entry.body.end) : '';
  const known = isLiteral ? literal.get(text) : undefined;
  if (known !== undefined) return known;
  const reports = context.report.reports();
  const read = readBody(context, entry, entry.body, layers);
  const isWhole = read !== undefined && read.after === undefined && read.attends === undefined;
  if (isLiteral && isWhole && context.report.reports() === reports) {
    if (literal.size >= mostLiteral) literal.clear();
    // A part of a text keeps the whole text in memory; what is made of a part does not.
    literal.set(` ${text}`.slice(1), read);
  }
  return read;
}

/**
 * Layers of figures alone, by their text: they mean the same wherever they are. A file of measured layers is read again at each
 * keystroke, and an edit changes one of them.
 */
const literal = new Map<string, LayerRead>();
const mostLiteral = 20_000;

function readBody(context: ReadContext, entry: Entry, body: Block, layers: number): LayerRead | undefined {
  const keys = readKeys(context, 'layer', body, entry.name ?? entry.key);
  const after = keys.find('after')?.values;
  const attends = keys.find('attends')?.values;
  const shape = keys.find('shape');
  if (shape === undefined) {
    const read = readMeasured(context, keys, entry);
    return read === undefined ? undefined : trained(context, keys, { ...read, after, attends });
  }
  for (const key of [...quantityKeys, 'matrix']) {
    const written = keys.find(key);
    if (written !== undefined) notApplicable(context, written, 'the shape derives it');
  }
  const value = valueOf(shape);
  const read = value === undefined ? undefined : shaped(context, value, layers);
  if (read?.pattern !== undefined) {
    for (const key of [...sequenceKeys, 'attends', 'trainable']) {
      const written = keys.find(key);
      if (written !== undefined)
        notApplicable(context, written, `a pattern has layers of several shapes${ofModel(key)}`);
    }
    return { ...read, after };
  }
  const counted = read === undefined ? undefined : withTokens(context, keys, read, entry);
  if (counted === undefined) return undefined;
  const written = keys.find('attends');
  if (attendsToOthers(counted.cost)) {
    if (written === undefined) {
      missing(context, 'layer', 'attends', entry.name ?? entry.key);
      return undefined;
    }
  } else if (written !== undefined) {
    notApplicable(context, written, 'the shape has no `cross`; `after` names other layers that it needs');
    return trained(context, keys, { ...counted, after });
  }
  return trained(context, keys, { ...counted, after, attends });
}

/** Whether a shape has tokens of another tower. */
const attendsToOthers = (cost: LayerDefinition['cost']): boolean =>
  cost.kind === 'shape' && typeof cost.args['cross'] === 'number';

/** With what the layer says of its training; `undefined` where that is wrong (reported). */
function trained(context: ReadContext, keys: Keys, read: LayerRead): LayerRead | undefined {
  const entry = keys.find('trainable');
  if (entry === undefined) return read;
  const trains = readTrainable(context, entry);
  const found = trains === undefined ? 'wrong' : trainsIn(context, read.cost, trains, entry);
  if (found === 'wrong') return undefined;
  const what = found === undefined ? '' : found === 'nothing' ? ', frozen' : `, LoRA of rank ${found.rank}`;
  return { ...read, text: `${read.text}${what}`, decided: true, ...(found === undefined ? {} : { trains: found }) };
}

/** What to write in the place of a key that a layer with a pattern does not take. */
const ofModel = (key: string): string => (key === 'trainable' ? '. Write it in the model, or `frozen`' : '');

function shaped(context: ReadContext, value: Expression, layers: number): LayerRead | undefined {
  const inside = value.kind === 'group' ? value.inner : value;
  if (isPattern(inside)) {
    const pattern = readPattern(context, inside, layers);
    return pattern === undefined ? undefined : { cost: pattern.order[0].cost, text: pattern.text, pattern };
  }
  const read = readShape(context, value);
  return read === undefined
    ? undefined
    : { cost: { kind: 'shape', shape: read.shape, args: read.args }, text: read.shape };
}

function readMeasured(context: ReadContext, keys: Keys, entry: Entry): LayerRead | undefined {
  for (const key of sequenceKeys) {
    const written = keys.find(key);
    if (written !== undefined) notApplicable(context, written, 'measured times are of a whole microbatch');
  }
  const values: Partial<Record<keyof typeof quantities, number>> = {};
  const figures: { -readonly [K in (typeof quantities)[keyof typeof quantities]]?: number } = {};
  for (const key of quantityKeys) {
    const read = readQuantity(context, keys, key);
    if (read.is === 'wrong') return undefined;
    if (read.is === 'value') figures[quantities[key]] = values[key] = read.value;
  }
  const matrix = readMatrix(context, keys);
  if (matrix === 'wrong' || keys.doubtful) return undefined;
  const at = entry.name ?? entry.key;
  const half = values['backward_input'] !== undefined || values['backward_weight'] !== undefined;
  const whole = keys.find('backward');
  if (half && whole !== undefined) notApplicable(context, whole, 'its two halves are given');
  for (const [key, other] of [
    ['backward_input', 'backward_weight'],
    ['backward_weight', 'backward_input'],
  ] as const) {
    if (values[key] === undefined || values[other] !== undefined) continue;
    missing(context, 'layer', other, at);
    return undefined;
  }
  const forward = values['forward'] ?? 0;
  const backward = half ? undefined : (values['backward'] ?? 0);
  const total = forward + (backward ?? (values['backward_input'] ?? 0) + (values['backward_weight'] ?? 0));
  if (forward > 0 && !half && whole === undefined) {
    missing(context, 'layer', 'backward', at);
    return undefined;
  }
  // A time of zero that is written is a measured one.
  if (total === 0 && times.every((key) => values[key] === undefined))
    context.report.report('layer/no-cost', at, { layer: entry.name?.text ?? '' });
  const cost: LayerDefinition['cost'] = {
    kind: 'measured',
    ...{ weights: 0, activation: 0, output: 0, workspace: 0, ...figures, forward, backward },
    ...(matrix === undefined ? {} : { matrix }),
  };
  return { cost, text: `forward ${time(forward)}, backward ${time(total - forward)}` };
}

/** `matrix = [4096, 1000]`; `undefined` where it is not written. */
function readMatrix(
  context: ReadContext,
  keys: Keys,
): { readonly rows: number; readonly columns: number } | 'wrong' | undefined {
  const entry = keys.find('matrix');
  if (entry === undefined) return undefined;
  const value = valueOf(entry);
  if (value === undefined) return 'wrong';
  if (value.kind !== 'list' || value.items.length !== 2) {
    context.report.report('type/mismatch', value, {
      expected: 'inputs and outputs, such as `[4096, 1000]`',
      found: value.kind === 'list' ? `a list of ${value.items.length}` : 'something else',
    });
    return 'wrong';
  }
  const [rows, columns] = value.items.map((item, index) =>
    wholeNumber(context, item, index === 0 ? 'The number of inputs' : 'The number of outputs', { min: 1 }),
  );
  return rows === undefined || columns === undefined ? 'wrong' : { rows, columns };
}
