import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { B, F, U, kindOf, letters, microbatchOf, stageOf } from '../../../../engine/values/program.ts';
import { endAt, startAt } from '../../../../engine/values/timeline.ts';
import { delayAt, inconsistentAt } from '../../../../engine/simulate/versions.ts';
import { type Ran, asynchronousPlan, run, settled, stalenessOf } from './plans.ts';

const depths = [1, 2, 3, 4, 5, 8, 12];

describe.each(depths)('p = %i', (p) => {
  const stages = Array.from({ length: p }, (_, stage) => stage);

  test('stash: staleness p − 1 − s, p − s versions, forward and backward alike', () => {
    const ran = run(asynchronousPlan({ name: 'pipedream', stages: p }));
    for (const s of stages) {
      expect(stalenessOf(ran, s)).toEqual([p - 1 - s]);
      expect(ran.versions.most[s]).toBe(p - s);
      expect(settled(ran, s, (slot) => Number(inconsistentAt(ran.versions, slot)))).toEqual([0]);
    }
    expect(ran.versions.missing).toEqual([]);
  });

  test('vertical sync: staleness p − 1 and p versions at every stage', () => {
    const ran = run(asynchronousPlan({ name: 'pipedream', args: { weights: 'vertical_sync' }, stages: p }));
    for (const s of stages) {
      expect(stalenessOf(ran, s)).toEqual([p - 1]);
      expect(ran.versions.most[s]).toBe(p);
    }
    expect(ran.versions.missing).toEqual([]);
  });

  test('latest: one version, and gradients of two of them but at the last stage', () => {
    const ran = run(asynchronousPlan({ name: 'pipedream', args: { weights: 'latest' }, stages: p }));
    for (const s of stages) {
      expect(ran.versions.most[s]).toBe(1);
      expect(stalenessOf(ran, s)).toEqual([p - 1 - s]);
      expect(settled(ran, s, (slot) => Number(inconsistentAt(ran.versions, slot)))).toEqual([s === p - 1 ? 0 : 1]);
    }
  });

  test.each([p, p + 1, 2 * p, 3 * p + 1])('2BW: delay 1 and two versions at every stage, %i microbatches', (m) => {
    const ran = run(asynchronousPlan({ name: 'pipedream_2bw', stages: p, microbatches: m }));
    for (const s of stages) {
      expect(stalenessOf(ran, s)).toEqual([1]);
      expect(ran.versions.most[s]).toBe(2);
    }
    expect(ran.versions.missing).toEqual([]);
  });

  test('pipelined backpropagation: delay 2(S − 1 − s), one version', () => {
    const ran = run(asynchronousPlan({ name: 'pipelined_backprop', stages: p }));
    for (const s of stages) {
      const delay = 2 * (p - 1 - s);
      expect(stalenessOf(ran, s)).toEqual([delay]);
      // The delay counts the microbatch's own backward.
      expect(settled(ran, s, (slot) => delayAt(ran.versions, s, slot))).toEqual([delay + 1]);
      expect(ran.versions.most[s]).toBe(1);
    }
  });
});

/** By the clock instead of the order: an update counts once it has ended. */
function byClock(ran: Ran, rule: string): void {
  const { timeline, versions } = ran;
  const { program } = timeline;
  const { stages, microbatches, minibatch = 1, order } = program;
  const all = Array.from(order, (word, position) => ({
    kind: kindOf(program, word),
    stage: stageOf(program, word),
    microbatch: microbatchOf(program, word),
    from: startAt(timeline, position),
    to: endAt(timeline, position),
  }));
  const slack = timeline.makespan * 1e-9;
  const of = (kind: number, stage: number) =>
    all.filter((candidate) => candidate.kind === kind && candidate.stage === stage);
  for (let stage = 0; stage < stages; stage += 1) {
    const updates = of(U, stage);
    const by = (moment: number) => updates.filter((update) => update.to <= moment + slack).length;
    const uses: { version: number; to: number }[] = [];
    for (const forward of of(F, stage)) {
      const { microbatch } = forward;
      const backward = of(B, stage).find((candidate) => candidate.microbatch === microbatch);
      if (backward === undefined) throw new Error(`${stage}${letters[B]}${microbatch}`);
      const entered = of(F, 0).find((candidate) => candidate.microbatch === microbatch);
      const entry = of(U, 0).filter((candidate) => candidate.to <= (entered?.from ?? 0) + slack).length;
      const read =
        rule === 'vertical_sync'
          ? entry
          : rule === 'double_buffer'
            ? Math.max(0, Math.floor(microbatch / minibatch) - 1)
            : by(forward.from);
      const used = rule === 'latest' ? by(backward.from) : read;
      const slot = stage * microbatches + microbatch;
      expect([versions.read[slot], versions.used[slot]]).toEqual([read, used]);
      expect(read).toBeLessThanOrEqual(by(forward.from));
      const applied = updates.findIndex((update) => update.from >= backward.to - slack);
      expect(versions.made[slot]).toBe(applied + 1);
      const between = of(B, stage).filter(
        (candidate) => candidate.from >= forward.from && candidate.to <= backward.to + slack,
      ).length;
      expect(versions.backwards[slot]).toBe(between);
      uses.push({ version: read, to: forward.to }, { version: used, to: backward.to });
    }
    // A version is held from its update to its last use, and the newest always. Looked at in the middle of every operation.
    let most = 1;
    for (const one of all.filter((each) => each.stage === stage)) {
      const middle = (one.from + one.to) / 2;
      const newest = updates.filter((each) => each.from <= middle).length;
      const older = new Set(uses.filter((use) => use.version < newest && use.to > middle).map((use) => use.version));
      most = Math.max(most, 1 + older.size);
    }
    expect(versions.most[stage]).toBe(most);
  }
}

test('by the clock the versions are the same, for unequal stages and latencies', () => {
  const time = fc.integer({ min: 1, max: 9 });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.constantFrom('stash', 'vertical_sync', 'latest', 'double_buffer', 'backprop'),
      fc.integer({ min: 1, max: 3 }),
      fc.array(time, { minLength: 3, maxLength: 8 }),
      fc.integer({ min: 0, max: 4 }),
      fc.option(fc.integer({ min: 1, max: 12 })),
      (p, rule, m, times, latency, inFlight) => {
        const name =
          rule === 'double_buffer' ? 'pipedream_2bw' : rule === 'backprop' ? 'pipelined_backprop' : 'pipedream';
        const args: Record<string, string | number> = name === 'pipedream' ? { weights: rule } : {};
        if (inFlight !== null && name === 'pipedream') args['in_flight'] = inFlight;
        const ran = run(
          asynchronousPlan({
            name,
            args,
            stages: p,
            microbatches: rule === 'double_buffer' ? p + m - 1 : m,
            iterations: 10,
            forward: times,
            backwardInput: times.slice(1),
            backwardWeight: times.slice(2),
            latency,
            optimizer: 1,
          }),
        );
        expect(ran.versions.missing).toEqual([]);
        byClock(ran, rule === 'backprop' ? 'latest' : rule);
      },
    ),
    { numRuns: 60 },
  );
});

test('microbatches of one update wait together for it', () => {
  const ran = run(asynchronousPlan({ name: 'pipedream', stages: 4, microbatches: 4 }));
  // Three microbatches ahead at the first stage: in a minibatch of four, three read the version before.
  expect(stalenessOf(ran, 0)).toEqual([0, 1]);
  expect(stalenessOf(ran, 3)).toEqual([0]);
});
