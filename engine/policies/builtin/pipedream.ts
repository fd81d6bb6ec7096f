import type { StageCopy } from '../../values/plan.ts';
import { badInteger, integerArgument } from '../arguments.ts';
import { perStage } from '../describe.ts';
import { fewInFlight } from '../orders/fewInFlight.ts';
import { runAhead, alternateWithoutFlush, microbatchesOfRun, replicaFaults } from '../orders/withoutFlush.ts';
import type { Ahead } from '../orders/period.ts';
import { linear } from '../placement.ts';
import type { Policy, PolicyArguments, Shape } from '../policy.ts';
import type { WeightRule } from '../../values/program.ts';

const rules: readonly WeightRule[] = ['stash', 'vertical_sync', 'latest'];
const ruleOf = ({ weights }: PolicyArguments): WeightRule => rules.find((rule) => rule === weights) ?? 'stash';

const ranksOf = (shape: Shape): number => Array.from(shape.replicas).reduce((sum, count) => sum + count, 0);

/** Minibatches that each replica of the input stage keeps in flight so that no stage waits: ⌈ranks / replicas of the input stage⌉. */
const mostUseful = (shape: Shape): number => Math.ceil(ranksOf(shape) / shape.replicas[0]);

/**
 * Forwards of each replica of a stage before its first backward: ⌊(ranks − 1 − ranks before) / ranks of the stage⌋ + 1 (Narayanan
 * et al., "PipeDream" (2019), sections 3.2 and 3.3). With another number in flight at the input stage, the warm-ups of later
 * stages are scaled to it, and (warm-up − 1) × replicas never grows from a stage to the next. For r replicas with a warm-up of w,
 * the backward of microbatch y comes after the forward of y + (w − 1)r. A stage before it, with w′ and r′, starts that forward
 * only after an update of all microbatches below r′⌊(y + (w − 1)r) / r′⌋ − (w′ − 1)r′, which must not hold y: no circle, whatever
 * replicas wait for each other. So, too, no version that a minibatch enters with is missing later. The formula keeps to it.
 */
export function warmups(shape: Shape): Float64Array {
  const { stages, replicas, args } = shape;
  const ranks = ranksOf(shape);
  // Replicas may multiply a warm-up past 32 bits.
  const found = new Float64Array(stages);
  const inFlight = integerArgument(args, 'in_flight', mostUseful(shape));
  let before = 0;
  for (let stage = 0; stage < stages; stage += 1) {
    const turn = Math.floor((ranks - 1 - before) / replicas[stage]);
    const input = Math.floor((ranks - 1) / replicas[0]);
    if (stage === 0) found[0] = inFlight;
    else {
      const scaled = 1 + Math.ceil(((inFlight - 1) * turn) / input);
      const reach = 1 + Math.floor(((found[stage - 1] - 1) * replicas[stage - 1]) / replicas[stage]);
      found[stage] = Math.min(scaled, reach);
    }
    before += replicas[stage];
  }
  return found;
}

/** Fewer minibatches in flight than stages, without replicas: no constant warm-up has the least period then. */
function aheadOf(shape: Shape): Ahead | undefined {
  const inFlight = integerArgument(shape.args, 'in_flight', shape.stages);
  if (inFlight >= shape.stages || copiesOf(shape) !== undefined) return undefined;
  return fewInFlight(shape, inFlight, warmups(shape));
}

/** Most forwards of each stage ahead of a backward, its microbatch among them. */
function mostAhead(shape: Shape): ArrayLike<number> {
  const ahead = aheadOf(shape);
  if (ahead === undefined) return warmups(shape);
  return Float64Array.from({ length: shape.stages }, (_, stage) => {
    let most = 1;
    for (let microbatch = 0; microbatch < microbatchesOfRun(shape); microbatch += 1)
      most = Math.max(most, ahead(stage, microbatch) - microbatch);
    return most;
  });
}

