import * as fc from '../../support/property.ts';
import { expect, test } from 'vitest';
import { hostOf } from '../../support/host.ts';
import { planOf, resolveText } from '../../support/resolve.ts';

const around = (model: string, stages: string, devices: number) => `${model}
device d { memory = 1000GiB }
cluster box { gpu[${devices}] = d  link = 25GB/s }
pipeline train { model = m  devices = box  microbatches = ${devices}  schedule = gpipe  stages = ${stages} }
`;

/** A graph with edges from lower to higher numbers, and an order in which its layers are written. */
const graphs = fc.integer({ min: 2, max: 12 }).chain((count) =>
  fc.record({
    times: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: count, maxLength: count }),
    keys: fc.array(fc.nat(1000), { minLength: count, maxLength: count }),
    edges: fc.uniqueArray(
      fc
        .tuple(fc.nat(count - 2), fc.nat(count - 1))
        .map(([a, b]): [number, number] => [Math.min(a, b), Math.max(a, b) + (a === b ? 1 : 0)]),
      { selector: ([a, b]) => a * count + b, maxLength: 30 },
    ),
    parts: fc.integer({ min: 1, max: count }),
  }),
);

/** Least possible slowest part over all cuts of `times` into `parts` runs, by trying each. */
function bruteForce(times: readonly number[], parts: number): number {
  if (parts === 1) return times.reduce((sum, time) => sum + time, 0);
  let best = Infinity;
  for (let first = 1; first <= times.length - parts + 1; first += 1) {
    const head = times.slice(0, first).reduce((sum, time) => sum + time, 0);
    best = Math.min(best, Math.max(head, bruteForce(times.slice(first), parts - 1)));
  }
  return best;
}

test('cuts of a graph: each stage needs earlier ones only, and `balance` is exact for their order', () => {
  fc.assert(
    fc.property(graphs, ({ times, keys, edges, parts }) => {
      const written = times.map((_, value) => value).sort((a, b) => keys[a] - keys[b] || a - b);
      const needs = (layer: number) => edges.flatMap(([a, b]) => (b === layer ? [`l${a}`] : []));
      const layers = written.map(
        (index) =>
          `layer l${index} { forward = ${times[index]}ms  backward = 0ms  after = [${needs(index).join(', ')}] }`,
      );
      const model = `model m { ${layers.join('\n')} }`;
      const checkedPlan = (stages: string) => {
        const plan = planOf(around(model, stages, parts));
        const order = plan.stages.flatMap((stage) => stage.layers);
        expect([...order].sort()).toEqual(times.map((_, value) => `l${value}`).sort());
        const stageOf = new Map(
          plan.stages.flatMap((stage, index) => stage.layers.map((name) => [name, index] as const)),
        );
        for (const [a, b] of edges) expect(stageOf.get(`l${a}`)).toBeLessThanOrEqual(stageOf.get(`l${b}`) ?? -1);
        return plan;
      };
      const { stages } = checkedPlan(`balance(${parts})`);
      const order = stages.flatMap((stage) => stage.layers.map((name) => times[Number(name.slice(1))]));
      const slowest = Math.max(...stages.map((stage) => stage.forward * 1000));
      // Layers of a stage are listed in the order of the cut.
      expect(slowest).toBeCloseTo(bruteForce(order, parts), 9);
      const sizes = [times.length - parts + 1, ...new Array<number>(parts - 1).fill(1)];
      expect(checkedPlan(`split(${sizes.join(', ')})`).stages.map((stage) => stage.layers.length)).toEqual(sizes);
    }),
    { numRuns: 80 },
  );
});

test('a wide graph as large as that of NASNet-A Large is planned, no stage much over the mean', () => {
  // 1,251 nodes: cells of five branches that each take the outputs of two cells before.
  const lines: string[] = [
    'n0 -- Input -- forward_compute_time=900, backward_compute_time=0, activation_size=1000, parameter_size=0',
  ];
  const edges: string[] = [];
  for (let cell = 0, at = 1; cell < 125; cell += 1) {
    for (let one = 0; one < 10; one += 1, at += 1) {
      lines.push(
        `n${at} -- Op -- forward_compute_time=${1 + (at % 7)}, backward_compute_time=${2 + (at % 5)}, activation_size=[10; 20], parameter_size=8`,
      );
      const before = (cells: number) => Math.max(0, (cell - cells + 1) * 10);
      if (one < 5) edges.push(`\tn${before(1)} -- n${at}`, ...(cell > 0 ? [`\tn${before(2)} -- n${at}`] : []));
      else if (one < 9) edges.push(`\tn${at - 5} -- n${at}`);
      else edges.push(...[1, 2, 3, 4, 5].map((back) => `\tn${at - back} -- n${at}`));
    }
  }
  const host = hostOf({ 'wide.txt': [...lines.toReversed(), ...edges].join('\n') });
  const { plan, findings } = resolveText(around('model m { from = profile("wide.txt") }', 'balance(8)', 8), { host });
  expect(findings.filter((finding) => finding.severity === 'error')).toEqual([]);
  expect(lines).toHaveLength(1251);
  expect(plan.pipelines[0].stages.reduce((sum, stage) => sum + stage.layers.length, 0)).toBe(1251);
  const total = plan.pipelines[0].stages.map((stage) => stage.forward + stage.backwardInput + stage.backwardWeight);
  const mean = total.reduce((sum, value) => sum + value, 0) / 8;
  // No layer takes over 13 ms, so neither does the slowest stage take more than that over the mean.
  expect(Math.max(...total)).toBeLessThan(mean + 0.013);
  expect(plan.pipelines[0].edges.every((edge) => edge.from < edge.to)).toBe(true);
});
