import type { PipelinePlan } from '../../plan/plan.ts';
import { list } from '../../quantities.ts';

/** What a PyTorch table cannot say of a pipeline, one sentence each; the order of operations and the placement are all that it holds. */
export function notCarried(plan: PipelinePlan): readonly string[] {
  const { stages, schedule, edges, tensor, data } = plan;
  const notes = [
    'Times, sizes and links are not in the table: it holds the order of operations and the rank of each stage.',
  ];
  const names = (found: readonly { readonly name: string }[]): string =>
    list(found.slice(0, 5).map(({ name }) => name)) + (found.length > 5 ? ` and ${found.length - 5} more` : '');
  const recomputed = stages.filter((stage) => stage.recomputeMode !== 'none');
  if (recomputed.length > 0)
    notes.push(
      `Recomputation of ${names(recomputed)} is not in the table: wrap those layers in torch.utils.checkpoint.`,
    );
  if (tensor * data > 1)
    notes.push(`A row is one pipeline rank; its ${tensor} × ${data} tensor and data ranks are not in the table.`);
  if (schedule.kind === 'greedy' && schedule.weights !== 'flush')
    notes.push(
      `The update rule "${schedule.weights}" is not in the table: PyTorch updates once after all microbatches.`,
    );
  if (schedule.kind === 'policy')
    notes.push(`The table is the order of "${schedule.name}" for these numbers, not the policy.`);
  const skips = edges.filter(({ from, to }) => to !== from + 1);
  if (skips.length > 0) {
    const shown =
      list(skips.slice(0, 5).map(({ from, to }) => `${from} → ${to}`)) +
      (skips.length > 5 ? ` and ${skips.length - 5} more` : '');
    notes.push(
      `Data that passes stages by (${shown}) is not in the table: PyTorch sends between neighbouring stages only.`,
    );
  }
  if (plan.step.some(({ sync, optimizer }) => sync + optimizer > 0))
    notes.push('The optimizer step is not in the table: PyTorch runs it outside of the schedule.');
  return notes;
}
