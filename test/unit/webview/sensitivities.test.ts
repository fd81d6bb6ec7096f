import { describe, expect, it } from 'vitest';
import { sensitivityOf, type SensitivityTarget } from '../../../engine/analyze/sensitivity.ts';
import { tornadoRows, tornadoTargets } from '../../../engine/analyze/tornado.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import type { FromWorker, ToWorker } from '../../../webview/worker/messages.ts';
import { sensitivities } from '../../../webview/session/sensitivities.ts';
import { sensitivityStudy } from '../../../webview/worker/sensitivity.ts';
import { analyseExample } from '../../support/analyse.ts';
import { policy, recipePlan } from '../support/plans.ts';

/** Workers that answer what they are sent when told to. */
function harness() {
  type Asked = Extract<ToWorker, { type: 'sensitivity' | 'slowdown' }>;
  const sent: { readonly message: Asked; readonly reply: () => void }[] = [];
  let stopped = 0;
  let found = 0;
  const made = sensitivities(
    (receive: (message: FromWorker) => void) => {
      const study = sensitivityStudy();
      return {
        send: (message) => {
          if (message.type !== 'sensitivity' && message.type !== 'slowdown') throw new Error(message.type);
          const { id, plan: given } = message;
          const reply = () => {
            if (given !== undefined) study.begin(given);
            if (message.type === 'slowdown') receive({ type: 'slowdown', id, known: study.slowdown(message.runs) });
            else receive({ type: 'sensitivity', id, rows: message.targets.map(study.row) });
          };
          sent.push({ message, reply });
        },
        stop: () => void (stopped += 1),
      };
    },
    () => (found += 1),
  );
  return {
    made,
    sent,
    answer: (index: number) => sent[index].reply(),
    /** Targets of each message, or runs of the slowdown. */
    asked: () => sent.map(({ message }) => (message.type === 'slowdown' ? message.runs : message.targets)),
    stopped: () => stopped,
    found: () => found,
  };
}

const plan = recipePlan({ devices: 4, microbatches: 8, schedule: policy('1f1b'), forward: [2, 3, 2, 2], latency: 0.5 });
const stage = (index: number) => ({ kind: 'stage', index }) as const;
/** As many operations as make one target a message. */
const large = 1_000_000;

const reportOf = (of: PipelinePlan) => {
  const { run } = evaluate(of, defaultOptions);
  if (run === undefined) throw new Error('it does not run');
  return sensitivityOf(of, run.timeline);
};

describe('sensitivities in the worker', () => {
  it('are those of the report', () => {
    const { made, sent, answer } = harness();
    made.want(plan, 64, [stage(1), stage(3)]);
    expect(made.of(plan, stage(1))).toBeUndefined();
    answer(0);
    const { stages } = reportOf(plan);
    expect(stages[1].slower).toBeGreaterThan(0);
    expect(made.of(plan, stage(1))).toEqual(stages[1]);
    expect(made.of(plan, stage(3))).toEqual(stages[3]);
    expect(sent).toHaveLength(1);
  });

  it.each(['quickstart.pipe', 'systems/pipedream.pipe', 'systems/seq1f1b.pipe', 'systems/chimera.pipe'])(
    'of all parts of %s are the rows that the terminal draws',
    (name) => {
      for (const { plan: each, run } of analyseExample(name).pipelines) {
        if (run === undefined) continue;
        const { made, answer } = harness();
        const targets = tornadoTargets(each);
        made.wantAll(each, 1, targets);
        answer(0);
        const rows = targets.map((target) => ({ ...Object(made.of(each, target)), target }));
        expect(rows).toEqual(tornadoRows(each, sensitivityOf(each, run.timeline)));
      }
    },
  );

  it('do not contain random draws, and are of rows with what they lack', () => {
    const [{ plan: noisy }] = analyseExample('quickstart.pipe').pipelines;
    const study = sensitivityStudy();
    study.begin(noisy);
    const certain = study.row(stage(0));
    study.begin({ ...noisy, jitter: noisy.stages.map(() => 0.5) });
    expect(study.row(stage(0))).toEqual(certain);
  });

  it('are none of a plan that cannot run', () => {
    const { made, answer } = harness();
    const broken: PipelinePlan = { ...plan, schedule: { kind: 'rows', name: 'none', rows: [] } as never };
    made.want(broken, 1, [stage(0)]);
    answer(0);
    expect(made.of(broken, stage(0))).toBe('none');
  });
});

