import { describe, expect, it } from 'vitest';
import { bubbleFinding } from '../../../engine/analyze/scheduleFindings.ts';
import type { PlanFinding } from '../../../engine/findings/finding.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { directSearches, type Searches } from '../../../engine/basics/searches.ts';
import { analyse, codesOf, runOf } from '../../support/analyse.ts';

const findingsOf = (text: string, findings: number) =>
  analyse(text, { options: { ...defaultOptions, limits: { ...defaultOptions.limits, findings } } }).findings;

it('of 100,000 mistakes the first are shown, and that there are more, with the setting', () => {
  const found = findingsOf('model m {\n  layer a { forward = }\n}\n'.repeat(100_000 / 4), 50);
  expect(found).toHaveLength(50);
  expect(found[0]).toMatchObject({ code: 'limit/too-large', severity: 'information', place: { start: 0, end: 0 } });
  expect(found[0].message).toBe(
    'This file has at least 50 findings; the 49 most severe are shown. Fix these first, or raise the setting "pipewright.limits.findings" in an editor.',
  );
  expect(found.slice(1).every((finding) => finding.severity === 'error')).toBe(true);
});

it('an error is not lost behind hints that stand before it', () => {
  const unused = Array.from({ length: 30 }, (_, index) => `let unused_${index} = ${index}\n`).join('');
  const text = `${unused}device d { memory = 16GiB }\ncluster c { gpu[2] = d  link = 1GB/s }
model m { layer a[2] { forward = 1ms  backward = 2ms } }
pipeline p { model = m  devices = c  microbatches = 2  stages = balance(2)  schedule = 1f1b }
expect p { bubble < 1% }\n`;
  const found = findingsOf(text, 40);
  expect(found.map((finding) => finding.code)).toContain('expect/failed');
  const tight = findingsOf(text, 31);
  expect(tight).toHaveLength(31);
  expect(tight.map((finding) => finding.code)).toContain('expect/failed');
});

it('nothing is left out below the limit', () => {
  expect(findingsOf('let a = 1\nlet a = 2\n', 3).map((finding) => finding.code)).not.toContain('limit/too-large');
});

describe('one mistake of several devices', () => {
  const full = (devices: number, memory: string) =>
    findingsOf(
      `device d { memory = ${memory} }\ncluster c { gpu[${devices}] = d  link = 100GB/s }
model m { layer a[${devices}] { forward = 1ms  backward = 2ms  activation = 1GiB } }
pipeline p { model = m  devices = c  microbatches = ${devices}  stages = balance(${devices})  schedule = gpipe }\n`,
      1000,
    ).filter(({ code }) => code === 'memory/out-of-memory');

  it('is one finding of the first, that names the others where they are few', () => {
    expect(full(1, '512MiB').map(({ message }) => message.includes('this problem'))).toEqual([false]);
    for (const [devices, words] of [
      [2, '(gpu[1] has this problem too.)'],
      [3, '(gpu[1] and gpu[2] have this problem too.)'],
      [4, '(gpu[1], gpu[2] and gpu[3] have this problem too.)'],
      [5, '(gpu[1] and 3 more devices have this problem too.)'],
      [8, '(gpu[1] and 6 more devices have this problem too.)'],
    ] as const) {
      const found = full(devices, '512MiB');
      expect(found).toHaveLength(1);
      expect(found[0].message).toMatch(/of gpu\[0\]: /);
      expect(found[0].message.endsWith(` ${words}`), found[0].message).toBe(true);
    }
  });
});

describe('the message on the bubble', () => {
  const idle = (name: string) =>
    `pipeline ${name} { model = m  devices = c  microbatches = 4  stages = balance(4)  schedule = 1f1b }\n`;
  const text = (...names: string[]) => `device d { memory = 16GiB }\ncluster c { gpu[4] = d  link = 100GB/s }
model m { layer a[4] { forward = 1ms  backward = 2ms } }\n${names.map(idle).join('')}`;

  it('asks for the bound once it is read, and once', () => {
    const { plan, run } = runOf(text('p'));
    let asked = 0;
    const bubble = {
      ...run.report.bubble,
      get bound() {
        asked += 1;
        return run.report.bubble.bound;
      },
    };
    const [found] = bubbleFinding(plan, { ...run, report: { ...run.report, bubble } }, defaultOptions);
    expect([found.code, found.severity, asked]).toEqual(['schedule/bubble', 'warning', 0]);
    expect(found.parameters).toBeDefined();
    expect(found.message).toBe(found.message);
    expect(asked).toBe(1);
  });

  it('is not read by a check: trials of fixes do without', () => {
    const direct = directSearches();
    const read: string[] = [];
    const watched = (found: PlanFinding): PlanFinding =>
      Object.defineProperty({ ...found }, 'message', {
        enumerable: true,
        get: () => {
          read.push(found.at);
          return found.message;
        },
      });
    const searches: Searches = {
      answer(search, problem) {
        const answer = direct.answer(search, problem);
        return isEvaluated(answer) ? { ...answer, findings: answer.findings.map(watched) } : answer;
      },
    };
    const { findings } = analyse(text('p', 'q'), { searches });
    expect(findings.map(({ code }) => code)).toEqual(['schedule/bubble', 'schedule/bubble']);
    expect(read).toEqual([]);
    expect(findings.map(({ message }) => message)).toEqual(
      analyse(text('p', 'q')).findings.map(({ message }) => message),
    );
    expect(read).toEqual(['p/key:schedule', 'q/key:schedule']);
  });
});

const isEvaluated = (answer: unknown): answer is { readonly findings: readonly PlanFinding[] } =>
  typeof answer === 'object' && answer !== null && 'findings' in answer;

describe('where only figures are wanted', () => {
  const text = `device gpu { memory = 1GiB }
cluster box { gpu[4] = gpu  link = 4GB/s }
model m { layer block[6] { forward = 10ms  backward = 20ms  output = 100MB  activation = 100MiB  weights = 1GiB } }
pipeline train { model = m  devices = box  stages = split(3, 1, 1, 1)  microbatches = 4  schedule = 1f1b }
expect train { iteration < 1ms }
`;
  const of = (searches: Searches) => {
    const { analysis, run } = runOf(text, { searches });
    return { codes: codesOf(analysis), report: run.report };
  };

  it('no remark says what may help, and verdicts and figures stay', () => {
    const [all, few] = [of(directSearches()), of({ ...directSearches(), figuresOnly: true })];
    const [remarks, verdicts] = [
      ['schedule/bubble', 'comm/exposed'],
      ['memory/out-of-memory', 'expect/failed'],
    ];
    expect(all.codes).toEqual(expect.arrayContaining([...remarks, ...verdicts]));
    expect(few.codes).toEqual(expect.arrayContaining(verdicts));
    expect(few.codes.filter((code) => remarks.includes(code))).toEqual([]);
    expect(few.report).toEqual(all.report);
  });
});
