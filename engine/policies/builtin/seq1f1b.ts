import type { StageCopy } from '../../values/plan.ts';
import { badInteger, integerArgument, shownArgument } from '../arguments.ts';
import { idleLine, perDevice } from '../describe.ts';
import type { OperationSink, Policy, PolicyArguments, Shape, ShapeFault } from '../policy.ts';

/** Each segment is a stage of the program. */
const mostSegments = 256;

const segmentsOf = (args: PolicyArguments): number =>
  Math.min(mostSegments, Math.max(1, integerArgument(args, 'segments', 4)));

/** Forwards before the first backward: 1F1B's p − s microbatches as segments, but that all segments of one must have run. */
const warmup = ({ devices, microbatches, args }: Shape, device: number): number =>
  Math.min(microbatches * segmentsOf(args), devices - device + segmentsOf(args) - 1);

/**
 * Sun et al., "Seq1F1B" (2024, arXiv:2406.03488). The paper counts p − s − 2 + k warm-up forwards and begins the
 * steady phase with a forward; that forward is part of the warm-up here.
 */
export const seq1f1b: Policy = {
  name: 'seq1f1b',
  summary:
    '1F1B over segments of each sequence, for causal models with long sequences. The idle time of 1F1B divided by the number of segments, with the memory of about p + k segments.',
  page: 'seq1f1b',
  parameters: [
    {
      name: 'segments',
      kind: 'integer',
      default: 4,
      min: 1,
      max: mostSegments,
      summary: 'Segments that every sequence is cut into.',
    },
    {
      name: 'shares',
      kind: 'integers',
      min: 1,
      summary: 'Percentage of the sequence in each segment, first segment first. Default: equal segments.',
    },
    {
      name: 'times',
      kind: 'integers',
      min: 1,
      summary:
        'Percentage of a stage’s time that each segment takes. Default: as `shares`. Attention makes a later segment of equal length take longer.',
    },
  ],
  split: false,
  chunks: () => 1,
  copies,
  placement: ({ stages, args }) => {
    const segments = segmentsOf(args);
    return Int32Array.from({ length: stages * segments }, (_, index) => Math.trunc(index / segments));
  },
  check: faults,
  order,
  explain(shape) {
    const { args, devices: p } = shape;
    const k = segmentsOf(args);
    const even = args['shares'] === undefined && args['times'] === undefined;
    return [
      `segments: ${k} of every microbatch; forwards run from the first to the last, backwards from the last to the first`,
      `warm-up: min(m·k, p − s + k − 1) = ${perDevice(shape, (device) => warmup(shape, device))} forwards of a segment`,
      even
        ? idleLine(shape, '(p − 1)(F + B) / k', ({ f, i, w }) => ((p - 1) * (f + i + w)) / k)
        : 'idle: (p − 1)(F + B) / k for equal segments; these segments differ',
      `in flight: ${perDevice(shape, (device) => warmup(shape, device) / k)} microbatches`,
    ];
  },
};

function copies({ stages, args }: Shape): readonly StageCopy[] | undefined {
  const segments = segmentsOf(args);
  if (segments === 1) return undefined;
  const lengths = percentages(args['shares'], segments);
  const times = percentages(args['times'], segments) ?? lengths;
  return Array.from({ length: stages * segments }, (_, index): StageCopy => {
    const segment = index % segments;
    return {
      stage: Math.trunc(index / segments),
      every: 1,
      first: 0,
      segment,
      segments,
      ...(lengths === undefined ? {} : { share: lengths[segment] / 100 }),
      ...(times === undefined ? {} : { time: times[segment] / 100 }),
    };
  });
}

/** A share for each segment, 100 in all; undefined where nothing or something else is written. */
function percentages(value: PolicyArguments[string] | undefined, segments: number): readonly number[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const list: readonly number[] = value;
  if (list.length !== segments || list.some((item) => !(item > 0))) return undefined;
  return list.reduce((sum, item) => sum + item, 0) === 100 ? list : undefined;
}

function faults({ args }: Shape): readonly ShapeFault[] {
  if (badInteger(args, 'segments', 1) || integerArgument(args, 'segments', 4) > mostSegments) {
    const message = `segments is ${shownArgument(args, 'segments')}; it must be a whole number from 1 to ${mostSegments}`;
    return [{ message, fix: { input: 'segments', values: [4] } }];
  }
  const segments = segmentsOf(args);
  return ['shares', 'times'].flatMap((input) => {
    if (args[input] === undefined || percentages(args[input], segments) !== undefined) return [];
    const message = `"${input}" must be ${segments} percentages over 0, one for each segment, that add up to 100`;
    return [{ message, fix: { input, values: [] } }];
  });
}

/** Forwards in order of microbatch and segment, backwards in order of microbatch and from the last segment to the first. */
function order(shape: Shape, device: number, out: OperationSink): void {
  const segments = segmentsOf(shape.args);
  const total = shape.microbatches * segments;
  const first = warmup(shape, device);
  const forward = (index: number): void =>
    out.forward(device * segments + (index % segments), Math.trunc(index / segments));
  for (let index = 0; index < first; index += 1) forward(index);
  for (let index = 0; index < total; index += 1) {
    out.backward(device * segments + segments - 1 - (index % segments), Math.trunc(index / segments));
    if (index + first < total) forward(index + first);
  }
}
