import { badInteger, integerArgument, shownArgument } from '../arguments.ts';
import { type EqualTimes, idleLine, near } from '../describe.ts';
import { heldMost } from '../orders/held.ts';
import { nearestTo } from '../nearest.ts';
import type { StageCopy } from '../../values/plan.ts';
import type { OperationSink, Policy, PolicyArguments, Shape, ShapeFault } from '../policy.ts';

const concatenations = ['direct', 'forward_doubling', 'backward_halving'] as const;

/**
 * Pipelines of both directions over the same devices: Li and Hoefler, "Chimera" (2021), section 3.1. More microbatches than
 * devices: section 3.5. More than two pipelines: section 3.6. Everything has a separate slot in a table where F and B take a
 * slot; a device works through its slots in order.
 */
export const chimera: Policy = {
  name: 'chimera',
  summary:
    'Pipelines that run down and up over the same devices fill each other’s idle slots. Half the idle time of 1F1B and more even activation memory, but each pipeline holds a copy of the weights.',
  page: 'chimera',
  parameters: [
    {
      name: 'concat',
      kind: 'word',
      words: concatenations,
      default: 'direct',
      summary:
        'Order for more microbatches than devices. `direct` runs units of p microbatches one after the other. `forward_doubling` runs forwards two at a time, for B = 2F. `backward_halving` cuts each microbatch in two for the backward.',
    },
    {
      name: 'pipelines',
      kind: 'integer',
      default: 2,
      min: 2,
      summary:
        'Number of pipelines, half of them down and half up. More pipelines idle less and hold more copies of the weights.',
    },
  ],
  split: false,
  chunks: () => 1,
  parts: (args) => (concatOf(args) === 'backward_halving' ? 2 : 1),
  copies: (shape) => {
    const every = pipelinesOf(shape);
    return Array.from({ length: every * shape.stages }, (_, index): StageCopy => ({
      stage: index % shape.stages,
      every,
      first: Math.trunc(index / shape.stages),
    }));
  },
  placement: (shape) => {
    const { stages } = shape;
    const pipelines = pipelinesOf(shape);
    return Int32Array.from({ length: pipelines * stages }, (_, index) =>
      deviceOf(index % stages, Math.trunc(index / stages), stages, pipelines),
    );
  },
  check: faults,
  order,
  explain(shape) {
    const { args } = shape;
    const pipelines = pipelinesOf(shape);
    const doubled = concatOf(args) !== 'direct';
    const halves = concatOf(args) === 'backward_halving';
    return [
      `pipelines: n = ${pipelines}, each for every ${pipelines}th microbatch; half run down, half up`,
      doubled
        ? idleLine(shape, '(2p/n − 2)B for B = 2F', (times) => doubledIdle(shape, times))
        : idleLine(shape, `(2p/n − 2)F for F = B, (${units(shape)} + 1)(p/n − 1)B for B = 2F`, (times) =>
            directIdle(shape, times),
          ),
      `in flight: ${heldMost(shape, order)} ${halves ? 'halves of microbatches' : 'microbatches'} at most`,
      `weights: ${pipelines} stages a device`,
    ];
  },
};

/** As written, at least 2. */
const asked = (args: PolicyArguments): number => Math.max(2, integerArgument(args, 'pipelines', 2));

/** No more than there are devices: `faults` refuses others, but is asked only once stages have their places. */
const pipelinesOf = ({ stages, args }: Pick<Shape, 'stages' | 'args'>): number =>
  Math.max(2, Math.min(asked(args), stages));
const concatOf = (args: PolicyArguments): (typeof concatenations)[number] =>
  concatenations.find((name) => name === args['concat']) ?? 'direct';

/** Pipelines 0, 2, … run down and begin p / f devices apart, f of each direction; 1, 3, … are their mirror images. */
function deviceOf(stage: number, pipeline: number, devices: number, pipelines: number): number {
  const at = (stage + (pipeline >> 1) * ((2 * devices) / pipelines)) % devices;
  return pipeline % 2 === 0 ? at : devices - 1 - at;
}

const units = ({ devices, microbatches }: Shape): number => Math.ceil(microbatches / devices);

/**
 * For a whole number of units: p / f − 2 slots of one operation. If B = 2F, twice that, and as much of F again for each further
 * unit.
 */
function directIdle(shape: Shape, { f, i, w }: EqualTimes): number | undefined {
  const { devices, microbatches } = shape;
  if (microbatches % devices !== 0) return undefined;
  const slots = (2 * devices) / pipelinesOf(shape) - 2;
  if (near(f, i + w)) return slots * f;
  return near(2 * f, i + w) ? slots * (units(shape) + 1) * f : undefined;
}

/** The same slots, each as long as a backward of one microbatch, which is a forward of two. */
function doubledIdle(shape: Shape, { f, i, w }: EqualTimes): number | undefined {
  const { devices, microbatches } = shape;
  return near(2 * f, i + w) && microbatches % (2 * devices) === 0
    ? ((2 * devices) / pipelinesOf(shape) - 2) * (i + w)
    : undefined;
}

