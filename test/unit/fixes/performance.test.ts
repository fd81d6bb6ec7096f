import { describe, expect, it, test } from 'vitest';
import { inTurn, trialsFor, weighedTrials } from '../../../engine/fixes/candidates.ts';
import { fixesFor } from '../../../engine/fixes/fix.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { trueBound } from '../../../engine/fixes/expectation.ts';
import type { Code } from '../../../engine/findings/catalogue.ts';
import { analyse, analyseExample, checkedAfter, checkedOnce, codesOf, fixesOf } from '../../support/analyse.ts';
import { blocks, textOf } from '../docs/pages.ts';
import { pipe } from './file.ts';
import { checkPromise } from './promise.ts';

/** Findings that say how much there is of something: a fix lessens them. */
const lessened: readonly Code[] = ['schedule/bubble', 'comm/exposed'];

/** What the page of a code raises is fixed; the first words of a title that must be among the fixes. */
const offered: readonly (readonly [Code, string])[] = [
  ['schedule/bubble', 'Use zb_v, 8 layers cut again into 8 stages'],
  ['memory/out-of-memory', 'Use v_min, 8 layers cut again into 8 stages'],
  ['memory/headroom', 'Use v_half, 8 layers cut again into 8 stages'],
  ['expect/failed', "Expect today's figure, bubble < 27.3%"],
  ['stage/imbalance', 'Write the balanced stages into the file'],
  ['comm/exposed', 'Use '],
  ['comm/bottleneck-link', 'With a link of 2GB/s'],
  ['schedule/stale-weights', 'Use '],
  ['schedule/missing-version', 'Use '],
  ['stage/device-count', 'Cut the model into 4 stages'],
  ['device/apart', 'Put the stages where the schedule expects them'],
  ['device/oversubscribed', 'Put "s1" on gpu[3]'],
  ['limit/too-large', 'Set microbatches to 65536'],
];

describe.each(offered)('%s', (code, words) => {
  const page = textOf(`docs/diagnostics/${code}.md`);
  const analysis = analyse(blocks(page, 'pipe')[0]);
  const fixes = fixesOf(analysis, code);

  it('has fixes on its page, a handful at most, of which the first alone is preferred', () => {
    expect(fixes.map(({ title }) => title).filter((title) => title.startsWith(words))).not.toEqual([]);
    for (const finding of analysis.findings.filter((each) => each.code === code))
      expect(fixes.filter((fix) => fix.finding === finding).length).toBeLessThanOrEqual(6);
    const preferred = fixes.flatMap(({ preferred: best }, index) => (best === true ? [index] : []));
    expect(preferred.every((index) => fixes[index - 1]?.finding !== fixes[index].finding)).toBe(true);
  });

  it('is gone or less after each, without a new error, and with the effect of the title', () => {
    for (const fix of fixes) checkPromise(analysis, fix, { lessens: lessened.includes(code) });
  });

  it('has its fixes ranked: those that keep the batch first; of these the ones that fit, the fastest first', () => {
    const trained = fixes.filter(({ effect, title }) => effect !== undefined && !/batch \d|^With |^Expect/.test(title));
    const paces = trained.map(({ effect }) => effect?.after.iteration ?? NaN);
    // Those that change what is usual first have a place of their own.
    if (code !== 'memory/out-of-memory' && fixes.every(({ finding }) => finding === fixes[0].finding))
      expect(paces).toEqual(paces.toSorted((a, b) => a - b));
    expect(fixes.slice(0, trained.length)).toEqual(trained);
  });
});

/** So fast that the closed forms of instant transfers hold: 11 · 24 ms an iteration, 3 / 11 of it idle. */
const link = '100000GB/s';
const run = (more: string) => `  microbatches = 8\n  stages = balance(4)\n${more}`;

test('out of memory under gpipe: 1f1b costs no time, and comes before recomputation', () => {
  // Eight microbatches in flight take 8 GiB, four take 4 GiB, with 1 GiB of weights and gradients.
  const file = analyse(pipe({ memory: '6GiB', link, pipeline: run('  schedule = gpipe') }));
  const fixes = fixesOf(file, 'memory/out-of-memory');
  const titles = fixes.map(({ title }) => title);
  expect(titles[0]).not.toMatch(/iteration \+/);
  const recompute = titles.findIndex((title) => title.startsWith('Recompute every stage'));
  expect(recompute).toBeGreaterThan(0);
  expect(titles[recompute]).toMatch(/iteration \+33\.3 %$/);
});

