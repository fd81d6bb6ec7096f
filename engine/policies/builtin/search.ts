import { table } from '../../basics/table.ts';
import { bytes, count, share, shareAtMost, time, timeAtLeast } from '../../basics/quantities.ts';
import { badInteger, shownArgument } from '../arguments.ts';
import type { OperationSink, Policy, PolicyParameter, Shape, ShapeFault } from '../policy.ts';
import { answerOf, answerSteps } from '../searched/answers.ts';
import { emitWords } from '../searched/emit.ts';
import { limitFaults } from '../searched/limits.ts';
import type { Risk } from '../../search/risk.ts';
import { chunksOf, effortOf, isWhole, objectiveOf, placementOf } from '../searched/problem.ts';
import { limitOf, limitParameter, limitWords } from '../zbAuto/limit.ts';

const parameters: readonly PolicyParameter[] = [
  limitParameter,
  {
    name: 'effort',
    kind: 'integer',
    summary:
      'How long to search: 1 visits 20 million operations, about a second. More effort never gives a longer order; 0 takes the best of the other policies and of simple priorities.',
    default: 1,
    min: 0,
    max: 1000,
  },
  { name: 'chunks', kind: 'integer', summary: 'Stages that each device holds: 1 or 2.', default: 1, min: 1, max: 2 },
  {
    name: 'placement',
    kind: 'word',
    words: ['linear', 'v_shape', 'loop'],
    summary:
      'Devices of the stages: `linear` with one chunk; with two, `v_shape` (stages i and 2p − 1 − i on device i, the default) or `loop` (i and p + i).',
  },
  {
    name: 'backward',
    kind: 'word',
    words: ['split', 'whole'],
    default: 'split',
    summary: 'Whether a backward is an input gradient and a weight gradient, which may run later, or one operation.',
  },
  {
    name: 'objective',
    kind: 'word',
    words: ['end', 'span'],
    default: 'end',
    summary:
      'Time to minimise: `end`, the end of the last device, or `span`, the longest time between the first start and the last end of a device.',
  },
  {
    name: 'prefer',
    kind: 'word',
    words: ['shortest', 'p95'],
    default: 'shortest',
    summary:
      'Which order to take: `shortest`, or `p95`, the order whose iteration 95 of 100 random draws stay under the earliest. It needs the key `jitter`.',
  },
];

/** The best order that a search finds within an effort, and how far it is from the best there could be. */
export const search: Policy = {
  name: 'search',
  summary:
    'An order search: finds the shortest order for the times and the memory of this pipeline, and proves how much shorter any other could be. One or two chunks on each device.',
  page: 'search',
  parameters,
  split: true,
  whole: isWhole,
  alike: true,
  searches: true,
  // A search for spans goes the way of a search for ends, too.
  searchedOperations: (args) => effortOf(args) * 2e7 * (objectiveOf(args) === 'span' ? 2 : 1),
  prepare: answerSteps,
  chunks: (args) => Math.min(2, Math.max(1, chunksOf(args))),
  placement: placementOf,
  check: faults,
  order,
  explain,
};

function faults(shape: Shape): readonly ShapeFault[] {
  const { args, chunks } = shape;
  for (const [name, least, most] of [
    ['chunks', 1, 2],
    ['effort', 0, 1000],
  ] as const)
    if (badInteger(args, name, least) || Number(args[name] ?? 1) > most) {
      const message = `${name} is ${shownArgument(args, name)}; it must be a whole number from ${least} to ${most}`;
      return [{ message, fix: { input: name, values: [1, most] } }];
    }
  const { placement } = args;
  if (chunks === 1 && placement !== undefined && placement !== 'linear')
    return [
      {
        message: `placement = ${shownArgument(args, 'placement')} needs two chunks on each device; write chunks = 2`,
        fix: { input: 'chunks', values: [2] },
      },
    ];
  if (chunks === 2 && placement === 'linear')
    return [
      {
        message: 'placement = linear puts one stage on each device; write v_shape or loop for two chunks',
        fix: { input: 'chunks', values: [1] },
      },
    ];
  if (args['prefer'] === 'p95' && shape.jitter === undefined)
    return [
      {
        message: 'prefer = p95 needs random times; write jitter = 5% in the pipeline, or leave out prefer',
        fix: { input: 'schedule', values: [] },
      },
    ];
  if (args['prefer'] === 'p95' && args['objective'] === 'span')
    return [
      {
        message: 'prefer = p95 compares ends; write objective = end, or leave out prefer',
        fix: { input: 'schedule', values: [] },
      },
    ];
  return limitFaults(shape, placementOf(shape));
}

