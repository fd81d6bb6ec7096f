import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as fc from '../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { fixesFor, refactorings } from '../../../engine/fixes/fix.ts';
import { apply } from '../../../engine/fixes/proposal.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { graphs, type Graph, slowestOfAll } from './dagFixture.ts';
import { resolveText } from '../../support/resolve.ts';
import { analyse, checkedAfter } from '../../support/analyse.ts';

const folder = join(process.env['PIPEWRIGHT_DATA'] ?? resolve(import.meta.dirname, '../../data'), 'pipedream');

interface Setting {
  readonly devices: number;
  readonly memory?: string;
  readonly schedule?: string;
  /** Relative speeds; all 1 unless said. */
  readonly speeds?: readonly number[];
}

/** A pipeline that is cut as `stages` says. */
const pipeline = (stages: string, { devices, memory = '1000GiB', schedule = '1f1b', speeds }: Setting) => `
${Array.from({ length: devices }, (_, index) => `device d${index} { memory = ${memory}  speed = ${speeds?.[index] ?? 1} }`).join('\n')}
cluster box {
${Array.from({ length: devices }, (_, index) => `  gpu[${index}..${index}] = ${speeds === undefined ? 'd0' : `d${index}`}`).join('\n')}
  link = 1000GB/s
}
pipeline train { model = m  devices = box  microbatches = 8  schedule = ${schedule}  ${stages} }
`;

/** A model whose layers are written in the order of the graph's numbers. */
const model = ({ needs, times, outputs }: Graph, weights: readonly number[] = []) => `model m {
${needs.map((row, node) => `layer l${node} { forward = ${times[node]}ms  backward = 0ms  weights = ${weights[node] ?? 0}MiB  output = ${outputs[node]}KiB  after = [${row.map((value) => `l${value}`).join(', ')}] }`).join('\n')}
}`;

const milliseconds = (plan: PipelinePlan) =>
  plan.stages.map((stage) => (stage.forward + stage.backwardInput + stage.backwardWeight) * 1000);
const slowestOf = (plan: PipelinePlan) => Math.max(...milliseconds(plan));
const hints = (text: string, files = {}) =>
  resolveText(text, { files }).derived.map((derivedValue) => derivedValue.text);

/** Layers of each stage: ` 4 × 2 layers` are four stages of two, ` 2×3 + 1 layers` two of three and one of one. */
const sizesIn = (text: string): number[] =>
  (/^ (.*) layers/.exec(text)?.[1] ?? '').split(' + ').flatMap((term) => {
    const [count, size] = term.split('×').map(Number);
    return size === undefined ? [count] : Array.from({ length: count }, () => size);
  });

test('a hint is short: runs of equal stages, and the rest in its tooltip', () => {
  const hintOf = (times: readonly number[], stages: number) => {
    const layers = times
      .map((time, index) => `layer l${index} { forward = ${time}ms  backward = ${time}ms }`)
      .join('\n');
    const text = `model m {\n${layers}\n}\n${pipeline(`stages = balance(${stages})`, { devices: stages })}`;
    return resolveText(text).derived.at(-1);
  };
  expect(
    hintOf(
      Array.from({ length: 64 }, () => 4),
      64,
    ),
  ).toMatchObject({ text: ' 64 × 1 layers' });
  // A layer of 16 ms, then layers of 4 ms: four of them for one.
  expect(hintOf([16, ...Array.from({ length: 12 }, () => 4)], 4)).toMatchObject({ text: ' 1 + 3×4 layers' });
  // Each stage takes 8 ms.
  expect(hintOf([8, 4, 4, 8, 4, 4, 8, 4, 4, 8], 7)).toMatchObject({
    text: ' 1 + 2 + 1 + … layers',
    tooltip: 'Layers of each stage: 1, 2, 1, 2, 1, 2, 1.',
  });
});

/** Two branches, 5 + 1 and 2 + 6 ms: one after the other, no cut in two is below 8 ms; the first layers of both make 7. */
const branches: Graph = {
  needs: [[], [0], [1], [0], [3], [2, 4]],
  times: [0, 5, 1, 2, 6, 0],
  outputs: [1, 1, 1, 1, 1, 1],
};