const shaped = (memory: string, microBatch: string, microbatches: string, more = '') => `
model net {
  sequence = 2048
  ${microBatch}
  layer block[8] = transformer(hidden = 4096, heads = 32)
}
device gpu { memory = ${memory}  compute = 300TFLOPS  bandwidth = 2TB/s }
cluster box { gpu[4] = gpu  link = 100GB/s + 5us }
pipeline train {
  model = net  devices = box  stages = balance(4)  schedule = 1f1b
  optimizer = adam_mixed
  microbatches = ${microbatches} // of each iteration
}
${more}`;

describe('micro-batches', () => {
  const smaller = (text: string) => {
    const analysis = analyse(text);
    const fix = fixesOf(analysis, 'memory/out-of-memory').find(({ title }) => title.startsWith('Set micro_batch'));
    return fix === undefined ? undefined : { fix, changed: checkPromise(analysis, fix) };
  };

  it('get smaller and more, so that the batch stays; comments stay too', () => {
    const found = smaller(shaped('24GiB', 'micro_batch = 4 // samples', '8'));
    expect(found?.fix.title).toMatch(/^Set micro_batch to [12] and microbatches to (16|32): peak .*, iteration /);
    expect(found?.changed.syntax.text).toMatch(/micro_batch = [12] \/\/ samples/);
    expect(found?.changed.syntax.text).toMatch(/microbatches = (16|32) \/\/ of each iteration/);
    expect(found?.fix.title).not.toContain('batch 32');
  });

  it('are set in the params that they come from', () => {
    const found = smaller(
      shaped('24GiB', 'micro_batch = b', 'm', 'param b = 4 in 1..8\nparam m = 8 in 1..64 // a slider\n'),
    );
    expect(found?.changed.syntax.text).toMatch(/param b = [12] in 1\.\.8/);
    expect(found?.changed.syntax.text).toMatch(/param m = (16|32) in 1\.\.64 \/\/ a slider/);
  });

  it('stay within the range of a param', () => {
    const text = shaped('24GiB', 'micro_batch = 4', 'm', 'param m = 8 in 1..12\n');
    expect(smaller(text)).toBeUndefined();
    const analysis = analyse(shaped('200GiB', 'micro_batch = 4', 'm', 'param m = 8 in 1..12\n'));
    const titles = fixesOf(analysis, 'schedule/bubble').map(({ title }) => title);
    expect(titles.some((title) => title.startsWith('Set microbatches to 12: throughput +'))).toBe(true);
  });

  it('are left alone where the number of them is computed from their size', () => {
    const text = shaped('24GiB', 'micro_batch = b', '32 / b', 'param b = 4 in 1..8\n');
    const found = smaller(text);
    expect(found?.fix.title).toMatch(/^Set micro_batch to [12]: /);
    expect(found?.changed.syntax.text).toContain('microbatches = 32 / b');
  });

  it('of a model in another file are not touched', () => {
    const [model, rest] = shaped('24GiB', 'micro_batch = 4', '8').split('device gpu');
    const files = { 'net.pipe': model };
    const text = `import "net.pipe"\ndevice gpu${rest}`;
    const analysis = analyse(text, { files });
    expect(codesOf(analysis)).toContain('memory/out-of-memory');
    const check = (changed: string) => analyse(changed, { files });
    const [finding] = analysis.findings.filter(({ code }) => code === 'memory/out-of-memory');
    const titles = fixesOf({ ...analysis, findings: [finding] }, 'memory/out-of-memory', check).map(
      ({ title }) => title,
    );
    expect(titles.length).toBeGreaterThan(0);
    expect(titles.join()).not.toContain('micro_batch');
  });
});

