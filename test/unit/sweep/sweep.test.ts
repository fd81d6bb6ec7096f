import { describe, expect, test } from 'vitest';
import * as fc from '../../support/property.ts';
import { check } from '../../../engine/flow/check.ts';
import { parse } from '../../../grammar/index.ts';
import { pipelineBody } from '../../../engine/fixes/source.ts';
import { type AnswerSource, type Asked, type PlanAnswer, planAnswer } from '../../../engine/sweep/answer.ts';
import { rowCount, settingsOf } from '../../../engine/sweep/axes.ts';
import { classOf, leastIteration, type RowWork } from '../../../engine/sweep/classBound.ts';
import type { Outcome } from '../../../engine/sweep/evaluateRow.ts';
import { type Figures, frontOf } from '../../../engine/sweep/front.ts';
import { mergeAnswers } from '../../../engine/sweep/merge.ts';
import { placeRow } from '../../../engine/sweep/placeRow.ts';
import { outcomeOf } from '../../../engine/sweep/rowsSearch.ts';
import { rowText } from '../../../engine/sweep/rowText.ts';
import { type Shard, sweepSteps } from '../../../engine/sweep/sweep.ts';
import { usualValues } from '../../../engine/sweep/usualValues.ts';
import { runHere, shaped, sweepCase } from './sweepCase.ts';

const over =
  'tensor = [1, 2], pipeline = [1, 2, 4, 8], micro_batch = [1, 2], recompute = [none, full], schedule = [1f1b, interleaved_1f1b, zb_h1, chimera, seq1f1b(segments = 2)], chunks = [2, 3]';
const whole = sweepCase(over, { limits: ['peak_memory < 12GiB'] });

/** Every row by itself, with nothing dropped. */
const every = Array.from({ length: rowCount(whole.axes) }, (_, row): Outcome =>
  outcomeOf(whole.base, whole.axes, row, []),
);
const ran = every.flatMap((outcome, row) => (outcome.kind === 'ran' ? [{ row, ...outcome.figures }] : []));
const best = frontOf(ran.filter(({ meets }) => meets));

