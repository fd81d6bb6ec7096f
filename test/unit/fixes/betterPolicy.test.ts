/** The policy that `schedule/bubble` names, which may need another cut: simulated, within the memory, and the one of the quick fixes. */
import { describe, expect, it, test } from 'vitest';
import {
  type PolicyQuestion,
  betterPolicy,
  policyProblem,
  policyQuestions,
  withBetterPolicy,
} from '../../../engine/advice/betterPolicy.ts';
import type { Analysis } from '../../../engine/flow/check.ts';
import { type CompareRow, planned, rowUnder } from '../../../engine/advice/compare.ts';
import type { Finding } from '../../../engine/findings/finding.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { share } from '../../../engine/basics/quantities.ts';
import { policies } from '../../../engine/policies/registry.ts';
import { runSearch } from '../../../engine/basics/searches.ts';
import { analyse, analyseExample, checkedAfter, codesOf, fixesOf } from '../../support/analyse.ts';
import { diskHost, type Files, hostOf, uri } from '../../support/host.ts';
import { pipe } from './file.ts';

const keys = (stages = 'balance(4)', schedule = '1f1b') =>
  `  microbatches = 8\n  stages = ${stages}\n  schedule = ${schedule}`;
const text = pipe({ pipeline: keys() });

const questionsOf = (analysis: Analysis, files: Files = {}): readonly PolicyQuestion[] =>
  policyQuestions({ ...analysis, host: hostOf(files) });
const found = (question: PolicyQuestion) => runSearch(betterPolicy, policyProblem(question)).found;

/** What the finding says once the search is done. */
function said(written: string, files: Files = {}): string {
  const analysis = analyse(written, { files });
  const [question] = questionsOf(analysis, files);
  const policy = question === undefined ? undefined : found(question);
  const findings =
    policy === undefined
      ? analysis.findings
      : withBetterPolicy(analysis.findings, question.pipeline, { found: policy });
  return findings.find(({ code }) => code === 'schedule/bubble')?.message ?? '';
}

const rows = new Map<string, readonly CompareRow[]>();

/** The pipeline under every policy that another cut allows, as `compare` cuts and simulates it. */
function rowsOf(written: string): readonly CompareRow[] {
  const known = rows.get(written);
  if (known !== undefined) return known;
  const request = { uri, text: written, host: hostOf(), options: defaultOptions };
  const base = planned(request);
  const names = policies
    .filter(({ forwardOnly, loading, replicates, weights }) => !forwardOnly && !loading && !replicates && !weights)
    // No fix is a search, or cuts the sequence of layers without a shape.
    .filter(({ name }) => name !== 'search' && name !== 'seq1f1b')
    .flatMap(({ name, parameters }) =>
      parameters.some((parameter) => parameter.name === 'chunks')
        ? [2, 3, 4, 5, 6, 8].map((chunks) => `${name}(chunks = ${chunks})`)
        : [name],
    );
  const compared = names.map((schedule) => rowUnder(request, base, 'train', { schedule }));
  rows.set(written, compared);
  return compared;
}

const fitting = (compared: readonly CompareRow[]) =>
  compared.flatMap(({ schedule, result, cut }) =>
    'report' in result && result.report.devices.every(({ peak, capacity }) => peak <= capacity)
      ? [{ schedule, cut, report: result.report }]
      : [],
  );
const bubbleUnder = (written: string, schedule: string): number | undefined =>
  fitting(rowsOf(written)).find((row) => row.schedule === schedule)?.report.bubble.makespan;
/** Bytes of the fullest device. */
const peakOf = (row: CompareRow | undefined): number =>
  row !== undefined && 'report' in row.result
    ? Math.max(...row.result.report.devices.map(({ peak }) => peak))
    : Number.NaN;