/** One copy for each replica: microbatch j runs on replica j mod replicas, forward and backward. */
function copiesOf({ replicas }: Shape): readonly StageCopy[] | undefined {
  const counts = Array.from(replicas);
  if (counts.every((count) => count === 1)) return undefined;
  return counts.flatMap((every, stage) => Array.from({ length: every }, (_, first) => ({ stage, every, first })));
}

/** Narayanan et al., "PipeDream: Generalized Pipeline Parallelism for DNN Training" (2019), sections 3.2 and 3.3. */
export const pipedream: Policy = {
  name: 'pipedream',
  summary:
    'Asynchronous 1F1B: minibatches follow each other without a flush, and each stage updates its weights after every minibatch. No bubble, at the cost of several weight versions and stale gradients.',
  page: 'pipedream',
  parameters: [
    {
      name: 'weights',
      kind: 'word',
      words: rules,
      default: 'stash',
      summary:
        '`stash`: the backward uses the weights of its forward. `vertical_sync`: all stages use the version that the input stage had. `latest`: always the newest, so that forward and backward differ.',
    },
    {
      name: 'in_flight',
      kind: 'integer',
      min: 1,
      summary:
        'Minibatches that each replica of the input stage keeps in flight. Default: ⌈ranks / replicas of the input stage⌉.',
    },
  ],
  split: false,
  operations: 3,
  replicates: true,
  chunks: () => 1,
  copies: copiesOf,
  placement: (shape) => linear(ranksOf(shape)),
  weights: ruleOf,
  check(shape) {
    if (badInteger(shape.args, 'in_flight', 1))
      return [{ message: 'in_flight must be a whole number of at least 1', fix: { input: 'in_flight', values: [] } }];
    return replicaFaults(shape);
  },
  order(shape, device, out) {
    let stage = 0;
    let first = device;
    while (first >= shape.replicas[stage]) {
      first -= shape.replicas[stage];
      stage += 1;
    }
    const every = shape.replicas[stage];
    const ahead = aheadOf(shape);
    if (ahead !== undefined) {
      const run = { stage, microbatches: microbatchesOfRun(shape), minibatch: shape.microbatches };
      return runAhead(run, (microbatch) => ahead(stage, microbatch), out);
    }
    const run = { stage: device, first, every, microbatches: microbatchesOfRun(shape), minibatch: shape.microbatches };
    return alternateWithoutFlush({ ...run, warmup: warmups(shape)[stage] }, out);
  },
  explain(shape) {
    const warmup = mostAhead(shape);
    const ranks = ranksOf(shape);
    const alone = copiesOf(shape) === undefined;
    const limited = integerArgument(shape.args, 'in_flight', 0) > 0;
    const form = alone ? 'p − s' : '⌊(ranks − 1 − ranks before) / ranks of the stage⌋ + 1';
    const lines = [
      `in flight: ${limited ? `${warmup[0]}, as written` : `⌈${ranks} / ${shape.replicas[0]}⌉ = ${warmup[0]}`} at ${alone ? 'the input stage' : 'each replica of the input stage'}`,
      `warm-up: ${limited ? 'scaled' : form} = ${perStage(shape, (stage) => warmup[stage])} forwards`,
      alone
        ? 'bubble: none once the pipeline is full and stages take the same time'
        : 'bubble: replicas wait for each other’s gradients before an update; more minibatches in flight may hide it',
    ];
    if (shape.microbatches !== 1) return lines;
    const rule = ruleOf(shape.args);
    const stale = (stage: number) => warmup[rule === 'vertical_sync' ? 0 : stage] - 1;
    if (rule !== 'vertical_sync' || alone)
      lines.push(
        `staleness: ${perStage(shape, stale)} updates${rule === 'latest' ? '; the backward uses other weights than the forward' : ''}`,
      );
    if (rule === 'stash') lines.push(`versions: ${perStage(shape, (stage) => warmup[stage])}`);
    if (rule === 'vertical_sync' && alone) lines.push(`versions: ${perStage(shape, () => warmup[0])}`);
    if (rule === 'latest') lines.push(`versions: ${perStage(shape, () => 1)}`);
    return lines;
  },
};