describe('balance on a graph', () => {
  test('is the best over all cuts, and says so', () => {
    fc.assert(
      fc.property(graphs(9, fc.integer({ min: 1, max: 20 })), fc.integer({ min: 1, max: 4 }), (graph, wanted) => {
        const count = Math.min(wanted, graph.needs.length);
        const { plan, derived } = resolveText(
          model(graph) + pipeline(`stages = balance(${count})`, { devices: count }),
        );
        const [{ stages }] = plan.pipelines;
        expect(slowestOf(plan.pipelines[0])).toBeCloseTo(
          slowestOfAll(graph, count, (_, node) => graph.times[node]),
          9,
        );
        const stageOf = new Map(
          stages.flatMap((stagePlan, stage) => stagePlan.layers.map((name) => [name, stage] as const)),
        );
        for (const [node, row] of graph.needs.entries())
          for (const value of row) expect(stageOf.get(`l${value}`)).toBeLessThanOrEqual(stageOf.get(`l${node}`) ?? -1);
        const sole = count === 1 || graph.needs.every((row, node) => node === 0 || row.includes(node - 1));
        const text = derived.at(-1)?.text ?? '';
        expect(sizesIn(text)).toEqual(stages.map((stage) => stage.layers.length));
        expect(text.endsWith(sole ? ' layers' : ' layers, exact best')).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('goes beyond the written order, which `split` keeps', () => {
    const setting = { devices: 2 };
    const of = (stages: string) => resolveText(model(branches) + pipeline(stages, setting)).plan.pipelines[0];
    const [first, second] = of('stages = balance(2)').stages;
    expect([first.forward * 1000, second.forward * 1000].map(Math.round)).toEqual([7, 7]);
    for (let size = 1; size < 6; size += 1) {
      const plan = of(`stages = split(${size}, ${6 - size})`);
      expect(plan.stages.map((stage) => stage.layers)).toEqual(
        [[0, 1, 2, 3, 4, 5].slice(0, size), [0, 1, 2, 3, 4, 5].slice(size)].map((nodes) =>
          nodes.map((node) => `l${node}`),
        ),
      );
    }
  });

  test('is no slower on unlike devices than any cut of the written order', () => {
    const speeds = fc.array(fc.constantFrom(0.5, 1, 2), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(graphs(8, fc.integer({ min: 1, max: 20 })), speeds, (graph, speeds) => {
        const count = Math.min(3, graph.needs.length);
        const setting = { devices: count, speeds: speeds.slice(0, count) };
        const of = (stages: string) =>
          slowestOf(resolveText(model(graph) + pipeline(stages, setting)).plan.pipelines[0]);
        const found = of(`stages = balance(${count})`);
        for (let first = 1; first <= graph.needs.length - count + 1; first += 1) {
          const left = graph.needs.length - first;
          const rests =
            count === 1
              ? left === 0
                ? ['']
                : []
              : count === 2
                ? [`, ${left}`]
                : Array.from({ length: left - 1 }, (_, index) => `, ${index + 1}, ${left - index - 1}`);
          for (const rest of rests)
            expect(found).toBeLessThanOrEqual(of(`stages = split(${first}${rest})`) * (1 + 1e-9));
        }
        const best = slowestOfAll(graph, count, (stage, node) => graph.times[node] / (setting.speeds[stage] ?? 1));
        expect(found).toBeGreaterThanOrEqual(best * (1 - 1e-9));
      }),
      { numRuns: 15 },
    );
  });

  test.each([
    ['memory', 0],
    ['both', 1],
  ])('by = %s is no fuller than any cut of the written order, and than the cut by time', (by, bound) => {
    const weights = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(graphs(8, fc.integer({ min: 1, max: 9 })), weights, (made, weights) => {
        const graph = { ...made, outputs: made.outputs.map(() => 0) };
        const count = Math.min(2, graph.needs.length);
        const fullest = (stages: string) => {
          const analysis = analyse(model(graph, weights) + pipeline(stages, { devices: count, memory: '256MiB' }));
          const run = analysis.pipelines[0]?.run;
          if (run === undefined) throw new Error(analysis.findings.map((finding) => finding.message).join('\n'));
          return Math.max(...run.report.devices.map((device) => device.peak / device.capacity));
        };
        const found = Math.max(bound, fullest(`stages = balance(${count}, by = ${by})`));
        expect(found).toBeLessThanOrEqual(Math.max(bound, fullest(`stages = balance(${count})`)) * (1 + 1e-9));
        if (count === 2)
          for (let first = 1; first < graph.needs.length; first += 1)
            expect(found).toBeLessThanOrEqual(
              Math.max(bound, fullest(`stages = split(${first}, ${graph.needs.length - first})`)) * (1 + 1e-9),
            );
      }),
      { numRuns: 15 },
    );
  });
});

describe('imbalance of a graph', () => {
  const written = '  stage a { layers = l0, l1, l2 }\n  stage b { layers = l3, l4, l5 }\n';
  const uneven: Graph = { ...branches, times: [0, 6, 1, 12, 1, 0] };

  test('names the best over all cuts; the fix writes its stages, keeps their names, and says what is won', () => {
    // Of 20 ms: 7 + 13 as written; 12 + 8 where l3 alone comes first.
    const analysis = analyse(model(uneven) + pipeline(written, { devices: 2 }));
    const finding = analysis.findings.find((candidate) => candidate.code === 'stage/imbalance');
    expect(finding?.message).toContain(
      'Stage "b" takes 13 ms per microbatch, 30 % over the mean of 10 ms; the best cut has 12 ms (7.7 % less).',
    );
    if (finding === undefined) return;
    const [fix] = fixesFor(analysis, finding, checkedAfter(analysis));
    const after = analyse(apply(analysis.syntax.text, fix.edits));
    expect(
      after.findings.filter((candidate) => candidate.code === 'stage/imbalance' || candidate.severity === 'error'),
    ).toEqual([]);
    const [plan] = after.resolution.plan.pipelines;
    expect(plan.stages.map((stage) => stage.name)).toEqual(['a', 'b']);
    expect(slowestOf(plan)).toBeCloseTo(12, 9);
    const change =
      (after.pipelines[0].run?.report.iteration ?? 0) / (analysis.pipelines[0].run?.report.iteration ?? 1) - 1;
    expect(change).toBeLessThan(-0.03);
    expect(change).toBeLessThan(0);
    expect(fix.title).toContain(`: iteration −${(-change * 100).toFixed(1)} %, peak`);
  });

  test('is told of split() too, where only another order has a better cut', () => {
    const analysis = analyse(model(branches) + pipeline('stages = split(3, 3)', { devices: 2 }));
    const finding = analysis.findings.find((candidate) => candidate.code === 'stage/imbalance');
    expect(finding?.message).toContain(
      'Stage "s1" takes 8 ms per microbatch, 14.3 % over the mean of 7 ms; the best cut has 7 ms (12.5 % less).',
    );
    if (finding === undefined) return;
    const [fix] = fixesFor(analysis, finding, checkedAfter(analysis));
    const after = apply(analysis.syntax.text, fix.edits);
    expect(after).toMatch(/stage s0 \{ layers = l0, l1, l3 \}\s+stage s1 \{ layers = l2, l4, l5 \}/);
    expect(slowestOf(analyse(after).resolution.plan.pipelines[0])).toBeCloseTo(7, 9);
  });

  test('a balanced cut can be written out as stages', () => {
    const analysis = analyse(model(branches) + pipeline('stages = balance(2)', { devices: 2 }));
    const [fix] = refactorings(analysis, analysis.syntax.text.indexOf('balance(2)') + 3, analyse);
    const after = analyse(apply(analysis.syntax.text, fix.edits));
    const layers = (one: typeof after) => one.resolution.plan.pipelines[0].stages.map((stage) => stage.layers);
    expect(layers(after)).toEqual(layers(analysis));
  });
});

/** Least possible slowest stage of a large graph with few sets, by the number of stages: all sets and all pairs of them. */
function slowestOfSets(needs: readonly (readonly number[])[], times: readonly number[], parts: number): number[] {
  const masks = needs.map((row) => row.reduce((mask, value) => mask | (1n << BigInt(value)), 0n));
  const sums = new Map([[0n, 0]]);
  for (const [set, sum] of sums)
    for (const [node, mask] of masks.entries()) {
      const bit = 1n << BigInt(node);
      if ((set & bit) === 0n && (set & mask) === mask) sums.set(set | bit, sum + times[node]);
    }
  let best = new Map([[0n, 0]]);
  const slowest = [Infinity];
  for (let stage = 0; stage < parts; stage += 1) {
    const next = new Map<bigint, number>();
    for (const [from, slowest] of best)
      for (const [to, sum] of sums) {
        if ((to & from) !== from) continue;
        const value = Math.max(slowest, sum - (sums.get(from) ?? 0));
        if (value < (next.get(to) ?? Infinity)) next.set(to, value);
      }
    best = next;
    slowest.push(best.get((1n << BigInt(needs.length)) - 1n) ?? Infinity);
  }
  return slowest;
}

describe('measured graphs', () => {
  const resolved = (text: string, stages: string, devices: number) =>
    resolveText(`model m { from = profile("graph.txt") }${pipeline(stages, { devices })}`, {
      files: { 'graph.txt': text },
    });

  test.each(['gnmt', 'resnet18', 'resnet50'])('%s is cut exactly, never slower than its written order', (name) => {
    const text = readFileSync(join(folder, `${name}.graph.txt`), 'utf8');
    const layers = resolveText(
      `model m { from = profile("graph.txt") }${pipeline('stages = balance(1)', { devices: 1 })}`,
      {
        files: { 'graph.txt': text },
      },
    );
    expect(layers.plan.pipelines).toHaveLength(1);
    const order = layers.plan.pipelines[0].stages[0].layers;
    // Figures of each layer and needs, from the text of the file.
    const lines = text.split('\n');
    const node = (line: string) => line.split(' -- ')[0].trim();
    const time = new Map(
      lines
        .filter((line) => line.includes('forward_compute_time'))
        .map((line) => [
          node(line),
          / -- Input/.test(line)
            ? 0
            : Number(/forward_compute_time=([\d.]+)/.exec(line)?.[1]) +
              Number(/backward_compute_time=([\d.]+)/.exec(line)?.[1]),
        ]),
    );
    const edges = lines.filter((line) => line.startsWith('\t')).map((line) => line.trim().split(' -- '));
    const timed = [...time.keys()].filter((candidate) => order.includes(candidate));
    expect(timed.toSorted()).toEqual(order.toSorted());
    const needs = order.map((one) => edges.filter(([, to]) => to === one).map(([from]) => order.indexOf(from)));
    const times = order.map((one) => time.get(one) ?? 0);
    const least = slowestOfSets(needs, times, 4);
    for (const count of [2, 4]) {
      const { plan, derived } = resolved(text, `stages = balance(${count})`, count);
      expect(derived.some((derivedValue) => derivedValue.text.endsWith(' layers, exact best'))).toBe(true);
      const [{ stages }] = plan.pipelines;
      const slowest = Math.max(
        ...stages.map((stage) => stage.layers.reduce((sum, layer) => sum + (time.get(layer) ?? 0), 0)),
      );
      expect(slowestOf(plan.pipelines[0])).toBeCloseTo(slowest, 9);
      expect(slowest).toBeCloseTo(least[count], 9);
    }
  });

  test('cells of many branches: what is found is near the least possible, and how near is said', () => {
    const text = cells();
    const { plan, findings, derived } = resolved(text, 'stages = balance(16)', 16);
    expect(findings.filter((finding) => finding.severity === 'error')).toEqual([]);
    const all = milliseconds(plan.pipelines[0]);
    const mean = all.reduce((sum, value) => sum + value, 0) / 16;
    const said = /, at most ([\d.]+) % above the least possible$/.exec(
      derived.map((derivedValue) => derivedValue.text).find((name) => name.includes('above')) ?? '',
    );
    expect(Math.max(...all)).toBeLessThanOrEqual(mean * (1 + Number(said?.[1]) / 100));
    expect(Number(said?.[1])).toBeLessThanOrEqual(0.5);
    const split = resolved(text, `stages = split(${[...new Array<number>(15).fill(60), 1251 - 900].join(', ')})`, 16);
    const told = split.findings.find((finding) => finding.code === 'stage/imbalance');
    expect(told?.message).toMatch(/; the best cut found has .* less\), at most 0\.\d % above the least possible\.$/);
  });

  test('chains say nothing of it', () => {
    const chain = 'model m { layer block[8] { forward = 1ms  backward = 1ms } }';
    expect(hints(chain + pipeline('stages = balance(4)', { devices: 4 })).at(-1)).toBe(' 4 × 2 layers');
  });
});

/** PipeDream's text for 1,251 nodes: 48 cells of five blocks of two branches each, which take the outputs of the two cells before. */
function cells(): string {
  const lines: string[] = [];
  const edges: string[] = [];
  let seed = 5;
  const add = (needs: readonly number[]): number => {
    const node = lines.length;
    seed = (seed * 48_271) % 2_147_483_647;
    const time = node === 0 ? 0 : 0.05 + (seed % 900) / 1000;
    lines.push(
      `node${node} -- Op${node} -- forward_compute_time=${time.toFixed(3)}, backward_compute_time=${(2 * time).toFixed(3)}, activation_size=${1e5 + (seed % 1000)}, parameter_size=1000`,
    );
    for (const need of needs) edges.push(`\tnode${need} -- node${node}`);
    return node;
  };
  let [before, last] = [add([]), 0];
  for (let cell = 0; cell < 48; cell += 1) {
    const sums: number[] = [];
    for (let block = 0; block < 5; block += 1) {
      const left = add([add([block === 4 ? sums[0] : last])]);
      const right = add([add([block < 3 ? before : last])]);
      sums.push(add([left, right]));
    }
    [before, last] = [last, add(sums)];
  }
  add([add([last])]);
  return [...lines, ...edges].join('\n');
}
