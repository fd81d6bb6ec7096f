import type { Expression } from '../../grammar/syntax.ts';
import type { Analysis } from '../check.ts';
import type { FixHint } from '../findings/finding.ts';
import { calleeOf } from '../plan/blocks/callee.ts';
import { findOptimizer } from '../plan/costs/optimizer.ts';
import { fits, memoryEffect, simulated, tried } from './outcome.ts';
import type { Again, Edit, Proposal } from './proposal.ts';
import { pipelineBody, valueOf } from './source.ts';

type Hint = Extract<FixHint, { readonly kind: 'recompute' }>;

/** Splits the optimizer's state over data ranks. Offered where there are some and the device then fits. */
export function shardFixes(analysis: Analysis, { pipeline, stage }: Hint, again: Again): readonly Proposal[] {
  const before = simulated(analysis, pipeline);
  const body = pipelineBody(analysis.syntax, pipeline);
  const optimizer = body === undefined ? undefined : valueOf(body, 'optimizer');
  if (before === undefined || optimizer === undefined || before.plan.data < 2) return [];
  const edit = editFor(optimizer);
  const changed = edit === undefined ? undefined : tried(analysis, [edit], again);
  const after = changed === undefined ? undefined : simulated(changed, pipeline);
  const device = before.plan.placement[stage];
  if (edit === undefined || after === undefined || !fits(after, device)) return [];
  return [
    {
      title: `Shard the optimizer over ${before.plan.data} data ranks (${memoryEffect(before, after, device)})`,
      edits: [edit],
    },
  ];
}

function editFor(optimizer: Expression): Edit | undefined {
  const name = calleeOf(optimizer);
  if (name === undefined || findOptimizer(name.text)?.parameters.some((one) => one.name === 'shard') !== true)
    return undefined;
  const word = name.text.startsWith('megatron') ? 'distributed' : 'zero1';
  if (optimizer.kind !== 'call') return { start: name.end, end: name.end, text: `(shard = ${word})` };
  const written = optimizer.arguments.find((one) => one.name?.text === 'shard');
  if (written !== undefined) return { start: written.value.start, end: written.value.end, text: word };
  const [first] = optimizer.arguments;
  // Unnamed arguments come first, and the first place is that of `shard`.
  if (first !== undefined && first.name === undefined) return { start: first.start, end: first.end, text: word };
  const at = first?.start ?? optimizer.end - 1;
  return { start: at, end: at, text: `shard = ${word}${first === undefined ? '' : ', '}` };
}
