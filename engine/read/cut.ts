/** Reads how a pipeline cuts its model: `stages = balance(n)`, `stages = split(…)`, `stages = plan(…)`, or `stage` blocks. */
import { allocations, pipedreamObjectives, planners } from '../language/schema/words.ts';
import type { BalanceBy, Cut } from '../definitions/cut.ts';

import type { PlanCut } from '../definitions/cut.ts';
import type { Replication } from '../definitions/cut.ts';
import type { StageBlock } from '../definitions/cut.ts';
import { elementName, type ModelDefinition } from '../definitions/model.ts';
import type { Mesh } from '../costs/mesh.ts';
import { count, list } from '../basics/quantities.ts';
import type { Call, Entry, Expression, Span } from '../../grammar/syntax.ts';
import type { ReadContext } from './context.ts';
import { evaluate, quantity, wholeNumber } from '../language/expressions.ts';
import { missing, notApplicable, readKeys, readWord, valueOf, type Keys } from '../language/keys.ts';
import { describe } from '../language/values.ts';
import { bindArguments } from './arguments.ts';
import { readEnd } from './deviceSet.ts';
import { readLayers } from './layerSet.ts';
import { readMesh } from './mesh.ts';
import { readRecompute } from './recompute.ts';
import { stageCount, type StagePlaces } from './stageCount.ts';
import { asWritten } from '../language/canonical.ts';

const balanceBy = ['time', 'memory', 'both'] as const;

/**
 * The cut; `undefined` where it is wrong, which has been reported. `at` is where a missing one is reported. `places`: what the number of
 * stages follows from if the file does not say it; absent where that is wrong.
 */
export function readCut(
  context: ReadContext,
  keys: Keys,
  model: ModelDefinition,
  mesh: Mesh,
  at: Span,
  places: StagePlaces | undefined,
): Cut | PlanCut | undefined {
  const blocks = keys.all('stage');
  const entry = keys.find('stages');
  if (blocks.length > 0) {
    if (entry !== undefined) notApplicable(context, entry, 'the `stage` blocks cut the model');
    return readBlocks(context, blocks, model, mesh);
  }
  if (entry === undefined) {
    if (!keys.doubtful) missing(context, 'pipeline', 'stages', at);
    return undefined;
  }
  const value = valueOf(entry);
  return value === undefined ? undefined : readCall(context, value, model, places);
}

function readCall(
  context: ReadContext,
  value: Expression,
  model: ModelDefinition,
  places: StagePlaces | undefined,
): Cut | PlanCut | undefined {
  if (value.kind === 'group') return readCall(context, value.inner, model, places);
  if (value.kind === 'name' && value.text === 'balance' && context.links.get(value)?.startsWith('function:') === true)
    return balanced(context, value, model, 'time', places);
  if (value.kind !== 'call') {
    const known = value.kind === 'name' && context.links.get(value)?.startsWith('function:');
    const found = known ? undefined : evaluate(context, value);
    if (known || found !== undefined) {
      context.report.report('type/mismatch', value, {
        expected: '`balance(4)` or `split(2, 2, 2, 2)`',
        found: found === undefined ? 'a function without its arguments' : describe(found),
      });
    }
    return undefined;
  }
  if (!context.links.has(value.callee)) return undefined;
  if (value.callee.text === 'split') return readSplit(context, value, model);
  if (value.callee.text === 'plan') return readPlan(context, value);
  const bound = bindArguments(context, value, 'balance', ['stages', 'by']);
  const stages = bound?.get('stages')?.value;
  const by = bound?.get('by')?.value;
  if (bound === undefined) return undefined;
  const what = by === undefined ? 'time' : balanceBy.find((name) => by.kind === 'name' && by.text === name);
  if (what === undefined) {
    if (by !== undefined && by.kind !== 'name')
      context.report.report('type/mismatch', by, {
        expected: '`time`, `memory` or `both`',
        found: asWritten(context, by),
      });
    return undefined;
  }
  if (stages === undefined) return balanced(context, value, model, what, places);
  const limits = { min: 1, max: model.elements, maxIs: layersOf(model) };
  const count = quantity(
    context,
    stages,
    { kind: 'quantity', dimension: 'number', integer: true, ...limits },
    'The number of stages',
  );
  return count === undefined ? undefined : { kind: 'balance', count, by: what, at: value };
}

/** `balance` with as many stages as the schedule puts on the devices. */
function balanced(
  context: ReadContext,
  at: Span,
  model: ModelDefinition,
  by: BalanceBy,
  places: StagePlaces | undefined,
): Cut | undefined {
  const found = places === undefined ? undefined : stageCount(context, at, places);
  if (found === undefined) return undefined;
  const { ranks, stages } = found;
  if (stages <= model.elements) return { kind: 'balance', count: stages, by, at };
  context.report.report('value/range', at, {
    what: 'The number of stages',
    value: `${stages} for ${count(ranks, 'pipeline rank', 'pipeline ranks')}`,
    allowed: `from 1 to ${layersOf(model)}`,
  });
  return undefined;
}

