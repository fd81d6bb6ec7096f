/** What `schedule/bubble` advises is what its quick fixes do: the policy that the message names first is the first policy among the fixes. */
import { describe, expect, it, test } from 'vitest';
import { betterPolicy, policyProblem, policyQuestions, withBetterPolicy } from '../../../engine/advice/betterPolicy.ts';
import type { Analysis } from '../../../engine/flow/check.ts';
import { simulated } from '../../../engine/fixes/outcome.ts';
import { type Fix, fixesFor } from '../../../engine/fixes/fix.ts';
import { share } from '../../../engine/basics/quantities.ts';
import { runSearch } from '../../../engine/basics/searches.ts';
import { after, analyse, checkedAfter, codesOf, fixesOf } from '../../support/analyse.ts';
import { hostOf } from '../../support/host.ts';
import { pipe } from './file.ts';
import { checkPromise } from './promise.ts';

const keys = (schedule: string, stages = 'stages = balance(4)') =>
  `  microbatches = 8\n  ${stages}\n  schedule = ${schedule}`;
const file = (schedule: string) => pipe({ pipeline: keys(schedule) });

/** The message of the first pipeline's bubble once the search for a policy is done, and the fixes of the finding. */
function advice(analysis: Analysis): { readonly message: string; readonly fixes: readonly Fix[] } {
  const pipeline = analysis.pipelines[0].plan.name;
  const isIts = ({ code, hint }: Analysis['findings'][number]) =>
    code === 'schedule/bubble' && hint?.kind === 'tune' && hint.pipeline === pipeline;
  const findings = policyQuestions({ ...analysis, host: hostOf() })
    .filter((question) => question.pipeline === pipeline)
    .reduce(
      (all, question) => withBetterPolicy(all, pipeline, runSearch(betterPolicy, policyProblem(question))),
      analysis.findings,
    );
  const again = checkedAfter(analysis);
  const fixes = analysis.findings.filter(isIts).flatMap((finding) => fixesFor(analysis, finding, again));
  return { message: findings.find(isIts)?.message ?? '', fixes };
}

/** The policy that a message names first, as the fix that does the same begins. */
function named(message: string): { readonly title: string; readonly bubble: string } | undefined {
  const found = / Under (\w+(?:\([^)]*\))?) \([A-Za-z ·]+\)(?:, (.*?),)? it would reach ([\d.]+ %)\./.exec(message);
  if (found === null) return undefined;
  const [, schedule, more = '', bubble] = found;
  const [, cut] = /with (\d+ layers cut again into \d+ stages)/.exec(more) ?? [];
  const [without] = /without your .*$/.exec(more) ?? [];
  return { title: [`Use ${schedule}`, cut, without].filter((part) => part !== undefined).join(', '), bubble };
}

/** The first fix that uses another policy and leaves every device within its memory. */
const firstPolicy = (fixes: readonly Fix[]) =>
  fixes.find(({ title, effect }) => title.startsWith('Use ') && effect?.after.fits === true);

const blocks =
  'stage s0 { layers = block[0..1] }  // first\n  stage s1 { layers = block[2..3] }  // second\n' +
  '  stage s2 { layers = block[4..5] }\n  // the last\n  stage s3 { layers = block[6..7] }';
const shared = (limit: string) =>
  `param s = 4 in 1..16\n${pipe({
    pipeline: keys('1f1b', 'stages = balance(s)'),
    more: `pipeline other {\n  model = toy\n  devices = box\n  microbatches = 8\n  stages = balance(s)\n  schedule = 1f1b\n}\nexpect other { ${limit} }\n`,
  })}`;

const files: Readonly<Record<string, string>> = {
  'a plain schedule': file('1f1b'),
  'stages with comments between them': pipe({ pipeline: keys('1f1b', blocks) }),
  'stages with comments, in little memory': pipe({ memory: '4.5GiB', pipeline: keys('gpipe', blocks) }),
  'a limit in microbatches': file('zb_auto(limit = 2)'),
  'a limit in bytes, by its position': file('zb_auto(3GiB)'),
  'the memory of the device as the limit': file('zb_auto(limit = device)'),
  'a limit that another policy takes': file('dapple(in_flight = 2)'),
  'a searched order': file('search(effort = 0)'),
  'a searched order that took longer than all trials of policies may': file('search'),
  'a searched order with a limit': file('search(limit = 2, effort = 0)'),
  'a param that another pipeline uses': shared('bubble < 90%'),
  'a param that another pipeline needs as it is': shared('in_flight <= 4'),
  'an expectation': pipe({ pipeline: keys('1f1b'), more: 'expect train { in_flight <= 4  iteration < 140ms }\n' }),
  'slow links': pipe({ link: '1GB/s', pipeline: keys('1f1b') }),
};

