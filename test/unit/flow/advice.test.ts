import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { policyAdvice, policyProblem, policyQuestions, questionsAdvice } from '../../../engine/advice/betterPolicy.ts';
import { askedOrder, orderAdvice, shorterOrder } from '../../../engine/advice/shorterOrder.ts';
import { betterPolicy } from '../../../engine/advice/betterPolicy.ts';
import { remarks } from '../../../engine/analyze/findings.ts';
import { bound } from '../../../engine/analyze/leastIteration.ts';
import { bubbleHelp } from '../../../engine/analyze/scheduleFindings.ts';
import { onLostAdvice, type LostAdvice } from '../../../engine/basics/advice.ts';
import { runSearch } from '../../../engine/basics/searches.ts';
import type { Analysis } from '../../../engine/flow/check.ts';
import { fixesFor } from '../../../engine/fixes/fix.ts';
import { imbalance, slowHop } from '../../../engine/planning/planPipeline.ts';
import { analyse, codesOf } from '../../support/analyse.ts';
import { hostOf } from '../../support/host.ts';

/** A pipeline with something to remark on each topic: a bubble, slow links, an uneven cut, a missed expectation, too little memory. */
const busy = `
device gpu { memory = 1.5GiB }
cluster box { gpu[4] = gpu  link = 4GB/s }
model m { layer block[6] { forward = 10ms  backward = 20ms  output = 100MB  activation = 100MiB  weights = 1GiB } }
pipeline train { model = m  devices = box  stages = split(3, 1, 1, 1)  microbatches = 4  schedule = 1f1b }
expect train { iteration < 1ms }
`;

/** The same with enough memory for other choices. */
const roomy = busy.replace('1.5GiB', '100GiB');

/** Its copies make as many stages as there are devices, but its cut has half as many. */
const copied = `
schedule dp { stages = devices / 2  on(s, j) = 2 * s + mod(j, 2)  order = greedy(prefer = [B, F]) }
device g { memory = 1GiB }
model m { layer b[2] { forward = 1s  backward = 2s } }
cluster c { gpu[4] = g  link = 1GB/s }
pipeline t { model = m  devices = c  microbatches = 8  stages = balance(2)  schedule = dp }
`;

const fault = new Error('lost');
const fails = (): never => {
  throw fault;
};

let lost: string[] = [];
let before: LostAdvice;
beforeEach(() => {
  lost = [];
  before = onLostAdvice((name, error) => {
    if (error !== fault) throw error;
    lost.push(name);
  });
});
afterEach(() => {
  onLostAdvice(before);
  vi.restoreAllMocks();
});

const iteration = ({ pipelines }: Analysis): number | undefined => pipelines[0]?.run?.report.iteration;
/** Codes with their messages: a message that is made late must not throw either. */
const said = ({ findings }: Analysis): readonly string[] => findings.map(({ code, message }) => `${code} ${message}`);

