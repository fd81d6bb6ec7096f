import type { Call, Expression } from '../../grammar/syntax.ts';
import type { Analysis } from '../check.ts';
import type { FixHint } from '../findings/finding.ts';
import { calleeOf } from '../language/callee.ts';
import { findOptimizer, isShard, shardsGradients, shardsWeights, type Shard } from '../costs/optimizer.ts';
import type { PipelinePlan } from '../plan.ts';
import { fits, memoryEffect, simulated, tried } from './outcome.ts';
import type { Again, Edit, Proposal } from './proposal.ts';
import { pipelineBody, valueOf } from './source.ts';

type Hint = Extract<FixHint, { readonly kind: 'recompute' }>;

/**
 * Splits the optimizer's state over data ranks, its gradients too, or its weights too. Offered where there are several ranks: the
 * first of these with which the device fits, since each further one costs more traffic.
 */
export function shardFixes(analysis: Analysis, { pipeline, stage }: Hint, again: Again): readonly Proposal[] {
  const before = simulated(analysis, pipeline);
  const body = pipelineBody(analysis.syntax, pipeline);
  const optimizer = body === undefined ? undefined : inner(valueOf(body, 'optimizer'));
  if (before === undefined || optimizer === undefined || before.plan.data * before.plan.context < 2) return [];
  const device = before.plan.placement[stage];
  for (const shard of stronger(optimizer)) {
    const edit = editFor(optimizer, shard);
    const changed = tried(analysis, [edit], again);
    const after = changed === undefined ? undefined : simulated(changed, pipeline);
    if (after === undefined || !fits(after, device)) continue;
    return [
      {
        title: `Shard ${what(shard)} over ${ranks(optimizer, before.plan)} (${memoryEffect(before, after, device)})`,
        edits: [edit],
      },
    ];
  }
  return [];
}

const inner = (value: Expression | undefined): Expression | undefined =>
  value?.kind === 'group' ? inner(value.inner) : value;

/** Shards that split more than the one that is written, in the words of who makes the recipe. */
function stronger(optimizer: Expression): readonly Shard[] {
  const name = calleeOf(optimizer)?.text ?? '';
  const parameters = findOptimizer(name)?.parameters ?? [];
  if (!parameters.some((parameter) => parameter.name === 'shard')) return [];
  const written = optimizer.kind === 'call' ? argument(optimizer, 'shard')?.value : undefined;
  const now = written?.kind === 'name' && isShard(written.text) ? written.text : 'none';
  const all: readonly Shard[] = name.startsWith('megatron')
    ? ['distributed', 'zero2', 'fsdp']
    : ['zero1', 'zero2', 'zero3'];
  return all.filter((text) => strength(text) > strength(now));
}

const strength = (shard: Shard): number =>
  shard === 'none' ? 0 : shardsWeights(shard) ? 3 : shardsGradients(shard) ? 2 : 1;

const what = (shard: Shard): string =>
  shardsWeights(shard)
    ? 'optimizer, gradients and weights'
    : shardsGradients(shard)
      ? 'optimizer and gradients'
      : 'the optimizer';

const ranks = (optimizer: Expression, { data, context }: Pick<PipelinePlan, 'data' | 'context'>): string =>
  optimizer.kind === 'call' && argument(optimizer, 'over') !== undefined
    ? 'groups of data ranks'
    : `${data * context} ${context > 1 ? 'data and context' : 'data'} ranks`;

/** An argument by its name, or at the place of its parameter. */
function argument(call: Call, name: string) {
  const at = findOptimizer(call.callee.text)?.parameters.findIndex((parameter) => parameter.name === name) ?? -1;
  return call.arguments.find((candidate, index) =>
    candidate.name === undefined ? index === at : candidate.name.text === name,
  );
}

function editFor(optimizer: Expression, shard: Shard): Edit {
  if (optimizer.kind !== 'call') return { start: optimizer.end, end: optimizer.end, text: `(shard = ${shard})` };
  const written = argument(optimizer, 'shard')?.value;
  if (written !== undefined) return { start: written.start, end: written.end, text: shard };
  const last = optimizer.arguments.at(-1);
  const at = last?.end ?? optimizer.end - 1;
  return { start: at, end: at, text: `${last === undefined ? '' : ', '}shard = ${shard}` };
}