describe('a sweep', () => {
  const result = runHere(whole);

  test('counts every row once', () => {
    const refused = result.refused.reduce((sum, { rows }) => sum + rows, 0);
    expect(result.points.length + result.over + result.dropped + result.unsearched + refused).toBe(every.length);
    expect(result.rows).toBe(every.length);
    expect(result.unsearched).toBe(0);
  });

  test('has the front of an exhaustive search, and drops rows on the way there', () => {
    expect(best.length).toBeGreaterThan(3);
    expect(frontOf(result.points.filter(({ meets }) => meets)).map(({ row }) => row)).toEqual(
      best.map(({ row }) => row),
    );
    expect(ran.some(({ meets }) => !meets)).toBe(true);
    expect(result.dropped).toBeGreaterThan(20);
  });

  test('drops no row for a row that is worse in time, or in memory', () => {
    for (const { row, iteration, peak } of ran) {
      const slower = { iteration: iteration * (1 + 1e-9), peak: 0 };
      const fuller = { iteration: 0, peak: peak * (1 + 1e-9) };
      expect(outcomeOf(whole.base, whole.axes, row, [slower, fuller]).kind).toBe('ran');
    }
  });

  test('its bounds are below every simulation of their class', () => {
    const works = new Map<string, RowWork>();
    let tested = 0;
    for (const [row, outcome] of every.entries()) {
      const placed = placeRow(whole.base, whole.axes, settingsOf(whole.axes, row));
      if ('refused' in placed || outcome.kind === 'refused' || outcome.work === undefined) continue;
      const key = classOf(placed);
      const work = works.get(key) ?? outcome.work;
      works.set(key, work);
      // Layers of a class compute the same under every cut.
      expect(outcome.work.computing).toBeCloseTo(work.computing, 12);
      if (outcome.kind !== 'ran') continue;
      tested += 1;
      expect(leastIteration(whole.base, placed, work)).toBeLessThanOrEqual(outcome.figures.iteration);
      expect(leastIteration(whole.base, placed, work)).toBeGreaterThan(0.2 * outcome.figures.iteration);
    }
    expect(tested).toBeGreaterThan(60);
  });

  test('that is stopped says how fast the rows may be that it did not reach', () => {
    for (const most of [1, 20, 70]) {
      const stopped = runHere(whole, undefined, most);
      expect(stopped.unsearched).toBeGreaterThan(0);
      const seen = new Set(stopped.points.map(({ row }) => row));
      const others = ran.filter(({ row, meets }) => meets && !seen.has(row));
      const fastest = Math.min(...others.map(({ iteration }) => iteration));
      const known = Math.min(...stopped.points.filter(({ meets }) => meets).map(({ iteration }) => iteration));
      expect(Math.min(stopped.unsearchedLeast ?? 0, known)).toBeLessThanOrEqual(fastest);
    }
  });

  test('begins with the row that the file has, whatever comes first in the lists', () => {
    const first = (over: string, text?: string, shard?: Shard) => {
      const asked = sweepCase(over, text === undefined ? {} : { text });
      const wave = sweepSteps(asked.base, asked.axes, { shard }).next().value;
      if (!('isWritten' in wave) || wave.isWritten !== true) return undefined;
      expect(wave.rows).toHaveLength(1);
      return settingsOf(asked.axes, wave.rows[0]);
    };
    // `tensor` and `recompute` are not written: their values are 1 and none.
    const keys = 'recompute = [full, none], tensor = [2, 1], pipeline = [8, 4, 2], schedule = [gpipe, 1f1b]';
    const own = { recompute: 'none', tensor: '1', pipeline: '4', schedule: '1f1b' };
    expect(first(keys)).toEqual(own);
    // Only one part of the rows has it.
    const parts = [1, 2, 3].map((index) => first(keys, shaped, { index, of: 3 }));
    expect(parts.filter((settings) => settings !== undefined)).toEqual([own]);
    expect(first('pipeline = [8, 2]')).toBeUndefined();
    const chunked = shaped.replace('balance(4)', 'balance(12)').replace('= 1f1b', '= interleaved_1f1b(chunks = 3)');
    expect(first('chunks = [1, 2, 3], pipeline = [2, 4]', chunked)).toEqual({ chunks: '3', pipeline: '4' });
  });

  test('that is stopped with very many rows left has an answer', () => {
    const numbers = Array.from({ length: 450 }, (_, at) => String(at / 1_000));
    const axes = ['jitter', 'fill_overhead'].map((key) => ({ key, values: numbers }));
    const stopped = runHere({ base: whole.base, axes }, undefined, 1);
    expect(stopped.unsearched).toBe(450 * 450 - 1);
    expect(stopped.unsearchedLeast).toBe(0);
  });

  test('gives each wave the front of all rows before it', () => {
    const steps = sweepSteps(whole.base, whole.axes);
    const met: Figures[] = [];
    let waves = 0;
    for (let step = steps.next(); !step.done;) {
      const { rows, front } = step.value;
      if (rows.length > 0) {
        waves += 1;
        const figures = (all: readonly Figures[]) => all.map(({ iteration, peak }) => [iteration, peak]);
        expect(figures(front)).toEqual(figures(frontOf(met)));
      }
      const outcomes = rows.map((row) => outcomeOf(whole.base, whole.axes, row, front));
      for (const outcome of outcomes) if (outcome.kind === 'ran' && outcome.figures.meets) met.push(outcome.figures);
      step = steps.next({ outcomes });
    }
    expect(waves).toBeGreaterThan(2);
  });

  test('parts make the front of one run', () => {
    const source = { program: '1', text: 'a', files: { 'b.pipe': 'c' }, params: { d: 1 } };
    const limits = ['peak_memory < 12GiB'];
    const asked: Asked = { file: 'a.pipe', source, axes: whole.axes, minimise: 'iteration', limits };
    const one = planAnswer(whole.base, asked, result);
    const parts = [1, 2, 3].map((index) => {
      const shard = { index, of: 3 };
      return planAnswer(whole.base, { ...asked, shard }, runHere(whole, shard));
    });
    const merged = mergeAnswers(parts.toReversed());
    if ('problem' in merged) throw new Error(merged.problem);
    const front = (points: (typeof one)['points']) => points.filter((point) => point.front);
    expect(front(merged.points)).toEqual(front(one.points));
    expect(merged.certificate).toBe(one.certificate);
    expect(merged.rows).toBe(one.rows);
    expect(merged.shard).toBeUndefined();
    // Reasons, too, with the first row of each.
    expect(one.refused.length).toBeGreaterThan(0);
    expect(merged.refused).toEqual(one.refused);
    const [a, b, c] = parts;
    for (const order of [parts, [a, c, b], [b, a, c], [b, c, a], [c, a, b]])
      expect(mergeAnswers(order)).toEqual(merged);
    const some = mergeAnswers(parts.slice(1));
    if ('problem' in some) throw new Error(some.problem);
    // Rows of a part that is absent may be as fast as they like.
    expect(some).toMatchObject({ missing: { absent: [1], unfinished: [], of: 3 }, unsearched: parts[0].rows });
    expect(some.unsearched_least).toBe(0);
    expect(some.certificate).not.toContain('No other');
    expect(mergeAnswers([parts[0], ...parts])).toEqual({ problem: 'Part 1/3 is given twice. Name each part once.' });
    const refused = (other: Partial<PlanAnswer>) => {
      const mixed = mergeAnswers([parts[0], { ...parts[1], ...other }, parts[2]]);
      return 'problem' in mixed ? mixed.problem : undefined;
    };
    const made = (other: Partial<AnswerSource>) => refused({ source: { ...source, ...other } });
    expect(refused({ file: 'moved/b.pipe' })).toBeUndefined();
    expect(refused({ limits: [] })).toBe(
      'Part 1/3 of a.pipe and Part 2/3 of a.pipe cannot be merged: they have different limits.',
    );
    expect(refused({ minimise: 'peak_memory' })).toContain('minimise different figures');
    expect(refused({ pipeline: 'other' })).toContain('different pipelines');
    expect(refused({ shard: { index: 2, of: 4 } })).toContain('different numbers of parts');
    expect(refused({ search: whole.axes.slice(1) })).toContain('different keys or values');
    expect(refused({ batch: 1 })).toContain('figures of the file');
    expect(refused({ source: undefined })).toContain('do not both say');
    expect(made({ program: '2' })).toContain('different versions of Pipewright, 1 and 2');
    expect(made({ text: 'b' })).toContain('the file was changed');
    expect(made({ files: { 'b.pipe': 'd', 'e.json': 'f' } })).toContain('b.pipe and e.json, which the file reads,');
    expect(made({ params: {} })).toContain('`--set` gives other values of d');
  });
});