describe.each(Object.entries(files))('for %s', (_, text) => {
  const analysis = analyse(text);
  const { message, fixes } = advice(analysis);

  it('the message names the policy of the first fix, with its figure', () => {
    expect(message).toMatch(/^Devices idle/);
    const first = firstPolicy(fixes);
    const policy = named(message);
    const today = simulated(analysis, 'train')?.run.report.bubble.makespan ?? NaN;
    if (policy === undefined) {
      // Too little to say: it saves less than a point.
      if (first !== undefined) expect(first.effect?.after.bubble).toBeGreaterThanOrEqual(today - 0.01);
      return;
    }
    expect(first?.title.slice(0, policy.title.length + 1)).toBe(`${policy.title}:`);
    expect(share(first?.effect?.after.bubble ?? NaN)).toBe(policy.bubble);
  });

  it('each fix does what it says and keeps every comment', () => {
    const comments = (text.match(/\/\/.*$/gm) ?? []).toSorted();
    for (const fix of fixes) {
      const changed = checkPromise(analysis, fix, { lessens: true });
      expect((changed.syntax.text.match(/\/\/.*$/gm) ?? []).toSorted(), fix.title).toEqual(comments);
    }
  });
});

describe('a limit of the file', () => {
  const scheduleIn = (fix: Fix, text: string) =>
    /schedule = (.*)/.exec(after(analyse(text), fix).syntax.text)?.[1] ?? '';

  it.each([
    ['zb_auto(limit = 2)', /without your limit of 2[:,]/],
    ['zb_auto(3GiB)', /without your limit of 3 GiB[:,]/],
    ['search(limit = 2, effort = 0)', /without your limit of 2[:,]/],
    ['dapple(in_flight = 2)', /without your in_flight of 2[:,]/],
  ])('of %s is kept, or the title says that it is not, after all that keep it', (schedule, words) => {
    const text = file(schedule);
    const { fixes } = advice(analyse(text));
    const drops = fixes.map((fix) => !/limit = |in_flight = |\(3GiB\)/.test(scheduleIn(fix, text)));
    expect(drops).toContain(true);
    for (const [index, { title }] of fixes.entries()) expect(words.test(title), title).toBe(drops[index]);
    expect(drops).toEqual(drops.toSorted((a, b) => Number(a) - Number(b)));
    for (const [index, { preferred }] of fixes.entries()) if (drops[index]) expect(preferred).toBeUndefined();
  });

  it('is kept by a policy that takes it', () => {
    const { fixes } = advice(analyse(file('dapple(in_flight = 2)')));
    expect(fixes[0].title).toMatch(/^Use hanayo\(waves = \d, in_flight = 2\), 8 layers cut again/);
  });

  it('is no limit if it is the memory of the device, or if no iteration is apart', () => {
    for (const text of [file('zb_auto(limit = device)'), file('pipedream(in_flight = 4)')])
      for (const code of codesOf(analyse(text)))
        if (code === 'schedule/bubble' || code === 'schedule/stale-weights')
          for (const { title } of fixesOf(analyse(text), code)) expect(title).not.toContain('without your');
  });

  it('is named in the message, even before any search', () => {
    const message = analyse(file('zb_auto(limit = 2)')).findings.find(
      ({ code }) => code === 'schedule/bubble',
    )?.message;
    expect(message).toContain('Under zb_h1 (torchtitan · PyTorch), without your limit of 2, it would reach ');
  });
});

test('a message that names no policy because none was tried says so, and how to try them', () => {
  const analysis = analyse(file('1f1b'));
  // As many operations as 2²⁰ microbatches have, without a run of them.
  const pipelines = analysis.pipelines.map((each) => ({ ...each, plan: { ...each.plan, microbatches: 2 ** 20 } }));
  const [question] = policyQuestions({ ...analysis, pipelines, host: hostOf() });
  expect(question.untried).toBe('slow');
  const answer = runSearch(betterPolicy, policyProblem(question));
  const findings = withBetterPolicy(analysis.findings, 'train', answer);
  expect(findings.find(({ code }) => code === 'schedule/bubble')?.message).toMatch(
    /Other policies were not tried: each takes long to plan or to simulate\. `pipewright compare --schedules` tries them\.$/,
  );
  const [small] = policyQuestions({ ...analysis, host: hostOf() });
  expect(small.untried).toBeUndefined();
  const long = analyse(`${file('1f1b')}\nparam ${'a'.repeat(400_000)} = 1\n`);
  expect(policyQuestions({ ...long, host: hostOf() }).map(({ untried }) => untried)).toEqual(['long']);
});

test('twice as many microbatches are named only if every expectation holds that holds today', () => {
  const expecting = (condition: string) =>
    analyse(pipe({ pipeline: keys('1f1b'), more: `expect train { ${condition} }\n` })).findings.find(
      ({ code }) => code === 'schedule/bubble',
    )?.message;
  const milliseconds = (text: string) => 1000 * (simulated(analyse(text), 'train')?.run.report.iteration ?? NaN);
  const within = (factor: number) => expecting(`iteration < ${milliseconds(file('1f1b')) * factor}ms`);
  const grown =
    milliseconds(file('1f1b').replace('microbatches = 8', 'microbatches = 16')) / milliseconds(file('1f1b'));
  expect(within(grown * 1.001)).toContain('With 16 microbatches it would reach');
  expect(within(grown * 0.999)).not.toContain('With 16 microbatches');
  // An expectation that fails today forbids nothing.
  expect(within(0.5)).toContain('With 16 microbatches it would reach');
});
