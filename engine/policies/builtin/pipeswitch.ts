import { count, time } from '../../basics/quantities.ts';
import {
  type Grouping,
  type LoadCosts,
  type LoadedLayers,
  finishOf,
  groupSizes,
  groupings,
} from '../loading/grouping.ts';
import { costsOf, groupingOf, layersOf, sizesOf, usualCosts } from '../loading/arguments.ts';
import type { Policy, Shape, ShapeFault } from '../policy.ts';

/** Stages 2g load group g over the first lane, stages 2g + 1 run it on the second one. */
const lane = (stages: number): Int32Array => Int32Array.from({ length: stages }, (_, stage) => stage % 2);

/**
 * Bai et al., "PipeSwitch" (OSDI 2020). The planner makes the groups and two lanes: the copy engine that loads
 * them, then the device that runs them.
 */
export const pipeswitch: Policy = {
  name: 'pipeswitch',
  summary:
    'Loads a model onto a device in groups of layers while earlier groups run. One microbatch, forwards only: the time from an empty device to the first answer.',
  page: 'pipeswitch',
  parameters: [
    {
      name: 'groups',
      kind: 'word',
      words: groupings,
      summary: 'Layers that are loaded at a time: `best` is the exact optimum, `per_layer` and `one` the two extremes.',
      default: 'best',
    },
    {
      name: 'bandwidth',
      kind: 'quantity',
      dimension: 'bandwidth',
      summary:
        'Bandwidth from the host to the device. Pinned memory over PCIe 3.0 ×16 reaches about 12 GB/s (CUDA C++ Best Practices Guide).',
      default: usualCosts.bandwidth,
      min: 1,
    },
    {
      name: 'call',
      kind: 'quantity',
      dimension: 'time',
      summary: 'Overhead of starting one transfer: 5 to 7 µs for cudaMemcpyAsync (arXiv:2602.21548, section 5.2).',
      default: usualCosts.call,
      min: 0,
    },
    {
      name: 'sync',
      kind: 'quantity',
      dimension: 'time',
      summary:
        'Time between the arrival of a group and the start of its first layer. The default is an assumption: measure it.',
      default: usualCosts.sync,
      min: 0,
    },
  ],
  split: false,
  forwardOnly: true,
  operations: 1,
  loading: (args) => ({ ...costsOf(args), grouping: groupingOf(args) }),
  chunks: (args) => Math.max(1, sizesOf(args).length),
  placement: (shape) => lane(shape.stages),
  check: faults,
  order(shape, device, out) {
    for (let stage = device; stage < shape.stages; stage += 2) out.forward(stage, 0);
  },
  explain(shape) {
    const layers = layersOf(shape.args);
    const costs = costsOf(shape.args);
    const sizes = sizesOf(shape.args);
    const overheads = `call ${time(costs.call)} + synchronisation ${time(costs.sync)}`;
    return [
      `groups: ${sizes.length} of ${count(layers.bytes.length, 'layer', 'layers')} (${shown(sizes)})`,
      `finish: ${groupings.map((grouping) => finishLine(grouping, layers, costs)).join(', ')}`,
      `cost of a group: ${overheads} = ${time(costs.call + costs.sync)}; of all ${sizes.length}: ${time(sizes.length * (costs.call + costs.sync))}`,
      `alone, loading takes ${time(alone(layers.bytes) / costs.bandwidth)} and running ${time(alone(layers.seconds))}, without calls and synchronisations`,
    ];
  },
};

function finishLine(grouping: Grouping, layers: LoadedLayers, costs: LoadCosts): string {
  const sizes = groupSizes(grouping, layers, costs);
  const groups = grouping === 'best' ? ` (${count(sizes.length, 'group', 'groups')})` : '';
  return `\`${grouping}\`${groups} ${time(finishOf(layers, sizes, costs), 4)}`;
}

const shown = (sizes: readonly number[]): string =>
  sizes.length <= 12 ? sizes.join(', ') : `${sizes.slice(0, 10).join(', ')}, …, ${sizes[sizes.length - 1]}`;

const alone = (values: ArrayLike<number>): number => Array.from(values).reduce((sum, value) => sum + value, 0);

function faults({ microbatches, stages, args }: Shape): readonly ShapeFault[] {
  const found: ShapeFault[] = [];
  if (microbatches !== 1) {
    const message = `it loads a model and runs one microbatch through it, not ${microbatches}`;
    found.push({ message, fix: { input: 'microbatches', values: [1] } });
  }
  const wanted = 2 * Math.max(1, sizesOf(args).length);
  if (stages !== wanted) {
    const message = `it makes the stages, two for each group of layers, not ${stages}`;
    found.push({ message, fix: { input: 'stages', values: [wanted] } });
  }
  return found;
}