test('the front is the front of an exhaustive search, whatever the layers are', () => {
  const layer = fc.record({
    forward: fc.integer({ min: 1, max: 9 }),
    backward: fc.integer({ min: 1, max: 18 }),
    weights: fc.integer({ min: 0, max: 4 }),
    activation: fc.integer({ min: 1, max: 4 }),
  });
  fc.assert(
    fc.property(fc.array(layer, { minLength: 8, maxLength: 12 }), fc.integer({ min: 8, max: 40 }), (layers, memory) => {
      const written = layers.map(
        ({ forward, backward, weights, activation }, at) =>
          `layer l${at} { forward = ${forward}ms  backward = ${backward}ms  weights = ${weights}GiB  activation = ${activation}GiB }`,
      );
      const text = `device card { memory = ${memory}GiB }
cluster box { gpu[4] = card  link = 10GB/s + 5us }
model uneven { ${written.join('\n')} }
pipeline train { model = uneven  devices = box  microbatches = 8  stages = balance(4)  schedule = 1f1b }
`;
      const { base, axes } = sweepCase(
        'schedule = [1f1b, gpipe, zb_h1, zb_v, interleaved_1f1b, bpipe], chunks = [2], pipeline = [2, 4]',
        { text },
      );
      const outcomes = Array.from({ length: rowCount(axes) }, (_, row) => outcomeOf(base, axes, row, []));
      const all = outcomes.flatMap((outcome, row) =>
        outcome.kind === 'ran' && outcome.figures.meets ? [{ row, ...outcome.figures }] : [],
      );
      // No row of the front is dropped, even where the whole front is known.
      const front = frontOf(all);
      const kept = new Set(front.map(({ row }) => row));
      for (const row of kept) expect(outcomeOf(base, axes, row, front).kind).toBe('ran');
      const found = runHere({ base, axes }).points.filter(({ meets }) => meets);
      expect(frontOf(found).map(({ row }) => row)).toEqual([...kept]);
    }),
    { numRuns: 10 },
  );
});

