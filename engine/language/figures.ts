import type { Dimension, ExpectFigure } from '../values/plan.ts';

/** A figure that an `expect` block may compare. */
export interface FigureSchema {
  readonly name: ExpectFigure;
  readonly dimension: Dimension;
  readonly doc: string;
  /** May be restricted: `peak_memory(stage = first)`, `peak_memory(device = 0)`. */
  readonly by: readonly ('stage' | 'device')[];
  readonly example: string;
  /** The figure that it is a percentile of: `p95(iteration)`. */
  readonly of?: 'iteration';
}

const percentile = (name: 'p50' | 'p95' | 'p99', doc: string): FigureSchema => ({
  name,
  dimension: 'time',
  by: [],
  of: 'iteration',
  example: `${name}(iteration) < 6.6s`,
  doc: `${doc} The pipeline needs \`jitter\`.`,
});

/** Every figure, in the order in which they are offered. */
export const figures: readonly FigureSchema[] = [
  {
    name: 'bubble',
    dimension: 'share',
    by: ['stage', 'device'],
    example: 'bubble < 30%',
    doc: 'Idle share of all devices over the iteration (makespan bubble).',
  },
  {
    name: 'span_bubble',
    dimension: 'share',
    by: ['stage', 'device'],
    example: 'span_bubble < 10%',
    doc: 'Idle share of the device with the longest span, from its first start to its last end.',
  },
  {
    name: 'gap',
    dimension: 'share',
    by: [],
    example: 'gap < 1%',
    doc: 'Time of the iteration above `iteration_bound`, as a share of the latter.',
  },
  {
    name: 'iteration_bound',
    dimension: 'time',
    by: [],
    example: 'iteration_bound < 4s',
    doc: 'Time that no order of these operations within the memory is under (a proven lower bound). The memory is the `limit` of the policy `search`, otherwise what the devices have. If the order itself does not fit the devices, memory does not count.',
  },
  {
    name: 'peak_memory',
    dimension: 'bytes',
    by: ['stage', 'device'],
    example: 'peak_memory < 15GiB',
    doc: 'Most bytes held at any time. Default: on the worst device.',
  },
  {
    name: 'iteration',
    dimension: 'time',
    by: [],
    example: 'iteration < 4.2s',
    doc: 'Time of one iteration, including gradient reduction and optimizer step.',
  },
  {
    name: 'drift',
    dimension: 'share',
    by: [],
    example: 'drift < 5%',
    doc: 'How far the measured iteration is from the simulated one, above or below it, as a share of it. Of several pipelines that ran: the farthest. The pipeline needs `measured`.',
  },
  percentile('p50', 'The iteration that half of the random draws do not exceed.'),
  percentile('p95', 'The iteration that 95 % of the random draws do not exceed.'),
  percentile('p99', 'The iteration that 99 % of the random draws do not exceed.'),
  {
    name: 'throughput',
    dimension: 'rate',
    by: [],
    example: 'throughput > 300/s',
    doc: 'Samples per second over all data ranks.',
  },
  {
    name: 'staleness',
    dimension: 'number',
    by: ['stage'],
    example: 'staleness <= 0',
    doc: 'Updates between the weights that a gradient was computed with and the weights that it changes.',
  },
  {
    name: 'versions',
    dimension: 'number',
    by: ['stage'],
    example: 'versions <= 1',
    doc: 'Copies of the weights kept at once.',
  },
  {
    name: 'in_flight',
    dimension: 'number',
    by: ['stage', 'device'],
    example: 'in_flight <= 4',
    doc: 'Most microbatches whose activations are held at once. One of two chunks of a device is half a microbatch, one of four segments a quarter.',
  },
  {
    name: 'exposed_communication',
    dimension: 'share',
    by: [],
    example: 'exposed_communication < 5%',
    doc: 'Share of the iteration in which devices do not compute because they wait for communication: transfers between stages, other ranks, gradients.',
  },
  {
    name: 'mfu',
    dimension: 'share',
    by: [],
    example: 'mfu > 40%',
    doc: 'Model FLOPs utilisation: FLOPs of forward and backward, without recomputation and padding behind `documents`, as a share of the peak of all devices.',
  },
  {
    name: 'tokens_per_second',
    dimension: 'number',
    by: [],
    example: 'tokens_per_second > 100000',
    doc: 'Tokens per second over all data ranks, without the padding behind `documents`. The model needs a `sequence`.',
  },
  {
    name: 'tokens_per_second_per_gpu',
    dimension: 'number',
    by: [],
    example: 'tokens_per_second_per_gpu > 400',
    doc: 'Tokens per second without the padding behind `documents`, divided by the devices of the pipeline. The model needs a `sequence`.',
  },
  {
    name: 'days',
    dimension: 'number',
    by: [],
    example: 'days < 30',
    doc: 'Days that the `tokens` of the pipeline take at its rate.',
  },
  {
    name: 'gpu_hours',
    dimension: 'number',
    by: [],
    example: 'gpu_hours < 2000000',
    doc: 'Hours that the `tokens` of the pipeline take at its rate, times its devices.',
  },
];

export const findFigure = (name: string): FigureSchema | undefined => figures.find((figure) => figure.name === name);

/** What an `expect` of a schedule may ask for. Its figures are for layers with F = I = W = 1 and free transfers. */
export const testWords: readonly { readonly name: string; readonly doc: string; readonly example: string }[] = [
  {
    name: 'over',
    doc: 'Shapes that are tested: ranges of `devices`, `microbatches` and of parameters of the schedule.',
    example: 'over(devices = 2..8, microbatches = 1..32)',
  },
  { name: 'valid', doc: 'The schedule has each operation once, and ends.', example: 'valid' },
  {
    name: 'order',
    doc: 'All operations are in the order of a built-in schedule, for shapes that both take.',
    example: 'order == 1f1b',
  },
];

/** Figures of a schedule without a pipeline, with what is said otherwise of those that equal stages count in units. */
const ofSchedules: Readonly<Partial<Record<ExpectFigure, Pick<FigureSchema, 'dimension' | 'example' | 'doc'> | true>>> =
  {
    bubble: true,
    span_bubble: true,
    peak_memory: {
      dimension: 'number',
      example: 'peak_memory(device = 0) <= devices',
      doc: 'Most memory held at any time, in activations of one stage for one microbatch. A part of a sequence counts as its share; weights take no memory.',
    },
    iteration: {
      dimension: 'number',
      example: 'iteration <= 3 * (microbatches + devices - 1)',
      doc: 'Time of one iteration, in forwards of one stage.',
    },
    staleness: true,
    versions: true,
    in_flight: true,
  };

export const scheduleFigures: readonly FigureSchema[] = figures.flatMap((figure) => {
  const own = ofSchedules[figure.name];
  return own === undefined ? [] : own === true ? [figure] : [{ ...figure, ...own }];
});