function order(shape: Shape, device: number, out: OperationSink): void {
  const { words, problem } = answerOf(shape);
  emitWords(problem, words, isWhole(shape.args), device, out);
}

function explain(shape: Shape): readonly string[] {
  const [fault] = faults(shape);
  if (fault !== undefined) return [`search: ${fault.message}`];
  const { by, makespan, span, bound, spanBound, effort, seed, perSecond, risk } = answerOf(shape);
  const isSpan = objectiveOf(shape.args) === 'span';
  const end = time(makespan / perSecond);
  const within = limitWords(limitOf(shape));
  return [
    limitLine(shape),
    `order: ${madeBy(by, risk === undefined)}, after ${share(Math.min(1, effort / effortOf(shape.args)))} of the effort (${effortOf(shape.args)}); generator seed ${seed >>> 0}`,
    makespan <= bound
      ? `end: ${end}, and it is proven that no order within ${within} ends sooner`
      : `end: ${end}, at most ${shareAtMost(makespan / bound - 1)} above the least possible within ${within} (${timeAtLeast(bound / perSecond)})`,
    `longest span: ${time(span / perSecond)}${isSpan ? spanProof(span, spanBound, perSecond, within) : ''}`,
    ...(risk === undefined ? [] : [riskLine(risk, perSecond)]),
  ];
}

const steps: Readonly<Record<string, string>> = table({
  'simple priorities': 'a priority list',
  priorities: 'disturbed priorities',
  moves: 'moves on a critical path',
  rounds: 'rounds of a forward and an input gradient on every device',
  waves: 'waves of microbatches',
  windows: 'what must end first in every shorter order',
  beams: 'many orders that were built at once',
  dives: 'decisions that leave room for an end at the bound',
  repetition: 'a repeated order of fewer microbatches',
});

/** `isShortest`: otherwise the order was not chosen for its length. */
const madeBy = (by: string, isShortest: boolean): string => {
  if (steps[by] !== undefined) return `found by ${steps[by]}`;
  return isShortest ? `${by}, because no shorter one was found` : by;
};

const spanProof = (span: number, bound: number, perSecond: number, within: string): string =>
  span <= bound
    ? `, and it is proven that no order within ${within} has a shorter one`
    : `, at most ${shareAtMost(span / bound - 1)} above the least possible within ${within} (${timeAtLeast(bound / perSecond)})`;

const riskLine = ({ p95, shortest, orders, draws, isSlowed }: Risk, perSecond: number): string =>
  `p95: ${time(p95 / perSecond)}${isSlowed === true ? ' with `slow`' : ''}, the least of ${count(orders, 'order', 'orders')} in ${count(draws, 'draw', 'draws')}${isSlowed === true ? ' without it' : ''}; the shortest order ends at ${time(shortest.makespan / perSecond)}, with a p95 of ${time(shortest.p95 / perSecond)}`;

function limitLine(shape: Shape): string {
  const { kind, amount } = limitOf(shape);
  if (kind === 'microbatches')
    return `limit: the activations of ${count(amount, 'microbatch', 'microbatches')} on a device`;
  if (kind === 'bytes') return `limit: ${bytes(amount)} of activations on a device`;
  return 'limit: the memory of each device';
}