/**
 * Operations of a pipeline enter it at slots that leave room for the mirror images: `group` = p / 2f of them two slots apart,
 * then the other pipelines' turn. An operation's turn (forward or backward, counted from 0 in each pipeline) gives its slot. A
 * backward's turn is at least `group` after its forward's turn, by which time the microbatch has come down.
 */
interface Turns {
  readonly forward: (index: number) => number;
  readonly backward: (index: number) => number;
}

/** `group` forwards, their backwards, the next forwards, …; figure 7(b). */
const directTurns = (group: number): Turns => {
  const forward = (index: number): number => 2 * group * Math.trunc(index / group) + (index % group);
  return { forward, backward: (index) => forward(index) + group };
};

/**
 * `group` forwards of two microbatches each, then their backwards, as often as there are microbatches for it. A doubled forward
 * takes as long as a backward, so that units leave no gap; figure 7(c). The order of the authors' code, which takes whole units
 * only.
 */
const unitTurns = (group: number): Turns => ({
  forward: (index) => 3 * group * Math.trunc((index >> 1) / group) + ((index >> 1) % group),
  backward: (index) => group * (3 * Math.trunc(index / (2 * group)) + 1) + (index % (2 * group)),
});

/**
 * The same if the last unit is not whole. After the first `group` doubled forwards come two backwards and a forward in turn. This
 * ends earlier than a unit of which a part is missing, for more in flight on the outer devices.
 */
function mixedTurns(group: number, count: number): Turns {
  const more = Math.max(0, Math.ceil(count / 2) - group);
  return {
    forward(index) {
      const pair = index >> 1;
      return pair < group ? pair : group + 3 * (pair - group) + 2;
    },
    backward: (index) => group + index + Math.min(index >> 1, more),
  };
}

function order(shape: Shape, device: number, out: OperationSink): void {
  const { devices, stages, microbatches, args } = shape;
  const pipelines = pipelinesOf(shape);
  const group = devices / pipelines;
  const doubled = concatOf(args) !== 'direct';
  const whole = microbatches % (2 * devices) === 0;
  const slot = (turn: number): number => devices * Math.trunc(turn / group) + 2 * (turn % group);
  const streams = Array.from({ length: pipelines }, (_, pipeline) => {
    let stage = 0;
    while (deviceOf(stage, pipeline, devices, pipelines) !== device) stage += 1;
    const count = Math.ceil(Math.max(0, microbatches - pipeline) / pipelines);
    const turns = !doubled ? directTurns(group) : whole ? unitTurns(group) : mixedTurns(group, count);
    return { pipeline, stage, count, turns, forwards: 0, backwards: 0 };
  });
  type Stream = (typeof streams)[number];
  const nextForward = ({ stage, count, turns, forwards }: Stream): number =>
    forwards < count ? slot(turns.forward(forwards)) + stage : Infinity;
  const nextBackward = ({ stage, count, turns, backwards }: Stream): number =>
    backwards < count ? slot(turns.backward(backwards)) + stages - 1 - stage : Infinity;
  for (;;) {
    let first = Infinity;
    let from: Stream | undefined;
    let backward = false;
    for (const stream of streams) {
      const [ahead, back] = [nextForward(stream), nextBackward(stream)];
      if (Math.min(ahead, back) >= first) continue;
      first = Math.min(ahead, back);
      from = stream;
      backward = back < ahead;
    }
    if (from === undefined) return;
    const at = from.pipeline * stages + from.stage;
    const write = (): number => from.pipeline + pipelines * (backward ? from.backwards++ : from.forwards++);
    if (backward) out.backward(at, write());
    else {
      out.forward(at, write());
      if (doubled && from.forwards < from.count) {
        out.fuse();
        out.forward(at, write());
      }
    }
  }
}

function faults({ stages, microbatches, args }: Shape): readonly ShapeFault[] {
  if (badInteger(args, 'pipelines', 2) || asked(args) % 2 !== 0) {
    const written = Number(args['pipelines']);
    const values = Number.isFinite(written) ? nearestTo(Math.floor(written), 2, 2) : [2];
    return [
      {
        message: `pipelines is ${shownArgument(args, 'pipelines')}; half of them run down and half up, so it must be even`,
        fix: { input: 'pipelines', values },
      },
    ];
  }
  const pipelines = asked(args);
  const found: ShapeFault[] = [];
  if (stages % pipelines !== 0)
    found.push({
      message: `${pipelines} pipelines need a number of devices that is divisible by ${pipelines}; there are ${stages}`,
      fix: { input: 'stages', values: nearestTo(stages, pipelines, pipelines) },
    });
  // Parts are what the policy counts; a person counts whole microbatches.
  const whole = microbatches / 2;
  if (concatOf(args) === 'backward_halving' && whole % pipelines !== 0)
    found.push({
      message: `backward_halving needs a number of microbatches that is divisible by the ${pipelines} pipelines; there are ${whole}`,
      fix: { input: 'microbatches', values: nearestTo(whole, pipelines, pipelines) },
    });
  return found;
}