describe('what schedule/bubble names', () => {
  it('is a policy that needs another cut where that idles least, with the figure of compare', () => {
    const message = said(text);
    const [, schedule, layers, stages, figure] =
      /Under (\S.*?) \([^()]*(?:PyTorch|only|engine)[^()]*\), with (\d+) layers cut again into (\d+) stages, it would reach ([\d.]+ %)\./.exec(
        message,
      ) ?? [];
    expect([layers, stages]).toEqual(['8', '8']);
    expect(share(bubbleUnder(text, schedule) ?? Number.NaN)).toBe(figure);
    // The best comes first, and the sentences that were there stay.
    const before = analyse(text).findings.find(({ code }) => code === 'schedule/bubble')?.message ?? '';
    expect(message.indexOf(`Under ${schedule}`)).toBeLessThan(message.indexOf('Under zb_h1'));
    expect(message).toContain('Under zb_h1');
    for (const sentence of before.split(/(?= Under | With )/)) expect(message).toContain(sentence);
  });

  it.each([
    ['', text],
    ['in little memory', pipe({ memory: '5.1GiB', pipeline: keys() })],
    ['over slow links', pipe({ link: '2GB/s', pipeline: keys() })],
  ])('is no worse than any policy that fits, of all that compare runs %s', (_, written) => {
    const [question] = questionsOf(analyse(written));
    const best = found(question);
    const fits = fitting(rowsOf(written));
    expect(fits.length).toBeGreaterThan(3);
    // One that leaves less than the margin of memory/headroom is not named.
    const roomy = fits.filter(({ report }) => report.devices.every(({ peak, capacity }) => peak <= 0.94 * capacity));
    const least = Math.min(...roomy.map(({ report }) => report.bubble.makespan));
    expect(best?.bubble).toBeLessThanOrEqual(least + 1e-9);
  });

  it('leaves out another cut that is worse: more stages send more over slow links', () => {
    const slow = pipe({ link: '500MB/s', pipeline: keys() });
    const before = analyse(slow).pipelines[0]?.run?.report.bubble.makespan ?? 0;
    const cutAgain = rowsOf(slow).filter(({ cut }) => cut?.instead !== undefined);
    expect(cutAgain.length).toBeGreaterThan(3);
    const least = fitting(rowsOf(slow)).reduce((best, row) => Math.min(best, row.report.bubble.makespan), 1);
    for (const { result } of cutAgain)
      if ('report' in result) expect(result.report.bubble.makespan).toBeGreaterThan(Math.min(before, least));
    expect(said(slow)).not.toContain('cut again');
  });

  it('leaves out what does not fit', () => {
    const [question] = questionsOf(analyse(text));
    const roomy = found(question)?.schedule ?? '';
    // Just less than its peak.
    const peak = peakOf(rowsOf(text).find(({ schedule }) => schedule === roomy));
    const tight = pipe({ memory: `${peak - 1}B`, pipeline: keys() });
    expect(codesOf(analyse(tight))).not.toContain('memory/out-of-memory');
    const message = said(tight);
    expect(message).toContain('Devices idle');
    expect(message).not.toContain(roomy);
    const names = [...message.matchAll(/Under ([^,]+?(?:\([^)]*\))?) \([^()]*\)(?:,| it)/g)].map(([, name]) => name);
    const fits = fitting(rowsOf(tight)).map(({ schedule }) => schedule);
    for (const name of names) expect(fits).toContain(name);
  });

  it('names only what fits where the file itself does not: an order in a V that keeps half, or nothing', () => {
    const named = (memory: string) => {
      const written = pipe({ memory, pipeline: keys() });
      expect(codesOf(analyse(written))).toContain('memory/out-of-memory');
      const policy = found(questionsOf(analyse(written))[0])?.schedule;
      const fits = fitting(rowsOf(written)).map(({ schedule }) => schedule);
      return [policy, policy === undefined || fits.includes(policy)];
    };
    expect(named('4.5GiB')).toEqual(['v_half', true]);
    expect(named('3GiB')).toEqual([undefined, true]);
  });

  it.each(['5.1GiB', '16GiB'])('names a policy once, in %s', (memory) => {
    const written = pipe({ memory, pipeline: keys() });
    const best = found(questionsOf(analyse(written))[0])?.schedule ?? '';
    expect(said(written).split(`Under ${best}`)).toHaveLength(2);
  });

  it('leaves out another cut where there are no layers for it, or where blocks say more than their layers', () => {
    const four =
      'layer block[4] { forward = 8ms  backward = 16ms  weights = 512MiB  activation = 1GiB  output = 16MiB }';
    expect(said(pipe({ layers: four, pipeline: keys() }))).not.toContain('cut again');
    const blocks = [0, 2, 4, 6].map(
      (first) => `stage s${first} { layers = block[${first}..${first + 1}]  recompute = full }`,
    );
    const written = text.replace('stages = balance(4)', blocks.join('\n'));
    expect(analyse(written).pipelines[0]?.run).toBeDefined();
    expect(said(written)).not.toContain('cut again');
  });

  it('keeps expectations: a policy that breaks one is not named', () => {
    const name = found(questionsOf(analyse(text))[0])?.schedule ?? '';
    const peak = peakOf(rowsOf(text).find(({ schedule }) => schedule === name));
    const held = `${text}expect train { peak_memory < ${peak - 1}B }\n`;
    expect(codesOf(analyse(held))).not.toContain('expect/failed');
    expect(said(held)).toContain('Devices idle');
    expect(said(held)).not.toContain(name);
  });

  it('is the same from files that the file imports', () => {
    const [, model] = /(model toy \{[^]*?\n\})/.exec(text) ?? [];
    const files = { 'toy.pipe': model ?? '' };
    const importing = `import { toy } from "toy.pipe"\n${text.replace(model ?? '', '')}`;
    expect(said(importing, files)).toBe(said(text));
    const slower = { 'toy.pipe': (model ?? '').replace('backward = 8ms', 'backward = 12ms') };
    const keyOf = (these: Files) => questionsOf(analyse(importing, { files: these }), these)[0]?.key;
    expect(keyOf(files)).toBe(keyOf({ ...files }));
    expect(keyOf(files)).not.toBe(keyOf(slower));
  });
});

