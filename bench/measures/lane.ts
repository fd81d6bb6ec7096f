import type { ExchangeRule } from '../../engine/values/exchangePlan.ts';
import { settleLane } from '../../engine/simulate/exchange/best/settle.ts';
import { type LaneProblem, runLane } from '../../engine/simulate/exchange/lane.ts';
import { collective, problemOf, type Rule, servers, type TensorLayer } from '../../test/unit/exchange/chains.ts';
import { runsOf } from '../../test/unit/exchange/files/fixture.ts';
import { referenceLane } from '../../test/unit/exchange/referenceLane.ts';
import { measure } from '../measure.ts';
import { ms, rate, type Row, type Table } from '../rows.ts';

const layers = (count: number): readonly TensorLayer[] =>
  Array.from({ length: count }, (_, at) => ({ forward: 1e-3, backward: 2e-3, bytes: (1 + ((at * 7919) % 13)) * 1e6 }));
const ring = collective(10e9, 20e-6);
const forward: Rule = { order: 'forward', barrier: false };

const piecesOf = (problem: LaneProblem, piece: number): number =>
  problem.tensors.reduce((sum, { bytes }) => sum + Math.ceil(bytes / piece), 0);

/** What a keystroke costs: from text to the run. */
const fileOf161 = `model m {
${layers(161)
  .map(({ bytes }, at) => `  layer l${at} { forward = 1ms  backward = 2ms  weights = ${bytes}B }`)
  .join('\n')}
}
device gpu { memory = 80GiB }
cluster box { gpu[8] = gpu  link = 10GB/s + 5us }
pipeline p {
  model = m  devices = box  microbatches = 1  stages = balance(1)  schedule = 1f1b  data = 8
  sync = bytescheduler(partition = best)
}
`;

/** Pieces over a lane, against the plain reference; searches for what is `best`. */
export function laneTable(): Table {
  const many = layers(500);
  const pieces = (name: string, call: ReturnType<typeof collective>, rule: Rule): Row => {
    const problem = problemOf(many, call, rule);
    const pushed = piecesOf(problem, typeof rule.partition === 'number' ? rule.partition : Infinity);
    // Each is pulled again.
    const count = call.pull === undefined ? pushed : 2 * pushed;
    const { first, best } = measure(() => runLane(problem));
    const perSecond = (count / best) * 1e3;
    return {
      cells: [name, count.toLocaleString('en'), ms(first), ms(best), `${rate(perSecond)} pieces`],
      goal: { text: '≥ 5 M pieces/s', met: perSecond >= 5e6 },
    };
  };
  return {
    title: 'Lane: 500 layers',
    head: ['', 'pieces', 'first', 'best', 'rate'],
    rows: [
      pieces('one piece at a time', ring, { ...forward, partition: 1e4 }),
      pieces('credit for four pieces', ring, { ...forward, partition: 1e4, credit: 4e4 }),
      pieces('strict, acknowledged late', ring, { ...forward, partition: 1e4, credit: 4e4, strict: true, ack: 1e-6 }),
      pieces('servers', servers(10e9), { ...forward, partition: 1e4 }),
      againstReference(),
      within('whole tensors', 1, () => runLane(problemOf(many, ring, forward))),
      within('bucket = best, with a barrier', 100, () => settle({ bucket: 'best' })),
      within('bucket = best, without a barrier', 100, () => settle({ bucket: 'best', barrier: false })),
      within('PACE', 100, () => settle(pace)),
      within('partition = best, credit = best', 100, () =>
        settle({ order: 'forward', barrier: false, partition: 'best', credit: 'best' }),
      ),
      within('a file of 161 layers, partition = best', 16, () => runsOf(fileOf161), 20),
    ],
  };

  function settle(rule: Partial<ExchangeRule>): unknown {
    const problem = problemOf(many, ring, {});
    return settleLane(problem, { ...overlap, ...rule }, problem);
  }
}

const overlap: ExchangeRule = {
  name: 'overlap',
  order: 'ready',
  bucket: 'layer',
  partition: 'whole',
  credit: 'unlimited',
  strict: false,
  ack: 0,
  barrier: true,
  earlyStart: false,
  halves: 'together',
};
const pace: Partial<ExchangeRule> = {
  order: 'tail',
  bucket: 'best',
  partition: 'at_preemption',
  credit: 'piece',
  barrier: false,
};

function within(name: string, goal: number, work: () => unknown, rounds = 3): Row {
  const { first, best } = measure(work, { rounds });
  return { cells: [name, '', ms(first), ms(best), ''], goal: { text: `≤ ${goal} ms`, met: best <= goal } };
}

/** On few layers: the reference is quadratic in its pieces. */
function againstReference(): Row {
  const some = layers(20);
  const problem = problemOf(some, ring, { ...forward, partition: 1e5, credit: 4e5 });
  const fast = measure(() => runLane(problem));
  const plain = measure(
    () =>
      referenceLane({
        tensors: some.map(({ bytes }, at) => ({ bytes, ready: problem.ready[at], urgency: at })),
        buckets: some.map((_, at) => [some.length - 1 - at]),
        push: (bytes) => 20e-6 + bytes / 10e9,
        piece: 1e5,
        credit: { bytes: 4e5 },
        strict: false,
        ack: 0,
        early: false,
      }),
    { rounds: 2, atLeast: 1 },
  );
  const ratio = plain.best / fast.best;
  return {
    cells: [
      'against the reference',
      piecesOf(problem, 1e5).toLocaleString('en'),
      ms(plain.best),
      ms(fast.best),
      `${ratio.toFixed(0)} ×`,
    ],
    goal: { text: '≥ 100 ×', met: ratio >= 100 },
  };
}
