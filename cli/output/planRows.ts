import { amount, count, list, time, timeAtLeast } from '../../engine/basics/quantities.ts';
import type { PipelineReport } from '../../engine/values/report.ts';

/** What `plan(…)` decided: the planner's figure compared with the simulated one, the levels of links, and the stages. */
export function planRows({ plan, iteration }: PipelineReport): string[][] {
  if (plan === undefined) return [];
  const { planner, objective, value, least, exact, levels, stages } = plan;
  // Proven of the planner's own formula, which the simulation need not agree with.
  const bound = `by its formula no plan takes less${exact ? '' : ` than ${timeAtLeast(least)}`}`;
  const linked = levels.map(({ machines, bandwidth }) =>
    bandwidth === undefined ? String(machines) : `${machines} at ${amount(bandwidth)}B/s`,
  );
  return [
    [
      objective === undefined ? planner : `${planner}, ${objective}`,
      `planned ${time(value)}, simulated ${time(iteration)}`,
      bound,
    ],
    ...(linked.length === 0 ? [] : [['levels', linked.join(', then '), '']]),
    ...stages.map(({ name, layers, replicas, tensor, data, devices }) => [
      name,
      `${count(layers.length, 'layer', 'layers')} × ${
        tensor === undefined && data === undefined
          ? count(replicas, 'replica', 'replicas')
          : `tensor ${tensor ?? 1}, data ${data ?? 1}`
      }`,
      devices.length <= 4 ? list(devices) : `${devices[0]} … ${devices.at(-1) ?? ''} (${devices.length})`,
    ]),
  ];
}