describe('advice that throws', () => {
  const whole = analyse(busy);

  it('has something to remark where nothing throws', () => {
    expect(codesOf(whole).toSorted()).toEqual([
      'comm/exposed',
      'expect/failed',
      'memory/out-of-memory',
      'schedule/bubble',
      'stage/imbalance',
    ]);
  });

  it.each(remarks.map((remark) => [remark.name, remark] as const))(
    'leaves the report and the other findings without the %s',
    (name, remark) => {
      vi.spyOn(remark, 'find').mockImplementation(fails);
      const found = analyse(busy);
      expect(lost).toEqual([name]);
      expect(found.pipelines[0].run?.report).toEqual(whole.pipelines[0].run?.report);
      const about: Readonly<Record<string, string>> = {
        'remark on links': 'comm/exposed',
        'remark on the bubble': 'schedule/bubble',
      };
      expect(said(found)).toEqual(said(whole).filter((words) => !words.startsWith(about[name] ?? 'nothing')));
    },
  );

  it('leaves the plan without what is remarked on a cut and on places', () => {
    vi.spyOn(imbalance, 'find').mockImplementation(fails);
    vi.spyOn(slowHop, 'steps').mockImplementation(fails);
    const found = analyse(busy);
    expect(lost.toSorted()).toEqual([imbalance.name, slowHop.name].toSorted());
    expect(iteration(found)).toBe(iteration(whole));
    expect(said(found)).toEqual(said(whole).filter((words) => !words.startsWith('stage/imbalance')));
  });

  it('leaves the message of a bubble without help', () => {
    const bubble = (found: Analysis) => said(found).find((words) => words.startsWith('schedule/bubble'));
    expect(bubble(analyse(roomy))).toContain('it would reach');
    vi.spyOn(bubbleHelp, 'steps').mockImplementation(fails);
    const message = bubble(analyse(roomy));
    expect(message).toMatch(/^schedule\/bubble Devices idle/);
    expect(message).not.toContain('it would reach');
    expect(lost).toEqual([bubbleHelp.name]);
  });

  it('leaves the figures without a bound, and claims none', () => {
    vi.spyOn(bound, 'find').mockImplementation(fails);
    const found = analyse(busy);
    expect(iteration(found)).toBe(iteration(whole));
    expect(found.pipelines[0].run?.report.bubble).toMatchObject({ bound: 0 });
    expect(said(found).join(' ')).not.toContain('no order can go below');
    const searched = analyse(busy.replace('= 1f1b', '= search(effort = 1)'));
    expect(searched.pipelines[0].run?.report.search?.makespan).toBeGreaterThan(0);
    expect(new Set(lost)).toEqual(new Set([bound.name]));
  });

  it('leaves every finding its place where its fixes throw', () => {
    const fixes = whole.findings.map((finding) => fixesFor(whole, finding, analyse).length);
    expect(fixes.filter((count) => count > 0).length).toBeGreaterThan(2);
    expect(lost).toEqual([]);
    for (const finding of whole.findings) expect(fixesFor(whole, finding, fails)).toEqual([]);
    expect(lost.length).toBeGreaterThan(2);
  });

  it('leaves the other fixes where the trial of one throws', () => {
    const finding = whole.findings.find(({ code }) => code === 'schedule/bubble');
    if (finding === undefined) throw new Error('no bubble');
    const all = fixesFor(whole, finding, analyse);
    const first = all[0].edits;
    const found = fixesFor(whole, finding, (text) => {
      if (first.every((edit) => text.includes(edit.text)) && text !== busy) return fails();
      return analyse(text);
    });
    expect(lost).toContain('trial of a fix');
    expect(found.length).toBeGreaterThan(0);
    expect(found.some(({ edits }) => JSON.stringify(edits) === JSON.stringify(first))).toBe(false);
  });

  it('leaves a file without a better policy and without a shorter order', () => {
    const file = { ...whole, host: hostOf() };
    const [question] = policyQuestions(file);
    vi.spyOn(policyAdvice, 'steps').mockImplementation(fails);
    expect(runSearch(betterPolicy, policyProblem(question))).toEqual({});
    vi.spyOn(questionsAdvice, 'find').mockImplementation(fails);
    expect(policyQuestions(file)).toEqual([]);
    const asked = askedOrder(whole.pipelines[0], 1);
    if ('reason' in asked) throw new Error(asked.reason);
    vi.spyOn(orderAdvice, 'steps').mockImplementation(fails);
    expect(runSearch(shorterOrder, asked)).toEqual({});
    expect(lost).toEqual([policyAdvice.name, questionsAdvice.name, orderAdvice.name]);
  });
});

describe('a schedule whose copies make more stages than the cut', () => {
  it('has a report and a bubble, and names no policy that knows no copies', () => {
    const found = analyse(copied);
    // Hand-made: two replicas of a pipeline of two stages, four microbatches each: 4 · (1 + 2) + 1 + 2.
    expect(iteration(found)).toBe(15);
    expect(said(found)).toEqual([expect.stringMatching(/^schedule\/bubble Devices idle 20 %/)]);
    expect(said(found)[0]).not.toContain('zb_h1');
    expect(lost).toEqual([]);
  });
});
