import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { simulations } from '../../../webview/session/simulations.ts';
import { pictureOf } from '../../../webview/worker/makePicture.ts';
import { pipeline } from '../../browser/plans.ts';

const first = pipeline({ devices: 2, microbatches: 2 });
const second = pipeline({ devices: 2, microbatches: 3 });

function pictureFor(plan: typeof first, generation: number) {
  const evaluation = evaluate(plan, defaultOptions);
  if (evaluation.run === undefined) throw new Error('the pipeline does not run');
  return pictureOf(evaluation, evaluation.run, generation);
}

describe('simulations', () => {
  it('give a picture its plan, even while a newer plan runs', () => {
    const runs = simulations();
    const [older, newer] = [runs.start(first), runs.start(second)];
    expect(runs.arrived(pictureFor(first, older))?.plan).toBe(first);
    expect(runs.arrived(pictureFor(second, newer))?.plan).toBe(second);
  });

  it('drop a picture older than one that has arrived', () => {
    const runs = simulations();
    const [older, newer] = [runs.start(first), runs.start(second)];
    runs.arrived(pictureFor(second, newer));
    expect(runs.arrived(pictureFor(first, older))).toBeUndefined();
  });

  it('take only the answers about the newest plan', () => {
    const runs = simulations();
    const [older, newer] = [runs.start(first), runs.start(second)];
    expect([older, newer].map(runs.isNewest)).toEqual([false, true]);
    expect([older, newer].map(runs.isCurrent)).toEqual([false, true]);
  });

  it('are no longer current after trouble, until the next one starts', () => {
    const runs = simulations();
    const before = runs.start(first);
    runs.trouble();
    expect(runs.isCurrent(before)).toBe(false);
    expect(runs.isNewest(before)).toBe(true);
    expect(runs.arrived(pictureFor(first, before))?.plan).toBe(first);
    expect(runs.isCurrent(runs.start(second))).toBe(true);
  });

  it('take nothing more about a file that was left', () => {
    const runs = simulations();
    const before = runs.start(first);
    runs.leave();
    expect(runs.isNewest(before)).toBe(false);
    expect(runs.isCurrent(before)).toBe(false);
    expect(runs.arrived(pictureFor(first, before))).toBeUndefined();
  });
});
