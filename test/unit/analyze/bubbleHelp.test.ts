import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { catalogue } from '../../../engine/findings/catalogue.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { recipePlan, policy, type Recipe } from '../support/plans.ts';

/** What `schedule/bubble` says would help: the sentences after the bound. */
function help(recipe: Recipe): string {
  const found = evaluate(recipePlan(recipe), defaultOptions).findings.find(({ code }) => code === 'schedule/bubble');
  if (found === undefined) throw new Error('no bubble');
  return found.message.replace(/^.*?no order [^%]*%\./i, '').trim();
}

describe('what would help against a bubble', () => {
  // F = 1, I = W = 1: 1F1B and GPipe idle (p − 1)/(m + p − 1), zb_h1 (p − 1)F/(m(F + I + W) + (p − 1)F).
  it('is told with the simulated figure, the best first', () => {
    expect(help({ devices: 4, microbatches: 8, schedule: policy('1f1b') })).toMatch(
      /zb_h1\b.* 11\.1 %\..*16 microbatches.* 15\.8 %\.$/,
    );
  });

  it('comes without a bound that excludes nothing', () => {
    const message = (bound: number): string =>
      catalogue['schedule/bubble'].message({
        bubble: 0.1,
        causes: [['gradients', 0.1]],
        bound,
        help: [{ schedule: 'zb_h1', bubble: 0.01 }],
      });
    expect(message(0.0004)).toBe('Devices idle 10 % of the iteration: gradients 10 %. Under zb_h1 it would reach 1 %.');
    expect(message(0.02)).toContain('no order can go below 2 %. Under zb_h1 it would reach 1 %.');
  });

  it('says that the bound is for whole sequences where a policy cuts them', () => {
    const message = (bound: number): string =>
      catalogue['schedule/bubble'].message({
        bubble: 0.2,
        causes: [['order', 0.2]],
        bound,
        help: [{ schedule: 'seq1f1b(segments = 4)', segmented: true, bubble: 0.089 }],
      });
    expect(message(0.104)).toContain(
      'no order can go below 10.4 %. Under seq1f1b(segments = 4), with each sequence cut into segments, it would reach 8.9 %: the bound is for whole sequences.',
    );
    expect(message(0)).not.toContain('the bound');
  });

  it('doubles the microbatches that there are: 3/35 with 32 for 3/19 with 16', () => {
    const twice = { devices: 4, microbatches: 16, schedule: policy('gpipe') };
    expect(help(twice)).toContain('With 32 microbatches');
    expect(help(twice)).toContain('8.6 %');
  });

  it('is only what gains more than a point', () => {
    // 3/203 = 1.48 %; with 400 microbatches 0.74 %, under zb_h1 0.5 %.
    expect(help({ devices: 4, microbatches: 200, schedule: policy('1f1b') })).toBe('');
    // 3/123 = 2.44 %; with 240 microbatches 1.23 %, under zb_h1 0.83 %.
    expect(help({ devices: 4, microbatches: 120, schedule: policy('1f1b') })).toContain('240 microbatches');
  });

  it('is only what fits the memory: 1F1B needs no more activations for more microbatches, GPipe does', () => {
    const recipe = { devices: 4, microbatches: 8, activation: 1, memory: 8 };
    expect(help({ ...recipe, schedule: policy('gpipe') })).not.toContain('16 microbatches');
    expect(help({ ...recipe, schedule: policy('1f1b') })).toContain('16 microbatches');
  });
});
