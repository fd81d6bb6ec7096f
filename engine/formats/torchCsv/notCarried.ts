import { meshText } from '../../costs/mesh.ts';
import type { PipelinePlan } from '../../values/plan.ts';
import { count, list } from '../../basics/quantities.ts';
import { E, kinds, L, type Program, R, U, kindOf } from '../../values/program.ts';

/** What a file around a table may say, though the table does not. */
export type Around = 'ranks' | 'recompute' | 'shards';

/**
 * What a PyTorch table cannot say of a pipeline, one sentence each; the order of operations and the placement are all that it
 * holds. `around`: what the file says that the table is in.
 */
export function notCarried(plan: PipelinePlan, program: Program, around: readonly Around[] = []): readonly string[] {
  const { stages, schedule, edges } = plan;
  const notes = [
    'Times, sizes and links are not in the table: it holds the order of operations and the rank of each stage.',
  ];
  const names = (found: readonly { readonly name: string }[]): string =>
    list(found.slice(0, 5).map(({ name }) => name)) + (found.length > 5 ? ` and ${found.length - 5} more` : '');
  const recomputed = stages.filter((stage) => stage.recomputeMode !== 'none');
  if (recomputed.length > 0 && !around.includes('recompute'))
    notes.push(
      `Recomputation of ${names(recomputed)} is not in the table: wrap those layers in torch.utils.checkpoint.`,
    );
  const meshes = new Set(plan.devices.map((device) => meshText(plan, device)).filter((name) => name !== ''));
  if (meshes.size > 0 && !around.includes('ranks'))
    notes.push(
      `A row is one pipeline rank; how its devices share the work (${list([...meshes])}) is not in the table.`,
    );
  if (stages.some(({ traffic }) => traffic?.weights !== undefined) && !around.includes('shards'))
    notes.push('Weight sharding is not in the table: wrap the stages in fully_shard.');
  if (plan.transfer !== undefined) notes.push('The blocking of sends and receives is not in the table.');
  if (plan.lengths !== undefined)
    notes.push(
      'The lengths of microbatches are not in the table: give each microbatch its samples where you call the schedule.',
    );
  if (plan.fill !== undefined) notes.push('The fill job is not in the table.');
  if ((program.overlap ?? 0) > 0) {
    const pairs = program.fused?.reduce((sum, mark) => sum + mark, 0) ?? 0;
    notes.push(
      `The overlap of fused operations (${count(pairs, 'pair', 'pairs')}) is not in the table: PyTorch runs them one after the other.`,
    );
  }
  notes.push(...leftOut(program));
  notes.push(`The table is the order of "${schedule.name}" for these numbers, not the ${wordOf[schedule.kind]}.`);
  const skips = edges.filter(({ from, to }) => to !== from + 1);
  if (skips.length > 0) {
    const shown =
      list(skips.slice(0, 5).map(({ from, to }) => `${from} → ${to}`)) +
      (skips.length > 5 ? ` and ${skips.length - 5} more` : '');
    notes.push(
      `Data that passes stages by (${shown}) is not in the table: PyTorch sends between neighbouring stages only.`,
    );
  }
  if (plan.step.some(({ sync, optimizer, overlap }) => sync + optimizer > 0 || overlap !== undefined))
    notes.push(
      'The exchange of gradients and the optimizer step are not in the table: PyTorch runs them outside the schedule.',
    );
  return notes;
}

const wordOf: Readonly<Record<PipelinePlan['schedule']['kind'], string>> = {
  policy: 'policy',
  rows: 'schedule that gives it',
  greedy: 'rule that decides it',
};

const others: readonly { readonly kinds: readonly number[]; readonly what: string }[] = [
  { kinds: [R], what: 'Recomputation as a separate operation (R)' },
  { kinds: [U], what: 'The update of a single stage (U)' },
  { kinds: [E, L], what: 'Moving activations to another device and back (E, L)' },
];

/** Operations that PyTorch has no action for, with their numbers. */
function leftOut(program: Program): string[] {
  if (program.extended !== true) return [];
  const found = new Map<number, number>();
  for (const word of program.order) {
    const kind = kindOf(program, word);
    found.set(kind, (found.get(kind) ?? 0) + 1);
  }
  const declared = (program.declared?.names ?? []).map((name, index) => ({
    kinds: [kinds + index],
    what: `What the schedule declares as "${name}"`,
  }));
  return [...others, ...declared].flatMap(({ kinds: all, what }) => {
    const operations = all.reduce((sum, kind) => sum + (found.get(kind) ?? 0), 0);
    if (operations === 0) return [];
    return `${what}, ${count(operations, 'operation', 'operations')}, is not in the table: PyTorch has no action for it.`;
  });
}