test('stages written as blocks keep names and comments under a policy of one stage on each device', () => {
  // Blocks that say more than their layers are not cut again.
  const four = [0, 2, 4, 6].map(
    (at, index) => `  stage s${index} { layers = block[${at}..${at + 1}]  on = gpu[${index}] } // ${index}`,
  );
  const file = analyse(
    pipe({ pipeline: `  microbatches = 8\n${four.join('\n')}\n  schedule = 1f1b(warmup = [4, 3, 2, 1])` }),
  );
  const fix = fixesOf(file, 'schedule/bubble').find(({ title }) => title.startsWith('Use zb_h'));
  expect(fix?.title).toMatch(/^Use zb_h[12]: iteration −.*%, peak /);
  if (fix === undefined) return;
  const { text } = checkPromise(file, fix, { lessens: true }).syntax;
  expect(text).toContain(four.join('\n'));
  expect(text).toMatch(/schedule = zb_h[12]\n/);
});

test('copies of stages exchange gradients too: they may do so during the last backwards', () => {
  const name = 'systems/dualpipe.pipe';
  const check = (text: string) => analyseExample(name, {}, text);
  const file = analyseExample(name);
  const fix = fixesOf(file, 'comm/exposed', check).find(({ title }) => title.startsWith('Exchange gradients during'));
  expect(fix?.title).toMatch(/^Exchange gradients during the last backwards: iteration −.* exposed 9\.2 % → /);
  if (fix !== undefined) checkPromise(file, fix, { check, lessens: true });
});

test('only synchronous policies take the place of a synchronous one', () => {
  const file = analyse(pipe({ pipeline: run('  schedule = 1f1b') }));
  for (const { title } of fixesOf(file, 'schedule/bubble')) expect(title).not.toMatch(/pipedream|pipemare|xpipe|amdp/);
});

test('a fix that would break an expectation of the file is not offered', () => {
  const text = (more: string) => pipe({ pipeline: run('  schedule = 1f1b'), more });
  const free = fixesOf(analyse(text('')), 'schedule/bubble').map(({ title }) => title);
  const bound = fixesOf(analyse(text('expect train { iteration < 300ms }\n')), 'schedule/bubble').map(
    ({ title }) => title,
  );
  expect(free.some((title) => title.startsWith('Set microbatches'))).toBe(true);
  expect(bound.some((title) => title.startsWith('Set microbatches'))).toBe(false);
});

describe('an expectation', () => {
  it.each([
    ['bubble < 10%', /bubble < 27\.3%$/],
    ['10% > bubble', /27\.3% > bubble$/],
    ['iteration <= 200ms', /iteration <= 265ms$/],
    ['peak_memory < 2GiB', /peak_memory < 5\.02GiB$/],
    ['throughput >= 40/s', /throughput >= 30\.3\/s$/],
  ])('%s may become the figure of today, last of all', (condition, wanted) => {
    const file = analyse(pipe({ link, pipeline: run('  schedule = 1f1b'), more: `expect train { ${condition} }\n` }));
    const fixes = fixesOf(file, 'expect/failed');
    const last = fixes.at(-1);
    expect(last?.title.replace(/: same iteration, .*|: peak .*/, '')).toMatch(wanted);
    expect(last?.preferred).toBeUndefined();
    for (const fix of fixes) checkPromise(file, fix);
  });

  it('is rounded to a bound that holds', () => {
    expect(trueBound(27.25, '<')).toBe('27.3');
    expect(trueBound(27.3, '<')).toBe('27.4');
    expect(trueBound(27.3, '<=')).toBe('27.3');
    expect(trueBound(27.38, '>')).toBe('27.3');
    expect(trueBound(27.3, '>')).toBe('27.2');
    expect(trueBound(0.123456789012, '==')).toBe('0.123456789012');
    expect(trueBound(5, '!=')).toBeUndefined();
    expect(trueBound(0, '<')).toBeUndefined();
    expect(trueBound(0, '<=')).toBe('0');
    expect(trueBound(Number.NaN, '<')).toBeUndefined();
  });
});

