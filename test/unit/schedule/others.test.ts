import { describe, expect, it } from 'vitest';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { validate } from '../../../engine/schedule/validate.ts';
import { findPolicy } from '../../../engine/policies/registry.ts';
import { withCopies } from '../support/copies.ts';
import { type Simulated, bruteForce, namesOf, programFor, rowsOf } from './bruteForce.ts';
import { policyPlan } from './plans.ts';
import { publishedDirections } from './publishedDirections.ts';
import { publishedLines } from './publishedLines.ts';
import { publishedWholeV } from './publishedWholeV.ts';

type Args = Readonly<Record<string, number | string>>;
type Times = { readonly f?: number; readonly i?: number; readonly w?: number; readonly transfer?: number };

/** Equal stages under a policy; `iterations` of the arguments is the plan's. W frees what F keeps. */
function planFor(
  policy: string,
  p: number,
  m: number,
  { iterations = 1, ...args }: Args = {},
  times: Times = {},
): PipelinePlan {
  const v = findPolicy(policy)?.chunks(args) ?? 1;
  const cut = policyPlan(policy, p, m, { v, args, ...times });
  const stages = cut.stages.map((stage) => ({ ...stage, activation: 1, activationForWeight: 1 }));
  return withCopies({ ...cut, stages, iterations: Number(iterations) });
}

/** Names of a device's operations, as `PublishedOrder` writes them. */
function shownRows(plan: PipelinePlan): readonly string[] {
  const program = programFor(plan);
  expect(validate(program, plan)).toEqual([]);
  return namesOf(program).map((names, device) => {
    const shown = names.map((name, at) => {
      if (name.includes('U')) return 'U';
      return program.fused?.[program.offsets[device] + at] === 1 && program.split ? `${name}+` : name;
    });
    // All that a device holds is updated at once.
    return shown.filter((name, at) => name !== 'U' || shown[at - 1] !== 'U').join(' ');
  });
}

function run(...args: Parameters<typeof planFor>): Simulated {
  const plan = planFor(...args);
  const result = bruteForce(plan, rowsOf(programFor(plan)));
  if (result === undefined) throw new Error('the program never ends');
  return result;
}

describe('runs every operation in the order of public code', () => {
  it.each([...publishedLines, ...publishedDirections, ...publishedWholeV])(
    '$policy on $devices devices, $microbatches microbatches: $source',
    ({ policy, devices, microbatches, args, rows }) => {
      expect(shownRows(planFor(policy, devices, microbatches, args))).toEqual(rows);
    },
  );
});

/** Clocks of their `num_clock`, without the one for the update; each is a forward or a backward. */
it.each([
  ['gpipe', 3, 3, 10],
  ['1f1b', 4, 8, 22],
  ['eager_1f1b', 4, 8, 22],
  ['eager_1f1b', 8, 16, 46],
])('%s on %i devices, %i microbatches ends after the %i clocks of alpa-projects/alpa', (policy, p, m, clocks) => {
  expect(run(policy, p, m, {}, { f: 1, i: 0.5, w: 0.5 }).makespan).toBe(clocks);
});

/** sail-sg's patch for Megatron-LM (zb-h1-quick-start): kinds only, since it delays which W runs rather than how many. */
it.each([
  [
    4,
    8,
    ['FFFFIWFIWFIWFIWFIWIWIWIW', 'FFFIFIWFIWFIWFIWFIWIWIWW', 'FFIFIFIWFIWFIWFIWFIWIWWW', 'FIFIFIFIWFIWFIWFIWFIWWWW'],
  ],
  [3, 2, ['FFIWIW', 'FFIIWW', 'FIFIWW']],
])('zb_h1 on %i devices, %i microbatches takes F, I and W in turn as the authors’ patch', (p, m, kinds) => {
  expect(namesOf(programFor(planFor('zb_h1', p, m))).map((row) => row.join('').replace(/\d/g, ''))).toEqual(kinds);
});

