/** What a pipeline must say, and must not say, if activations of layers go to the host. */
import { mostOffloaded } from '../costs/offload.ts';
import type { SettledPipeline } from '../definitions/pipeline.ts';
import type { SchedulePlan } from '../values/plan.ts';
import { count } from '../basics/quantities.ts';
import { roleOf } from './cost/layerCosts.ts';
import { stageModes } from './cost/recomputation.ts';
import { type Notes, quietNotes } from './notes.ts';
import type { SitedRanks } from './place/sites.ts';

/** Reports what does not fit; true if there is nothing to report. */
export function offloadFits(
  notes: Notes,
  pipeline: SettledPipeline,
  { ranks }: SitedRanks,
  schedule: SchedulePlan | undefined,
  elements: readonly (readonly number[])[],
): boolean {
  const { offload, model, lengths, at } = pipeline;
  if (offload === undefined) return true;
  const { report } = notes;
  const without = (expected: string, found: string): false => {
    report.report('type/mismatch', at('offload'), { expected, found });
    return false;
  };
  for (const { kind } of offload.link === undefined ? ranks : []) {
    const { name, host } = kind;
    if (host === undefined) {
      const parameters = {
        expected: `a link to the host in device "${name}", such as \`host = 25GB/s + 5us\``,
        found: 'none',
      };
      report.report('type/mismatch', at('offload'), parameters, { hint: { kind: 'host', device: name } });
      return false;
    }
    if (host.half === true) return without(`a host link of "${name}" with two directions`, '`half(…)`');
  }
  const mode = stageModes(quietNotes(notes), pipeline).find((each) => each !== 'none');
  if (mode !== undefined)
    return without(
      'stages that recompute nothing, since layers are either recomputed or offloaded',
      `\`recompute = ${mode}\``,
    );
  if (lengths !== undefined)
    return without(
      'microbatches of one length, since each copy to the host has the same size',
      `"${lengths.key}"; recompute instead of "offload", or leave out "${lengths.key}"`,
    );
  if (sendsToHost(schedule))
    return without('a schedule that leaves the link to the host free', 'one with E to the host');
  const most = elements.reduce(
    (largest, stage) =>
      Math.max(largest, mostOffloaded(stage.filter((each) => roleOf(model, each) === 'block').length)),
    0,
  );
  if (offload.layers <= most) return true;
  report.report('value/range', offload.at, {
    what: '"layers"',
    value: String(offload.layers),
    allowed:
      most === 0
        ? 'less, but no stage has two layers. Use fewer stages'
        : `at most ${most}: the largest stage has ${count(most + 1, 'layer', 'layers')}, and the last one stays`,
  });
  return false;
}

function sendsToHost(schedule: SchedulePlan | undefined): boolean {
  if (schedule === undefined || schedule.kind === 'policy') return false;
  const keepers = schedule.kind === 'greedy' ? schedule.rule?.keeper : schedule.rows.map(({ keeper }) => keeper);
  return keepers?.includes('host') ?? false;
}
