/** Schedules, recomputation and sharding: what the engine runs, or what common engines run if none is named. */
import type { Engine, ShardArguments } from '../../engines/engine.ts';
import { findEngine, mayRun } from '../../engines/registry.ts';
import { wordRefusal } from '../../engines/words.ts';
import { callableOf, withArguments } from '../../fixes/callArguments.ts';
import { valueOf } from '../../fixes/source.ts';
import type { Argument } from '../../../grammar/index.ts';
import { calleeOf } from '../../language/callee.ts';
import { findFunction } from '../../language/functions.ts';
import type { SweepBase } from '../base.ts';
import { scheduleName, stageChunks } from '../scheduleText.ts';
import { type Choice, kept, small } from './choice.ts';

const schedules = ['1f1b', 'interleaved_1f1b', 'zb_v'];

export const engineOf = ({ written, file }: SweepBase): Engine | undefined =>
  findEngine(written('engine') ?? file.options.engine ?? '');

export function scheduleChoice(base: SweepBase): Choice {
  const { schedule } = base;
  const engine = engineOf(base);
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
  const engine = engineOf(base);
  const { keepsScores } = base.size.model;
  const selective =
    engine !== undefined && wordRefusal(engine, 'recompute', 'operations') === undefined ? 'operations' : 'selective';
  const usual = ['none', selective, 'full'];
  const isSame = selective === 'selective' && !keepsScores;
  const refused = usual.find((mode) => engine !== undefined && wordRefusal(engine, 'recompute', mode) !== undefined);
  const own = base.written('recompute');
  const values = usual.filter((mode) => mode !== refused && !(isSame && mode === selective));
  return {
    axis: { key: 'recompute', values: [...new Set([...values, ...(own === undefined ? [] : [own])])] },
    leftOut: [
      ...(refused === undefined || own === refused
        ? []
        : [{ what: `recompute ${refused}`, why: `${engine?.title} does not run it` }]),
      ...(isSame && refused !== selective && own !== selective
        ? [{ what: 'recompute selective', why: 'the same as none, since no attention keeps its scores' }]
        : []),
      { what: 'recomputation of some layers or modules', why: small },
    ],
  };
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
  const engine = engineOf(base);
  const named = ({ name: written }: Argument, at: number): string | undefined => written?.text ?? parameters[at]?.name;
  const sharded = (engine?.shards ?? usualShards(name)).map(
    ({ shard, reshard }) =>
      withArguments(text, value, { shard, ...(reshard === undefined ? {} : { reshard }) }, named).text,
  );
  const own = text.slice(value.start, value.end);
  const isSharded = value.kind === 'call' && value.arguments.some((each, at) => named(each, at) === 'shard');
  return {
    axis: { key: 'optimizer', values: [...new Set([own, ...sharded])] },
    leftOut: [
      ...(isSharded ? [{ what: 'optimizer state that is not sharded', why: 'it needs more memory' }] : []),
      {
        what: 'other shards',
        why: engine?.shards === undefined ? small : `seldom used under ${engine.title}`,
      },
    ],
  };
}

/** What Megatron, DeepSpeed and torchtitan do, in the words of who makes the recipe. */
const usualShards = (recipe: string): readonly ShardArguments[] => [
  { shard: recipe.startsWith('megatron') ? 'distributed' : 'zero1' },
  { shard: 'fsdp' },
];