test('stages that do not wait for each other are not bounded as a chain', () => {
  // The two halves of the model run at the same time: a device waits for the layers that it needs only.
  const text = `device card { memory = 64GiB }
cluster box { gpu[4] = card  link = 100GB/s }
model halves {
  layer a { forward = 1ms  backward = 2ms }
  layer b { forward = 1ms  backward = 2ms  after = a }
  layer c { forward = 1ms  backward = 2ms  after = a }
  layer d { forward = 1ms  backward = 2ms  after = b, c }
}
pipeline train { model = halves  devices = box  microbatches = 1  stages = balance(4)  schedule = gpipe }
`;
  const graph = sweepCase('schedule = [gpipe, 1f1b]', { text });
  const result = runHere(graph);
  expect(result.points.map(({ iteration }) => iteration.toFixed(6))).toEqual(['0.009000', '0.009000']);
  for (const { row, iteration, settings } of result.points) {
    const placed = placeRow(graph.base, graph.axes, settings);
    if ('refused' in placed) throw new Error(placed.refused);
    expect(leastIteration(graph.base, placed, { computing: 0.012 })).toBeLessThanOrEqual(iteration);
    expect(outcomeOf(graph.base, graph.axes, row, [{ iteration: iteration * 1.01, peak: 0 }]).kind).toBe('ran');
  }
});