function readPlan(context: ReadContext, call: Call): PlanCut | undefined {
  const bound = bindArguments(context, call, 'plan', ['planner', 'objective', 'allocation', 'worker']);
  if (bound === undefined) return undefined;
  const wanted = bound.get('planner')?.value;
  if (wanted === undefined) {
    context.report.report('key/missing', call, { key: 'planner', block: 'call to plan', example: 'plan(pipedream)' });
    return undefined;
  }
  const planner = word(context, wanted, planners);
  const written = bound.get('objective')?.value;
  const objective = written === undefined ? 'paper' : word(context, written, pipedreamObjectives);
  const allocated = bound.get('allocation')?.value;
  const allocation = allocated === undefined ? undefined : word(context, allocated, allocations);
  const number = bound.get('worker')?.value;
  const worker = number === undefined ? 0 : wholeNumber(context, number, 'The number of the virtual worker');
  if (planner === undefined || objective === undefined || worker === undefined) return undefined;
  if (allocated !== undefined && allocation === undefined) return undefined;
  const refuse = (value: Expression | undefined, key: string, reason: string): void => {
    if (value !== undefined) context.report.report('key/not-applicable', value, { key, reason });
  };
  if (planner !== 'pipedream') refuse(written, 'objective', `\`plan(${planner})\` always minimises ${least[planner]}`);
  const whole = `\`plan(${planner})\` plans for all devices of the cluster`;
  if (planner !== 'hetpipe') refuse(allocated, 'allocation', whole);
  if (planner !== 'hetpipe') refuse(number, 'worker', whole);
  else if (allocation === undefined)
    refuse(number, 'worker', 'without `allocation` all devices of the cluster are one virtual worker');
  return {
    kind: 'plan',
    planner,
    objective,
    ...(allocation === undefined || planner !== 'hetpipe' ? {} : { allocation }),
    worker,
    at: call,
  };
}

/** What planners minimise that have no choice. */
const least = {
  dapple: 'the latency of an iteration',
  alpa: 'the latency of an iteration',
  hetpipe: 'the slowest stage',
};

/** One of some words; any other name has been reported where names get their meaning. */
function word<T extends string>(context: ReadContext, value: Expression, words: readonly T[]): T | undefined {
  const found = value.kind === 'name' ? words.find((candidate) => candidate === value.text) : undefined;
  if (found === undefined && (value.kind !== 'name' || context.links.has(value)))
    context.report.report('type/mismatch', value, {
      expected: words.map((each) => `\`${each}\``).join(' or '),
      found: asWritten(context, value),
    });
  return found;
}

function readSplit(context: ReadContext, call: Expression & { kind: 'call' }, model: ModelDefinition): Cut | undefined {
  const sizes: number[] = [];
  for (const argument of call.arguments) {
    const size = wholeNumber(context, argument.value, 'The number of layers', { min: 1 });
    if (size === undefined) return undefined;
    sizes.push(size);
  }
  const sum = sizes.reduce((total, size) => total + size, 0);
  if (sum === model.elements) return { kind: 'split', sizes, count: sizes.length, at: call };
  context.report.report('value/range', call, {
    what: `The number of layers in ${count(sizes.length, 'stage', 'stages')}`,
    value: String(sum),
    allowed: `${model.elements}, ${layersOf(model)} (${namesOf(model)})${leftOut(model, sum)}`,
  });
  return undefined;
}

/** Layers as they are written, the first ones of many. */
function namesOf({ layers }: ModelDefinition): string {
  const names = layers.map(({ name, array, count: number }) => (array ? `${name}[${number}]` : name));
  return list(names.length > 6 ? [...names.slice(0, 5), `${names.length - 5} more`] : names);
}

/** The layers behind the last one that a split of `sum` layers reaches. */
function leftOut(model: ModelDefinition, sum: number): string {
  const left = Array.from({ length: Math.min(4, model.elements - sum) }, (_, at) => elementName(model, sum + at));
  if (left.length === 0) return '';
  const more = model.elements - sum - left.length;
  return `; ${list(more > 0 ? [...left, `${more} more`] : left)} ${left.length === 1 ? 'is' : 'are'} left out`;
}

const layersOf = ({ name }: ModelDefinition): string => `the number of layers in model "${name}"`;

function readBlocks(
  context: ReadContext,
  blocks: readonly Entry[],
  model: ModelDefinition,
  base: Mesh,
): Cut | undefined {
  const stages: StageBlock[] = [];
  const names = new Set<string>();
  let wrong = false;
  for (const block of blocks) {
    const stage = readStage(context, block, model, base);
    if (stage === undefined || names.has(stage.name)) wrong = true;
    else stages.push(stage);
    if (block.name !== undefined) names.add(block.name.text);
  }
  return wrong ? undefined : { kind: 'blocks', stages, count: stages.length };
}

function readStage(context: ReadContext, block: Entry, model: ModelDefinition, base: Mesh): StageBlock | undefined {
  const at = block.name ?? block.key;
  const keys = readKeys(context, 'stage', block.body, at);
  const values = keys.find('layers')?.values;
  const elements = values === undefined ? undefined : readLayers(context, values, model.layers);
  const onValue = valueOf(keys.find('on'));
  const end = onValue === undefined ? undefined : readEnd(context, onValue);
  const recompute = readRecompute(context, keys);
  const replicate = readWord<Replication>(context, keys, 'replicate');
  const replicateAt = valueOf(keys.find('replicate'));
  const mesh = readMesh(context, keys, base);
  if (replicate.is === 'wrong' || mesh === undefined) return undefined;
  if (replicate.is === 'value' && onValue === undefined) missing(context, 'stage', 'on', at);
  if (block.name === undefined || elements === undefined || keys.doubtful) return undefined;
  if ((keys.find('on') !== undefined && end === undefined) || recompute.is === 'wrong') return undefined;
  return {
    name: block.name.text,
    at,
    elements,
    on: end === undefined || onValue === undefined ? undefined : { end, at: onValue },
    recompute: recompute.is === 'value' ? recompute.value : undefined,
    recomputeAt: valueOf(keys.find('recompute')),
    ...(mesh === base ? {} : { mesh }),
    ...(replicate.is === 'value' && replicateAt !== undefined
      ? { replicate: { rule: replicate.value, at: replicateAt } }
      : {}),
  };
}