describe('what is simulated', () => {
  it('is each part of a plan once, and of those that come first the newest', () => {
    const { made, sent, asked, answer, found } = harness();
    made.want(plan, large, [stage(0)]);
    made.want(plan, large, [stage(1)]);
    made.want(plan, large, [stage(2)]);
    expect(sent).toHaveLength(1);
    answer(0);
    answer(1);
    made.want(plan, large, [stage(0)]);
    made.want(plan, large, [stage(2)]);
    expect(asked()).toEqual([[stage(0)], [stage(2)]]);
    expect(found()).toBe(2);
    expect(made.of(plan, stage(1))).toBeUndefined();
  });

  it('is sent with the plan once, a few parts at a time for a large one', () => {
    const { made, sent, asked, answer } = harness();
    const targets: readonly SensitivityTarget[] = [0, 1, 2, 3].map(stage);
    made.wantAll(plan, 100_000, targets);
    answer(0);
    answer(1);
    expect(asked()).toEqual([targets.slice(0, 2), targets.slice(2), 2]);
    expect(sent.map(({ message }) => message.plan)).toEqual([plan, undefined, undefined]);
    for (const target of targets) expect(made.of(plan, target)).toMatchObject({ name: expect.any(String) as string });
  });

  it('is what is looked at before the rest', () => {
    const { made, asked, answer } = harness();
    made.wantAll(plan, large, [0, 1, 2, 3].map(stage));
    made.want(plan, large, [stage(3)]);
    for (const at of [0, 1, 2, 3]) answer(at);
    expect(asked()).toEqual([[stage(0)], [stage(3)], [stage(1)], [stage(2)], 1]);
  });

  it('stops for another plan, and its answer is dropped', () => {
    const { made, sent, answer, stopped, found } = harness();
    const other = { ...plan };
    made.want(plan, large, [stage(0)]);
    made.want(other, large, [stage(0)]);
    expect(stopped()).toBe(1);
    answer(0);
    expect(found()).toBe(0);
    answer(1);
    expect(sent[1].message.plan).toBe(other);
    expect(made.of(other, stage(0))).toEqual(reportOf(plan).stages[0]);
    expect(made.of(plan, stage(0))).toBeUndefined();
  });

  it('stops when nobody waits for all parts, and begins again with the plan', () => {
    const { made, sent, asked, answer, stopped } = harness();
    made.wantAll(plan, large, [0, 1].map(stage));
    answer(0);
    made.dropAll();
    expect(stopped()).toBe(1);
    made.wantAll(plan, large, [0, 1].map(stage));
    expect(asked()).toEqual([[stage(0)], [stage(1)], [stage(1)]]);
    expect(sent[2].message.plan).toBe(plan);
    // What is known is not simulated again.
    answer(2);
    made.dropAll();
    expect(stopped()).toBe(2);
    // What is looked at goes on.
    made.want(plan, large, [stage(2)]);
    made.dropAll();
    expect(stopped()).toBe(2);
  });
});

describe('the slowdown', () => {
  /** Answers until nothing more is asked. */
  function finish({ sent, answer }: ReturnType<typeof harness>, from = 0): void {
    for (let at = from; at < sent.length; at += 1) answer(at);
  }

  it('is that of the report, after all parts, and says how far it is', () => {
    const all = harness();
    all.made.wantAll(plan, large, [stage(0)]);
    all.answer(0);
    expect(all.made.slowdown(plan)).toBeUndefined();
    // F, B, transfers, four devices, the ideal run and the last stage.
    for (let done = 1; done <= 9; done += 1) {
      all.answer(done);
      expect(all.made.slowdown(plan)).toEqual({ done, of: 9 });
    }
    finish(all, 10);
    expect(all.made.slowdown(plan)).toEqual(reportOf(plan).slowdown);
    const sent = all.sent.length;
    all.made.wantAll(plan, large, [stage(0)]);
    expect(all.sent).toHaveLength(sent);
  });

  it('begins anew after it was stopped, and waits for what is looked at', () => {
    const all = harness();
    all.made.wantAll(plan, large, []);
    all.answer(0);
    all.made.dropAll();
    expect(all.stopped()).toBe(1);
    expect(all.made.slowdown(plan)).toBeUndefined();
    all.made.wantAll(plan, large, []);
    all.made.want(plan, large, [stage(1)]);
    all.answer(2);
    expect(all.asked()).toEqual([1, 1, 1, [stage(1)]]);
    finish(all, 3);
    expect(all.made.slowdown(plan)).toEqual(reportOf(plan).slowdown);
  });

  it('is none of a plan that cannot run, and of no other plan', () => {
    const all = harness();
    const broken: PipelinePlan = { ...plan, schedule: { kind: 'rows', name: 'none', rows: [] } as never };
    all.made.wantAll(broken, 1, []);
    finish(all);
    expect(all.made.slowdown(broken)).toBe('none');
    expect(all.made.slowdown(plan)).toBeUndefined();
  });
});