describe('a row', () => {
  test('has the figures of the file that it writes, whose other text stays', () => {
    const syntax = parse(shaped);
    const body = pipelineBody(syntax, 'train');
    if (body === undefined) throw new Error('no pipeline');
    for (const { row, iteration, peak } of best) {
      const placed = placeRow(whole.base, whole.axes, settingsOf(whole.axes, row));
      if ('refused' in placed) throw new Error(placed.refused);
      const written = rowText({ ...whole.base, syntax, body }, placed);
      if ('refused' in written) throw new Error(written.refused);
      const { uri, host, options } = whole.base.file;
      const { pipelines, findings } = check({ uri, text: written.text, host, options });
      const run = pipelines.find(({ plan }) => plan.name === 'train')?.run;
      expect(findings.filter(({ severity, code }) => severity === 'error' && code !== 'expect/failed')).toEqual([]);
      expect(run?.report.iteration).toBe(iteration);
      expect(Math.max(...(run?.report.devices.map((device) => device.peak) ?? []))).toBe(peak);
      for (const kept of ['/// What is trained.', '// a comment stays', 'expect train { bubble < 90% }'])
        expect(written.text).toContain(kept);
      // Another pipeline uses the model, so it keeps its microbatches.
      const others = pipelines.find(({ plan }) => plan.name === 'other');
      expect(others?.plan.microBatchSize).toBe(1);
    }
  });

  test.each([
    ['tensor = 2', { data: 1, ranks: 4, microbatches: 32, stages: 4 }],
    ['pipeline = 2', { data: 4, ranks: 2, microbatches: 8, stages: 2 }],
    ['data = 1', { data: 1, ranks: 8, microbatches: 32, stages: 8 }],
    ['micro_batch = 4', { data: 2, ranks: 4, microbatches: 4, stages: 4 }],
    [
      'schedule = interleaved_1f1b, chunks = 3',
      { data: 2, ranks: 4, stages: 12, schedule: 'interleaved_1f1b(chunks = 3)' },
    ],
    ['schedule = interleaved_1f1b(chunks = 2), chunks = 3', { stages: 12, schedule: 'interleaved_1f1b(chunks = 3)' }],
    ['pipeline = 2, data = 4', { data: 4, ranks: 2 }],
    ['pipeline = 2, data = 2', { refused: 'its ranks do not make up the 8 devices' }],
    ['tensor = 3', { refused: 'its ranks do not make up the 8 devices' }],
    [
      'micro_batch = 3',
      { refused: 'the 32 samples of an iteration do not divide into its microbatches and data ranks' },
    ],
  ])('%s', (keys, expected) => {
    const { base, axes } = sweepCase(keys);
    expect(placeRow(base, axes, settingsOf(axes, 0))).toMatchObject(expected);
  });

  test('stages and chunks that are names of numbers are cut again like numbers', () => {
    const text = shaped
      .replace('pipeline train {', 'let each = 3\npipeline train {')
      .replace('stages       = balance(4)', 'stages = balance(4 * each)')
      .replace('schedule     = 1f1b', 'schedule = interleaved_1f1b(chunks = each)');
    const { base, axes } = sweepCase(
      'schedule = [interleaved_1f1b(chunks = each), gpipe, interleaved_1f1b(chunks = 2)]',
      { text },
    );
    const found = [0, 1, 2].map((row) => outcomeOf(base, axes, row, []));
    expect(found.map(({ kind }) => kind)).toEqual(['ran', 'ran', 'ran']);
    const texts = [0, 1, 2].map((row) => {
      const placed = placeRow(base, axes, settingsOf(axes, row));
      const written = 'refused' in placed ? placed : rowText(base, placed);
      return 'refused' in written ? written.refused : /stages = (.*)/.exec(written.text)?.[1];
    });
    expect(texts).toEqual(['balance(4 * each)', 'balance(4)', 'balance(8)']);
  });

  test('chunks that are a searched param are cut for the value of each row', () => {
    const named = shaped.replace('pipeline train {', 'param k = 2 in 1..8\npipeline train {');
    const chunked = (stages: string, schedule: string) =>
      named.replace('balance(4)', stages).replace('schedule     = 1f1b', `schedule = ${schedule}`);
    const byParam = 'interleaved_1f1b(chunks = k)';
    const iterations = (keys: string, text: string): readonly number[] => {
      const { base, axes } = sweepCase(keys, { text });
      return Array.from({ length: rowCount(axes) }, (_, row) => outcomeOf(base, axes, row, [])).flatMap((outcome) =>
        outcome.kind === 'ran' ? [outcome.figures.iteration] : [],
      );
    };
    const expected = [1, 2, 3].flatMap((chunks) =>
      iterations('pipeline = 4', chunked(`balance(${4 * chunks})`, `interleaved_1f1b(chunks = ${chunks})`)),
    );
    expect(new Set(expected).size).toBe(3);
    expect(iterations('k = [1, 2, 3]', chunked('balance(8)', byParam))).toEqual(expected);
    expect(iterations('k = [1, 2, 3]', chunked('balance(4 * k)', byParam))).toEqual(expected);
    expect(iterations(`schedule = ${byParam}, k = [1, 2, 3]`, named)).toEqual(expected);
    expect(iterations(`schedule = ${byParam}, pipeline = 4, k = [1, 2, 3]`, named)).toEqual(expected);
  });

  test('a policy without chunks is one row, whatever chunks are searched', () => {
    const { base, axes } = sweepCase('schedule = [1f1b, interleaved_1f1b], chunks = [1, 2, 3]');
    const placed = Array.from({ length: 6 }, (_, row) => placeRow(base, axes, settingsOf(axes, row)));
    expect(placed.filter((row) => 'refused' in row)).toEqual([
      { refused: '1f1b takes no "chunks": it is the same as another row' },
      { refused: '1f1b takes no "chunks": it is the same as another row' },
    ]);
  });
});

