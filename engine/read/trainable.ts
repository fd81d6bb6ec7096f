/** Reads `trainable = false` or `trainable = lora(rank = 16, targets = [q, v])`, of a layer or of a model. */
import { adapterProblem, expertsProblem, targetsOf } from '../costs/transformer.ts';
import { type Lora, type LoraTarget, loraTargets } from '../costs/types.ts';
import type { LayerDefinition, ModelDefinition } from '../definitions/model.ts';
import type { Argument, Call, Entry, Expression } from '../../grammar/syntax.ts';
import { evaluate, quantity, wholeNumber } from '../language/expressions.ts';
import { type Keys, valueOf } from '../language/keys.ts';
import { describe } from '../language/values.ts';
import { bindArguments } from './arguments.ts';
import type { ReadContext } from './context.ts';
import { asWritten } from '../language/canonical.ts';

/** What trains: `all`, `nothing`, or adapters. */
export type Trains = 'all' | 'nothing' | Lora;

const parameters = ['rank', 'targets', 'alpha', 'dropout', 'weights', 'experts'];

/** `undefined` if the value is wrong, which has been reported. */
export function readTrainable(context: ReadContext, entry: Entry): Trains | undefined {
  const value = valueOf(entry);
  return value === undefined ? undefined : trainsOf(context, value);
}

function trainsOf(context: ReadContext, value: Expression): Trains | undefined {
  if (value.kind === 'group') return trainsOf(context, value.inner);
  if (value.kind === 'call') return value.callee.text === 'lora' ? readLora(context, value) : undefined;
  if (value.kind === 'name') {
    if (value.text === 'true') return 'all';
    if (value.text === 'false') return 'nothing';
    if (value.text !== 'lora') return undefined;
    context.report.report('key/missing', value, { key: 'rank', block: 'call to lora', example: 'lora(rank = 16)' });
    return undefined;
  }
  const before = context.report.errors();
  const found = evaluate(context, value);
  if (found?.kind === 'truth') return found.value ? 'all' : 'nothing';
  // The words `true` and `false` have no value in a list or a sum.
  if (context.report.errors() === before)
    context.report.report('type/mismatch', value, {
      expected: '`true`, `false` or `lora(rank = 16)`',
      found: found === undefined ? (value.kind === 'list' ? 'a list' : 'another expression') : describe(found),
    });
  return undefined;
}

function readLora(context: ReadContext, call: Call): Lora | undefined {
  const bound = bindArguments(context, call, 'lora', parameters);
  if (bound === undefined) return undefined;
  const rank = bound.get('rank');
  if (rank === undefined) {
    context.report.report('key/missing', call.callee, {
      key: 'rank',
      block: 'call to lora',
      example: 'lora(rank = 16)',
    });
    return undefined;
  }
  const rows = wholeNumber(context, rank.value, '"rank"', { min: 1 });
  const share = numberOf(context, bound.get('dropout'), 'dropout', { min: 0, max: 1 });
  const alpha = numberOf(context, bound.get('alpha'), 'alpha', { min: 0 });
  const weights = bound.get('weights')?.value;
  const packed = weights === undefined ? false : wordOf(context, weights, ['model', 'nf4']);
  const shared = bound.get('experts')?.value;
  const experts = shared === undefined ? undefined : wordOf(context, shared, ['each', 'shared']);
  if (shared !== undefined && experts === undefined) return undefined;
  const targets = bound.get('targets');
  const named = targets === undefined ? undefined : readTargets(context, targets.value);
  if (rows === undefined || share === undefined || alpha === undefined || packed === undefined) return undefined;
  if (targets !== undefined && named === undefined) return undefined;
  return {
    rank: rows,
    ...(named === undefined ? {} : { targets: named }),
    dropout: share > 0,
    packed: packed === 'nf4',
    ...(experts === undefined ? {} : { experts }),
  };
}

function numberOf(
  context: ReadContext,
  argument: Argument | undefined,
  name: string,
  bounds: { readonly min: number; readonly max?: number },
): number | undefined {
  if (argument === undefined) return 0;
  return quantity(context, argument.value, { kind: 'quantity', dimension: 'number', ...bounds }, `"${name}"`);
}

/** One of the words; `undefined` for anything else (reported). */
function wordOf<W extends string>(context: ReadContext, value: Expression, words: readonly W[]): W | undefined {
  const word = value.kind === 'name' ? words.find((each) => each === value.text) : undefined;
  if (word !== undefined) return word;
  // An unknown name has been reported where names get their meaning.
  if (value.kind !== 'name' || context.links.has(value))
    context.report.report('type/mismatch', value, {
      expected: words.map((each) => `\`${each}\``).join(' or '),
      found: asWritten(context, value),
    });
  return undefined;
}

