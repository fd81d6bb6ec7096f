import type { Analysis } from '../check.ts';
import type { FixHint } from '../findings/finding.ts';
import { count } from '../quantities.ts';
import { iterationChange, relativeIteration, simulated, tried } from './outcome.ts';
import type { Again, Edit, Proposal } from './proposal.ts';
import { pipelineBody, valueOf } from './source.ts';

type Hint = Extract<FixHint, { readonly kind: 'warmup' }>;

/** More forwards before the first backward, so that transfers hide behind computing; more microbatches are in flight for it. */
export function warmupFixes(analysis: Analysis, { pipeline, warmup }: Hint, again: Again): readonly Proposal[] {
  const before = simulated(analysis, pipeline);
  const edit = editFor(analysis, pipeline, warmup);
  if (before === undefined || edit === undefined) return [];
  const changed = tried(analysis, [edit], again);
  const after = changed === undefined ? undefined : simulated(changed, pipeline);
  if (after === undefined || relativeIteration(before, after) > -0.001) return [];
  const more = after.run.report.devices.map(
    (device, index) => device.in_flight - (before.run.report.devices[index]?.in_flight ?? 0),
  );
  const most = Math.max(0, ...more);
  const cost = most === 0 ? '' : `, up to ${count(most, 'microbatch', 'microbatches')} more in flight`;
  const title = `Raise warm-up to ${warmup.join(', ')} (${iterationChange(before, after)}${cost})`;
  return [{ title, edits: [edit], preferred: true }];
}

function editFor(analysis: Analysis, pipeline: string, warmup: readonly number[]): Edit | undefined {
  const body = pipelineBody(analysis.syntax, pipeline);
  const schedule = body === undefined ? undefined : valueOf(body, 'schedule');
  const list = `[${warmup.join(', ')}]`;
  if (schedule?.kind === 'name' && schedule.text === '1f1b') {
    return { start: schedule.end, end: schedule.end, text: `(warmup = ${list})` };
  }
  if (schedule?.kind !== 'call' || schedule.callee.text !== '1f1b') return undefined;
  const written = schedule.arguments.find(({ name }) => name === undefined || name.text === 'warmup');
  if (written !== undefined) return { start: written.value.start, end: written.value.end, text: list };
  const last = schedule.arguments.at(-1);
  const at = last?.end ?? schedule.end - 1;
  return { start: at, end: at, text: `${last === undefined ? '' : ', '}warmup = ${list}` };
}