describe('a row that cannot be', () => {
  test('has more stages than the model has layers', () => {
    // Fourteen layers; the file has four stages.
    const { base, axes } = sweepCase('schedule = interleaved_1f1b, chunks = [3, 4]');
    const placed = [0, 1].map((row) => placeRow(base, axes, settingsOf(axes, row)));
    expect(placed).toMatchObject([{ stages: 12 }, { refused: 'the 14 layers of the model are fewer than its stages' }]);
    expect(outcomeOf(base, axes, 0, []).kind).toBe('ran');
  });

  test('says how tensor ranks work where there is one', () => {
    const { base, axes } = sweepCase('tensor = [1, 2], sequence_parallel = [true, false]');
    const placed = [0, 1, 2, 3].map((row) => placeRow(base, axes, settingsOf(axes, row)));
    expect(placed).toMatchObject([
      { settings: { tensor: '1' } },
      { refused: '"sequence_parallel" has no effect on one tensor rank: it is the same as another row' },
      { settings: { tensor: '2', sequence_parallel: 'true' } },
      { settings: { tensor: '2', sequence_parallel: 'false' } },
    ]);
    // It has none indeed.
    const figures = ['true', 'false'].map((value) => {
      const alone = sweepCase(`sequence_parallel = ${value}`);
      return outcomeOf(alone.base, alone.axes, 0, []);
    });
    expect(figures[0]).toEqual(figures[1]);
  });
});

describe('a value that a pipeline has anyway', () => {
  const planOf = (text: string): unknown => {
    const { base } = sweepCase('tensor = 1', { text });
    const { uri, host, options } = base.file;
    return check({ uri, text, host, options }).pipelines.find(({ plan }) => plan.name === 'train')?.plan;
  };
  const withKey = (text: string, line: string): string =>
    text.replace('schedule     = 1f1b', `schedule = 1f1b\n  ${line}`);

  test.each(Object.entries(usualValues))('%s = %s: the file plans the same with it', (key, value) => {
    // Several ranks of each kind, so that each key has something to do.
    const text = shaped.replace('data         = 2', 'data = 2\n  tensor = 2').replace('balance(4)', 'balance(2)');
    const plan = planOf(text);
    expect(plan).toBeDefined();
    expect(planOf(withKey(text, `${key} = ${value}`))).toEqual(plan);
  });

  const rowOf = (keys: string, text: string) => {
    const { base, axes } = sweepCase(keys, { text });
    const placed = placeRow(base, axes, settingsOf(axes, 0));
    const written = 'refused' in placed ? placed : rowText(base, placed);
    if ('refused' in written) throw new Error(written.refused);
    const asked = { file: 'a.pipe', axes, minimise: 'iteration', limits: [] } as const;
    return { text: written.text, changes: planAnswer(base, asked, runHere({ base, axes })).changes };
  };

  test('is neither written nor listed as a change', () => {
    const { text, changes } = rowOf('recompute = none, sync = end, data = 2', shaped);
    expect(text).not.toContain('recompute');
    expect(text).not.toContain('sync');
    expect(changes).toEqual([]);
  });

  test('as a number in another unit is neither written nor listed; another number is', () => {
    const text = withKey(shaped, 'jitter = 5%\n  fill_overhead = 2ms');
    const same = rowOf('jitter = 0.05, fill_overhead = 0.002', text);
    expect(same.text).toContain('jitter = 5%');
    expect(same.text).toContain('fill_overhead = 2ms');
    expect(same.changes).toEqual([]);
    expect(rowOf('jitter = 0.06', text).changes).toEqual([{ key: 'jitter', from: '5%', to: '0.06' }]);
  });

  test('is written over another value of the file, and listed', () => {
    const { text, changes } = rowOf('recompute = none', withKey(shaped, 'recompute = full'));
    expect(text).toContain('recompute = none');
    expect(changes).toEqual([{ key: 'recompute', from: 'full', to: 'none' }]);
  });

  test('is written if the file says another value by the short name of the key', () => {
    const { text } = rowOf('sequence_parallel = false', withKey(shaped, 'sequence = true'));
    expect(text).toContain('sequence_parallel = false');
  });
});
