/** Schedules, recomputation and sharding: what the engine runs, or what common engines run if none is named. */
import type { Engine, ShardArguments } from '../../engines/engine.ts';
import { mayRun } from '../../engines/registry.ts';
import { otherRecipe, selectiveMode, wordRefusal } from '../../engines/words.ts';
import { callableOf, withArguments } from '../../fixes/callArguments.ts';
import { valueOf } from '../../fixes/source.ts';
import type { Argument } from '../../../grammar/index.ts';
import { calleeOf } from '../../language/callee.ts';
import { findFunction } from '../../language/functions.ts';
import type { SweepBase } from '../base.ts';
import { scheduleName, stageChunks } from '../scheduleText.ts';
import { type Choice, kept, small } from './choice.ts';

const schedules = ['1f1b', 'interleaved_1f1b', 'zb_v'];

export function scheduleChoice(base: SweepBase): Choice {
  const { schedule, engine } = base;
  const runs = schedules.filter((name) => mayRun(engine?.name, name));
  const own = scheduleName(schedule);
  // `chunks` is searched by itself, where it is a plain number.
  const written = runs.includes(own) && stageChunks(schedule) !== undefined ? own : schedule;
  return {
    axis: { key: 'schedule', values: [...new Set([written, ...runs])] },
    leftOut: [
      {
        what: 'other schedules',
        why: engine?.schedules === undefined ? small : `${engine.title} does not run them`,
      },
    ],
  };
}

export function recomputeChoice(base: SweepBase): Choice {
  const { engine } = base;
  const { keepsScores } = base.size.model;
  const selective = selectiveMode(engine);
  const usual = ['none', selective, 'full'];
  const isSame = selective === 'selective' && !keepsScores;
  const refused = usual.find((mode) => engine !== undefined && wordRefusal(engine, 'recompute', mode) !== undefined);
  const own = base.written('recompute');
  const some = engine === undefined ? undefined : cheapModules(base, engine);
  const values = [
    ...usual.filter((mode) => mode !== refused && !(isSame && mode === selective)),
    ...(some === undefined ? [] : [some]),
  ];
  return {
    axis: { key: 'recompute', values: [...new Set([...values, ...(own === undefined ? [] : [own])])] },
    leftOut: [
      ...(refused === undefined || own === refused
        ? []
        : [{ what: `recompute ${refused}`, why: `${engine?.title} does not run it` }]),
      ...(selective === 'operations' && engine !== undefined
        ? [{ what: 'recompute selective', why: `\`operations\` is the selective mode of ${engine.title}` }]
        : []),
      ...(isSame && refused !== selective && own !== selective
        ? [{ what: 'recompute selective', why: 'the same as none, since no attention keeps its scores' }]
        : []),
      {
        what: `recomputation of some layers${some === undefined ? ' or modules' : ', and of other modules'}`,
        why: small,
      },
    ],
  };
}

/**
 * Modules that free bytes and take next to no time to run again: norms before experts and latent attention, and the activation functions of
 * experts. Norms of other layers are part of the products behind them.
 */
function cheapModules({ size: { model } }: SweepBase, engine: Engine): string | undefined {
  const mixture = model.experts.length > 0;
  if (!mixture && !model.latent) return undefined;
  const mode = `modules(${mixture ? 'layernorm, moe_act' : 'layernorm'})`;
  return wordRefusal(engine, 'recompute', mode) === undefined ? mode : undefined;
}

/** The optimizer of the file, and under each shard that people train with. */
export function shardingChoice(base: SweepBase): Choice {
  const value = callableOf(valueOf(base.body, 'optimizer'));
  const { text } = base.syntax;
  if (value === undefined) return kept('sharding', 'the pipeline names no optimizer');
  const name = calleeOf(value)?.text ?? '';
  const { parameters = [] } = findFunction('optimizer', name) ?? {};
  if (!parameters.some((parameter) => parameter.name === 'shard'))
    return kept('sharding', `the optimizer "${name}" has no shards`);
  const { engine } = base;
  const named = ({ name: written }: Argument, at: number): string | undefined => written?.text ?? parameters[at]?.name;
  const sharded = (engine?.shards ?? usualShards(name)).map(
    ({ shard, reshard }) =>
      withArguments(text, value, { shard, ...(reshard === undefined ? {} : { reshard }) }, named).text,
  );
  const written = text.slice(value.start, value.end);
  const own = withRecipe(base, written, name);
  const isSharded = value.kind === 'call' && value.arguments.some((each, at) => named(each, at) === 'shard');
  return {
    axis: {
      key: 'optimizer',
      values: [...new Set([own, ...sharded.map((text) => withRecipe(base, text, name))])],
    },
    leftOut: [
      ...(own === written ? [] : [{ what: `optimizer ${name}`, why: `${engine?.title} keeps other bytes` }]),
      ...(isSharded ? [{ what: 'optimizer state that is not sharded', why: 'it needs more memory' }] : []),
      {
        what: 'other shards',
        why: engine?.shards === undefined ? small : `seldom used under ${engine.title}`,
      },
    ],
  };
}

/** The optimizer that the engine has in the place of the one that the file names, if it takes the same arguments. */
function withRecipe({ engine, resolution, pipeline }: SweepBase, call: string, name: string): string {
  const { precision } = resolution.settled.get(pipeline)?.model ?? { precision: 'bf16' };
  const other = engine === undefined ? undefined : otherRecipe(engine, name, precision);
  const taken = new Set(findFunction('optimizer', other ?? '')?.parameters.map((parameter) => parameter.name));
  const isTaken = [...call.matchAll(/(\w+)\s*=/gu)].every(([, argument]) => taken.has(argument));
  return other === undefined || !isTaken ? call : `${other}${call.slice(name.length)}`;
}

/** What Megatron, DeepSpeed and torchtitan do, in the words of who makes the recipe. */
const usualShards = (recipe: string): readonly ShardArguments[] => [
  { shard: recipe.startsWith('megatron') ? 'distributed' : 'zero1' },
  { shard: 'fsdp' },
];