/** kakaobrain/torchgpipe at 146b6861, pipeline.py: partitions and microbatches of each clock; backwards undo them. */
describe('torchgpipe', () => {
  const clocks = [
    [[0, 0]],
    [
      [0, 1],
      [1, 0],
    ],
    [
      [0, 2],
      [1, 1],
      [2, 0],
    ],
    [
      [0, 3],
      [1, 2],
      [2, 1],
    ],
    [
      [1, 3],
      [2, 2],
    ],
    [[2, 3]],
  ];
  it.each([
    ['always', 4],
    ['except_last', 3],
    ['never', 0],
  ])('checkpoint = %s: recomputes the first %i of four microbatches ahead of their backward', (checkpoint, stop) => {
    const rows = [0, 1, 2].map((partition) => {
      const taken = clocks.flatMap((clock) =>
        clock.filter(([at]) => at === partition).map(([, microbatch]) => microbatch),
      );
      const back = taken.toReversed().map((j) => `${j < stop ? `${partition}R${j} ` : ''}${partition}B${j}`);
      return [...taken.map((j) => `${partition}F${j}`), ...back].join(' ');
    });
    expect(shownRows(planFor('torchgpipe', 3, 4, { checkpoint }))).toEqual(rows);
  });
});

/** Makespan and most chunks held where F = I = W = 1: scheduler/zbv_greedy.py of sail-sg's repository at 064369d6. */
describe.each([
  ['v_half', 2, 6, 37, 4],
  ['v_half', 3, 9, 59, 4],
  ['v_half', 4, 8, 53, 6],
  ['v_half', 5, 15, 101, 6],
  ['v_half', 6, 18, 119, 8],
  ['v_half', 8, 24, 161, 10],
  ['v_min', 2, 6, 39, 4],
  ['v_min', 3, 9, 59, 4],
  ['v_min', 4, 8, 59, 4],
  ['v_min', 5, 15, 105, 6],
  ['v_min', 6, 18, 125, 6],
  ['v_min', 8, 24, 171, 8],
])('%s on %i devices, %i microbatches', (policy, p, m, makespan, held) => {
  it(`ends by ${makespan} with ${held} chunks, as the authors’ order does`, () => {
    const ours = run(policy, p, m);
    expect(ours.makespan).toBeLessThanOrEqual(makespan);
    expect(Math.max(...ours.inFlight)).toBe(held);
  });
});

/** Makespan under a limit of microbatches in flight until W: the eight variants of scheduler/zb.py of sail-sg's repository at 064369d6. */
describe.each([
  [4, 8, 1, 1, 1, 0, 4, 27],
  [4, 8, 2, 3, 1, 0, 6, 58],
  [4, 12, 3, 4, 2, 1, 6, 125],
  [4, 12, 3, 4, 2, 1, 8, 121],
  [4, 8, 2, 2, 3, 1, 5, 69],
  [6, 12, 5, 6, 4, 1, 7, 227],
  [6, 18, 10, 11, 9, 1, 7, 610],
  [8, 16, 10, 11, 9, 1, 9, 582],
  [8, 24, 5, 6, 4, 1, 9, 429],
  [8, 24, 10, 11, 9, 1, 16, 797],
])(
  'zb_auto on %i devices, %i microbatches, F, I, W and transfer %d, %d, %d, %d, %i in flight',
  (p, m, f, i, w, transfer, limit, makespan) => {
    it(`ends by ${makespan}, as the authors’ best variant does`, () => {
      const ours = run('zb_auto', p, m, { limit }, { f, i, w, transfer });
      expect(ours.makespan).toBeLessThanOrEqual(makespan);
      expect(Math.max(...ours.inFlight)).toBeLessThanOrEqual(limit);
    });
  },
);

/** Span bubble and makespan by the search of sail-sg's v_schedule.py, as hpcaitech/ColossalAI keeps it at 1d75045c, for 2p chunks. */
describe.each([
  [2, 6, 1, 1, 1, 0, 0, 37],
  [4, 12, 1, 1, 1, 0, 0, 75],
  [8, 24, 1, 1, 1, 0, 0, 151],
  [4, 12, 2, 3, 2, 0, 4, 177],
  [8, 24, 10, 11, 9, 1, 62, 1552],
])(
  'zb_v on %i devices, %i microbatches, F, I, W and transfer %d, %d, %d, %d',
  (p, m, f, i, w, transfer, span, makespan) => {
    const ours = run('zb_v', p, m, {}, { f, i, w, transfer });
    const equal = f === i && i === w;
    it(
      equal
        ? 'ends with the search, and idles nothing within a span'
        : 'idles more within a span than the search, and ends no later',
      () => {
        expect(ours.makespan).toBeLessThanOrEqual(makespan);
        if (equal) expect([ours.spanBubble, ours.makespan]).toEqual([span, makespan]);
        else expect(ours.spanBubble).toBeGreaterThan(span);
      },
    );
  },
);