// Fixes of other examples are proven in everyExample.test.ts; that a check after an edit is one from scratch, in flow/edits.test.ts.
test('all fixes of quickstart.pipe hold what their titles say, checked from scratch', () => {
  const name = 'quickstart.pipe';
  const analysis = analyseExample(name);
  const check = (text: string) => analyseExample(name, {}, text);
  const again = checkedOnce(check);
  for (const finding of analysis.findings)
    for (const fix of fixesFor(analysis, finding, again))
      checkPromise(analysis, fix, { check, lessens: lessened.includes(finding.code) });
});

test('a pipeline over the limit of operations gets the most microbatches that the limit allows', () => {
  const options = { ...defaultOptions, limits: { ...defaultOptions.limits, operations: 1000 } };
  const check = (text: string) => analyse(text, { options });
  const file = (microbatches: number) =>
    check(pipe({ pipeline: `  microbatches = ${microbatches}\n  stages = balance(4)\n  schedule = 1f1b` }));
  // Two operations of each of four stages.
  expect(codesOf(file(125))).not.toContain('limit/too-large');
  const over = file(126);
  const [fix, ...others] = fixesOf(over, 'limit/too-large', check);
  expect(others).toEqual([]);
  expect(fix.title).toMatch(/^Set microbatches to 125: iteration .*, bubble .* %, peak 5\.\d+ GiB$/);
  checkPromise(over, fix, { check });
});

describe('trials', () => {
  const { plan } = analyse(pipe({ pipeline: run('  schedule = 1f1b') })).pipelines[0];

  it('are fewer for pipelines that take long, and never none', () => {
    // Some 20 steps for each of three operations of four stages, and at most 60 million steps.
    expect(trialsFor(plan)).toBe(60);
    expect(trialsFor({ ...plan, microbatches: 10_000 })).toBe(24);
    expect(trialsFor({ ...plan, microbatches: 10_000_000 })).toBe(4);
  });

  it('take one candidate of each list in turn, and no more than they may', () => {
    const list = (kind: string) => [1, 2, 3].map((index) => ({ what: `${kind}${index}`, kind, edits: [] }));
    const taken = [...inTurn(4, list('a'), [], [undefined], list('b'))].map((candidate) => candidate?.what);
    // A list pauses, and the host is told.
    expect(taken).toEqual(['a1', undefined, 'b1', 'a2', 'b2']);
  });

  it('of other policies cost little where today a search takes long: they go on once the others have had their share', () => {
    const searched = { ...plan, schedule: { kind: 'policy', name: 'search', args: {} } } as const;
    const { most, ofPolicy } = weighedTrials(searched);
    expect([most, ofPolicy < 0.001, weighedTrials(plan).ofPolicy]).toEqual([4, true, 1]);
    const policy = { schedule: '1f1b' };
    const list = (kind: string, more = {}) =>
      [1, 2, 3, 4].map((index) => ({ what: `${kind}${index}`, kind, edits: [], ...more }));
    const taken = inTurn({ most: 2, ofPolicy: 0.01 }, list('p', { policy }), list('a'));
    expect([...taken].map((candidate) => candidate?.what)).toEqual(['p1', 'a1', 'p2', 'p3', 'p4']);
  });

  it('are counted: no list of fixes checks the file more often', () => {
    const analysis = analyse(pipe({ memory: '6GiB', pipeline: run('  schedule = gpipe') }));
    for (const finding of analysis.findings) {
      let checks = 0;
      fixesFor(analysis, finding, (text) => {
        checks += 1;
        return analyse(text);
      });
      // Moved layers are searched for by halving.
      expect(checks).toBeLessThanOrEqual(trialsFor(plan) + 12);
    }
  });
});

test('a larger batch comes after all that keep the batch, though its samples take less time', () => {
  const analysis = analyseExample('llama3-70b.pipe');
  const finding = analysis.findings.find(({ code }) => code === 'schedule/bubble');
  const fixes = finding === undefined ? [] : fixesFor(analysis, finding, checkedAfter(analysis));
  const larger = fixes.findIndex(({ title }) => title.includes('batch 64 → '));
  expect(larger).toBeGreaterThan(0);
  const pace = ({ effect }: (typeof fixes)[number]) => effect?.after.throughput ?? NaN;
  expect(pace(fixes[larger])).toBeGreaterThan(pace(fixes[0]));
  expect(fixes[0].preferred).toBe(true);
});