describe('what is searched once', () => {
  const keyOf = (written: string, overrides = {}) => {
    const analysis = analyse(written, { overrides });
    return policyQuestions({ ...analysis, host: hostOf(), overrides }).find(({ pipeline }) => pipeline === 'train')
      ?.key;
  };

  it('stays the same with comments, white space, other pipelines, jobs and schedules', () => {
    const other = text.slice(text.indexOf('pipeline train')).replace('train', 'other');
    for (const [written, replacement] of [
      ['\n}', '  // how it runs\n\n}'],
      ['microbatches = 8', 'microbatches   =\t8'],
      ['device gpu', '/* The card. */\ndevice gpu'],
    ])
      expect(keyOf(text.replace(written, replacement))).toBe(keyOf(text));
    expect(keyOf(text.replace('pipeline train', `${other}\nexpect other { bubble < 90% }\npipeline train`))).toBe(
      keyOf(text),
    );
    const spare = 'schedule spare { row(d) = F[0..<microbatches], B[0..<microbatches] }';
    expect(keyOf(text.replace('pipeline train', `${spare}\npipeline train`))).toBe(keyOf(text));
    const used = text.replace('1f1b', 'spare');
    expect(keyOf(`${spare}\n${used}`)).not.toBe(keyOf(`${spare.replace('], B', '] B')}\n${used}`));
  });

  it('is another one for other costs, a param with another value, and an expectation', () => {
    const param = `param m = 8 in 1..64\n${text.replace('microbatches = 8', 'microbatches = m')}`;
    expect(keyOf(param, { m: 12 })).not.toBe(keyOf(param));
    expect(keyOf(text.replace('4ms', '5ms'))).not.toBe(keyOf(text));
    expect(keyOf(`${text}expect train { bubble < 90% }\n`)).not.toBe(keyOf(text));
  });

  it('is nothing for pipelines without idle time to save, or that only infer', () => {
    const asks = (written: string) => questionsOf(analyse(written)).map(({ pipeline }) => pipeline);
    expect(asks(text)).toEqual(['train']);
    expect(asks(text.replace('25GB/s', '25TB/s').replace('microbatches = 8', 'microbatches = 2000'))).toEqual([]);
    expect(asks(text.replace('1f1b', 'inference'))).toEqual([]);
  });
});

test('a search that would take too long finds nothing, not the best of its first trials', () => {
  const problem = policyProblem(questionsOf(analyse(text))[0]);
  const within = (inAll: number) => runSearch(betterPolicy, { ...problem, most: { ofTask: 1e6, inAll } });
  expect(within(1e7)).toEqual({ found: expect.anything() });
  for (const inAll of [0, 10_000, 50_000, 1e6]) expect(within(inAll)).toEqual({ untried: 'slow' });
});

test('a search pauses between its trials, so that it can be given up', () => {
  const steps = betterPolicy.steps(policyProblem(questionsOf(analyse(text))[0]));
  let pauses = 0;
  while (steps.next().done !== true) pauses += 1;
  expect(pauses).toBeGreaterThan(10);
});

/** Pipelines of examples that are tried fast: layers by time and by shape, cuts by number and by blocks, imports, an exchange. */
const samples = [
  ['quickstart.pipe', 'train'],
  ['gpt-22b.pipe', 'wide'],
  ['lora-ethernet.pipe', 'lora'],
  ['mixture-of-experts.pipe', 'across'],
  ['vision-language.pipe', 'by_layers'],
  ['custom-schedule.pipe', 'by_rule'],
] as const;

test.each(samples)('in %s, %s names the policy that its quick fixes put first', (name, pipeline) => {
  const analysis = analyseExample(name);
  const question = policyQuestions({ ...analysis, host: diskHost }).find((each) => each.pipeline === pipeline);
  const policy = question === undefined ? undefined : found(question);
  const isOfPipeline = ({ hint }: Finding) => hint?.kind === 'tune' && hint.pipeline === pipeline;
  const fixes = fixesOf(
    { ...analysis, findings: analysis.findings.filter(isOfPipeline) },
    'schedule/bubble',
    checkedAfter(analysis),
  );
  const first = fixes.find(({ title }) => title.startsWith('Use '));
  expect(policy).toBeDefined();
  expect(first?.title.startsWith(`Use ${policy?.schedule}`)).toBe(true);
  expect(first?.title.includes(' cut again ')).toBe(policy?.cut !== undefined);
  expect(first?.effect?.after).toMatchObject({ fits: true, bubble: policy?.bubble });
});

test('a policy that cuts sequences is named with the reason why it may be under the bound', () => {
  // One layer on each device: no stages can be cut again. Of four segments, a pipeline fills in a quarter of the time.
  const shaped = `device card { memory = 80GiB  compute = 300TFLOPS  bandwidth = 2TB/s }
cluster box { gpu[4] = card  link = 200GB/s + 3us }
model net { sequence = 8192  micro_batch = 1  layer block[4] = transformer(hidden = 4096, heads = 32) }
pipeline train { model = net  devices = box  microbatches = 4  stages = balance(4)  schedule = 1f1b }
`;
  expect(said(shaped)).toMatch(
    /no order can go below [\d.]+ %\..* Under seq1f1b\(segments = \d+\) \(paper only\), with each sequence cut into segments, it would reach [\d.]+ %: the bound is for whole sequences\./,
  );
});