/** `[q, v]`, or one target. */
function readTargets(context: ReadContext, value: Expression): readonly LoraTarget[] | undefined {
  const items = value.kind === 'list' ? value.items : [value];
  if (items.length === 0) {
    context.report.report('type/mismatch', value, {
      expected: 'a list of targets such as `[q, v]`',
      found: 'an empty list',
    });
    return undefined;
  }
  const found = new Set<LoraTarget>();
  for (const item of items) {
    const word = wordOf(context, item, loraTargets);
    if (word === undefined) return undefined;
    found.add(word);
  }
  return [...found];
}

/** The most rows that an adapter of a layer can use: one side of each product is at most so wide. */
function widthOf(cost: LayerDefinition['cost']): number {
  if (cost.kind !== 'shape') return 0;
  const numberOf = (name: string): number => (typeof cost.args[name] === 'number' ? cost.args[name] : 0);
  return cost.shape === 'linear' ? Math.min(numberOf('inputs'), numberOf('outputs')) : numberOf('hidden');
}

/** Warns of a rank over the width of all layers that have the adapters. */
function checkRank(context: ReadContext, entry: Entry, { rank }: Lora, widths: readonly number[]): void {
  const most = Math.max(0, ...widths);
  if (most === 0 || rank <= most) return;
  const value = valueOf(entry);
  const written = value?.kind === 'call' ? value.arguments.find(({ name }) => name?.text === 'rank') : undefined;
  const allowed = `at most ${most}, the width of the layer. Higher ranks add memory and time, and nothing that ${most} cannot learn`;
  context.report.report(
    'value/range',
    written?.value ?? value ?? entry,
    { what: '"rank"', value: String(rank), allowed, advised: true },
    { severity: 'warning' },
  );
}

/** What `trainable` makes of a layer; `wrong` where it does not fit, which has been reported. */
export function trainsIn(
  context: ReadContext,
  cost: LayerDefinition['cost'],
  trains: Trains,
  entry: Entry,
): LayerDefinition['trains'] | 'wrong' {
  if (trains === 'all') return undefined;
  if (trains === 'nothing') return 'nothing';
  const at = valueOf(entry) ?? entry;
  const found =
    cost.kind === 'measured'
      ? 'the layer is measured: give the times and bytes of the layer with its adapters'
      : cost.shape === 'transformer'
        ? adapterProblem(cost.args, trains)
        : cost.shape === 'linear'
          ? trains.targets === undefined
            ? undefined
            : 'a linear layer has one product: leave out targets'
          : `only transformer and linear layers have adapters, and this is ${cost.shape}`;
  if (found === undefined) {
    checkRank(context, entry, trains, [widthOf(cost)]);
    return trains;
  }
  context.report.report('type/mismatch', at, {
    expected: 'a layer that can have these adapters',
    found: `that ${found}`,
  });
  return 'wrong';
}

/** What a model's `trainable` makes of a layer that says nothing: adapters only where they are known, everything else is frozen. */
export function trainsByModel(cost: LayerDefinition['cost'], trains: Trains): LayerDefinition['trains'] {
  if (trains === 'all') return undefined;
  if (trains === 'nothing') return 'nothing';
  return cost.kind === 'shape' && cost.shape === 'transformer' ? trains : 'nothing';
}

/** Whether each target of a model's adapters is a product of one of its layers; a target that no layer has is reported. */
export function checkTargets(
  context: ReadContext,
  { layers }: Pick<ModelDefinition, 'layers'>,
  keys: Keys,
  trains: Trains,
): boolean {
  const entry = keys.find('trainable');
  if (entry === undefined || typeof trains !== 'object') return true;
  checkRank(
    context,
    entry,
    trains,
    layers.filter(({ cost }) => cost.kind === 'shape' && cost.shape === 'transformer').map(({ cost }) => widthOf(cost)),
  );
  const shapes = layers.flatMap(({ cost }) =>
    cost.kind === 'shape' && cost.shape === 'transformer' ? [cost.args] : [],
  );
  const problems = shapes.map((args) => expertsProblem(args, trains));
  const [problem] = problems;
  if (problem !== undefined && !problems.includes(undefined)) {
    context.report.report('type/mismatch', valueOf(entry) ?? entry, {
      expected: 'a model that can have these adapters',
      found: `that ${problem}`,
    });
    return false;
  }
  const known = new Set(shapes.flatMap(targetsOf));
  // A model without such layers trains nothing, which is reported elsewhere.
  const absent = known.size === 0 ? [] : (trains.targets ?? []).filter((target) => !known.has(target));
  if (absent.length === 0) return true;
  context.report.report('type/mismatch', valueOf(entry) ?? entry, {
    expected: `targets that a layer of the model has: ${[...known].join(', ')}`,
    found: absent.join(', '),
  });
  return false;
}
