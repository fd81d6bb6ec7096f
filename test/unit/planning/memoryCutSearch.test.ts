import { expect, test } from 'vitest';
import type { Analysis } from '../../../engine/flow/check.ts';
import { cutFigures, type MemoryCutProblem, memoryCutSearch } from '../../../engine/planning/cut/memoryCutSearch.ts';
import { orderSearch } from '../../../engine/flow/orderSearch.ts';
import { directSearches, runSearch, type Search, searchKey, type Searches } from '../../../engine/basics/searches.ts';
import { analyse } from '../../support/analyse.ts';

const text = (layers: number, stages: string, { schedule = '1f1b', devices = 4 } = {}) => `model m {
${Array.from({ length: layers }, (_, i) => `  layer l${i} { forward = ${1 + ((i * 7) % 11)}ms  backward = ${2 + ((i * 5) % 13)}ms  weights = ${(i * 3) % 17}MiB  activation = ${16 + (i % 5)}MiB  output = 1MiB }`).join('\n')}
}
device d { memory = 80GiB }
cluster c { gpu[${devices}] = d  link = 25GB/s + 5us }
pipeline train { model = m  devices = c  microbatches = 8  stages = ${stages}  schedule = ${schedule}  optimizer = adam(shard = zero1) }
`;

interface Asked {
  readonly analysis: Analysis;
  /** Problems of the search, in order. */
  readonly problems: readonly MemoryCutProblem[];
}

/** A check, with what it asks of the search of cuts by memory; answered unless `without` names a search. */
function checked(source: string, without?: string): Asked {
  const problems: MemoryCutProblem[] = [];
  const direct = directSearches();
  const searches: Searches = {
    answer<Problem, Answer>(search: Search<Problem, Answer>, problem: Problem) {
      if (search.name === memoryCutSearch.name) problems.push(problem as MemoryCutProblem);
      return search.name === without ? undefined : direct.answer(search, problem);
    },
  };
  return { analysis: analyse(source, { searches }), problems };
}

const sharing = { schedule: 'interleaved_1f1b(chunks = 2)', devices: 2 };

test('the problem of a cut by memory is plain data, so that another thread finds the same', () => {
  for (const source of [
    text(24, 'balance(4, by = memory)'),
    text(24, 'balance(4, by = memory)', sharing),
    text(12, 'balance(4, by = memory)').replace('layer l4 {', 'layer l4 { after = l2'),
  ]) {
    const { problems } = checked(source);
    expect(problems).toHaveLength(1);
    const [problem] = problems;
    expect(runSearch(memoryCutSearch, structuredClone(problem))).toEqual(runSearch(memoryCutSearch, problem));
  }
});

test('white space and names of layers do not change the problem; bytes, times and microbatches do', () => {
  const source = text(24, 'balance(4, by = memory)');
  const keyOf = (edited: string) => {
    const [problem] = checked(edited).problems;
    return searchKey(memoryCutSearch, problem);
  };
  const key = keyOf(source);
  expect(keyOf(`// a comment\n${source.replace('layer l3', 'layer  other')}`)).toBe(key);
  for (const [from, to] of [
    ['activation = 16MiB', 'activation = 15MiB'],
    ['forward = 1ms', 'forward = 2ms'],
    ['memory = 80GiB', 'memory = 79GiB'],
    ['microbatches = 8', 'microbatches = 3'],
    ['zero1', 'none'],
  ]) {
    expect(keyOf(source.replace(from, to)), to).not.toBe(key);
  }
});

test('the search sees what a cut takes, whatever room there is for messages', () => {
  for (const [schedule, transfer, devices] of [
    ['1f1b', 'buffered', 4],
    ['1f1b', 'buffered(receive = all)', 4],
    ['interleaved_1f1b(chunks = 2)', 'buffered', 2],
    ['interleaved_1f1b(chunks = 2)', 'buffered(receive = all)', 2],
    ['zb_v', 'buffered', 2],
  ] as const) {
    const source = (stages: string) =>
      text(8, stages, { schedule, devices })
        .replaceAll(
          /output = 1MiB/g,
          (() => {
            let i = 0;
            return () => `output = ${[40, 3, 25, 9, 31, 2, 17, 5][i++]}MiB`;
          })(),
        )
        .replace('microbatches = 8', `microbatches = 4  transfer = ${transfer}`);
    const [problem] = checked(source('balance(4, by = memory)')).problems;
    for (const sizes of [
      [2, 2, 2, 2],
      [1, 2, 2, 3],
      [3, 1, 3, 1],
    ]) {
      const starts = Int32Array.from(sizes, (_, stage) => sizes.slice(0, stage).reduce((sum, size) => sum + size, 0));
      const [share] = cutFigures(problem, { order: Int32Array.from({ length: 8 }, (_, i) => i), starts });
      const { report } = checked(source(`split(${sizes.join()})`)).analysis.pipelines[0].run ?? {};
      const shares = report?.devices.map(({ peak, capacity }) => peak / capacity) ?? [];
      expect(share, `${schedule}, ${transfer}, ${sizes.join()}`).toBeCloseTo(Math.max(...shares), 12);
    }
  }
});

test('the search pauses in proportion to its work, whether devices have one stage each or share stages', () => {
  const pauses = (layers: number, options?: typeof sharing) => {
    const [problem] = checked(text(layers, 'balance(4, by = memory)', options)).problems;
    let count = 0;
    for (const steps = memoryCutSearch.steps(problem); !(steps.next().done ?? false);) count += 1;
    return count;
  };
  // Three programs over 4 stages, each of about layers² / 2 runs, of which 8,000 are looked at in a slice.
  expect(pauses(20)).toBe(0);
  expect(pauses(200)).toBeGreaterThan(20);
  expect(pauses(200, sharing)).toBeGreaterThan(20);
});

test('large searches are left to threads, small ones are not', () => {
  const sizeOf = (layers: number) => {
    const [problem] = checked(text(layers, 'balance(4, by = memory)')).problems;
    return memoryCutSearch.size(problem);
  };
  expect(sizeOf(24)).toBeLessThan(100_000);
  expect(sizeOf(240)).toBeGreaterThan(1_000_000);
});

test('while the cut, or the order that it follows, is being found, the pipeline is pending and no fault is reported', () => {
  for (const name of [memoryCutSearch.name, orderSearch.name]) {
    const { pending, pipelines, findings } = checked(text(24, 'balance(4, by = memory)'), name).analysis;
    expect(pending, name).toEqual(['train']);
    expect(pipelines).toEqual([]);
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  }
  expect(checked(text(24, 'balance(4, by = memory)')).analysis.pending).toEqual([]);
});
