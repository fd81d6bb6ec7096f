/** What is searched if the file has no `search` for the pipeline: a small product that most clusters can take. */
import type { Axis } from '../definitions/search.ts';
import type { SweepBase } from './base.ts';
import { mayRun } from '../engines/registry.ts';
import { scheduleName } from './scheduleText.ts';

/** Tensor ranks stay within a node of eight devices. */
const mostTensor = 8;
const mostPipeline = 16;
const schedules = ['1f1b', 'interleaved_1f1b', 'zb_h1'];

/** Ranks in powers of two, the schedule of the file and three others, with and without recomputation. Microseconds. */
export function defaultAxes({ devices, ranks, schedule, size, isDerived, file, written }: SweepBase): readonly Axis[] {
  const powers = (most: number, written: number): readonly string[] => {
    const found = [1, 2, 4, 8, 16].filter((value) => value <= most && devices % value === 0);
    return [...new Set([...found, written])].toSorted((a, b) => a - b).map(String);
  };
  const engine = written('engine') ?? file.options.engine;
  const others = schedules.filter((name) => name !== scheduleName(schedule) && mayRun(engine, name));
  return [
    // Measured layers take as long on any number of tensor ranks.
    ...(isDerived ? [{ key: 'tensor', values: powers(mostTensor, size.mesh.tensor) }] : []),
    { key: 'pipeline', values: powers(mostPipeline, ranks) },
    { key: 'schedule', values: [schedule, ...others] },
    { key: 'recompute', values: ['none', 'full'] },
  ];
}
