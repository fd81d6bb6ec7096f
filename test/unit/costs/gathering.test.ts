import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { gatheredBytes, type GatheredLayer } from '../../../engine/costs/gathering.ts';

const layers: readonly GatheredLayer[] = [
  { weights: 10, gradients: 20 },
  { weights: 40, gradients: 80 },
  { weights: 30, gradients: 60 },
  { weights: 5, gradients: 10 },
];

describe('gathered bytes', () => {
  it('hold the layer that runs and the one that comes next', () => {
    // Forward: 40 + 30. Backward: layer 1 runs (its gradient 80), layer 0 is fetched, and the gradient of layer 2 is scattered:
    // 40 + 10 + 80 + 60 = 190; layer 2 needs 30 + 40 + 60 + 10 = 140, layer 0 10 + 20 + 80 = 110.
    expect(gatheredBytes(layers, { reshard: true, prefetch: 1 })).toEqual({ always: 0, forward: 70, backward: 190 });
  });

  it('hold one layer where nothing is gathered ahead, and a gradient that is still scattered', () => {
    expect(gatheredBytes(layers, { reshard: true, prefetch: 0 })).toEqual({ always: 0, forward: 40, backward: 180 });
  });

  it('hold all weights of the stage all the time without resharding', () => {
    expect(gatheredBytes(layers, { reshard: false, prefetch: 1 })).toEqual({ always: 85, forward: 0, backward: 140 });
    expect(gatheredBytes(layers, { reshard: false, prefetch: 0 })).toEqual({ always: 85, forward: 0, backward: 140 });
  });

  it('hold all gradients all the time where they are reduced once', () => {
    expect(gatheredBytes(layers, { reshard: false, prefetch: 1, accumulate: true })).toEqual({
      always: 85 + 170,
      forward: 0,
      backward: 0,
    });
    expect(gatheredBytes(layers, { reshard: true, prefetch: 1, accumulate: true })).toEqual({
      always: 170,
      forward: 70,
      backward: 70,
    });
  });

  it('are nothing for a stage without layers', () => {
    for (const reshard of [true, false])
      expect(gatheredBytes([], { reshard, prefetch: 1 })).toEqual({ always: 0, forward: 0, backward: 0 });
  });

  it('for equal layers: two layers forward; two layers and two gradients backward (FSDP, section 3.3.2)', () => {
    const equal = Array.from({ length: 80 }, () => ({ weights: 7, gradients: 14 }));
    expect(gatheredBytes(equal, { reshard: true, prefetch: 1 })).toEqual({ always: 0, forward: 14, backward: 42 });
  });

  it('are those of a walk over every instant, whatever the layers and the rule', () => {
    const layer = fc.record({ weights: fc.nat(1000), gradients: fc.nat(1000), copied: fc.nat(1000) });
    fc.assert(
      fc.property(
        fc.array(layer, { maxLength: 9 }),
        fc.boolean(),
        fc.nat(11),
        fc.boolean(),
        (all, reshard, prefetch, accumulate) => {
          const found = gatheredBytes(all, { reshard, prefetch, accumulate });
          const walked = walk(all, reshard, prefetch, accumulate);
          expect(found.always + found.forward).toBe(walked.forward);
          expect(found.always + found.backward).toBe(walked.backward);
        },
      ),
    );
  });
});

/** Most bytes that are there in the second microbatch's forward and backward, layer by layer, from sets of what is whole. */
function walk(all: readonly GatheredLayer[], reshard: boolean, prefetch: number, accumulate: boolean) {
  const bytes = (weights: ReadonlySet<number>, gradients: ReadonlySet<number>, copied: ReadonlySet<number>) =>
    [...weights].reduce((sum, at) => sum + all[at].weights, 0) +
    [...copied].reduce((sum, at) => sum + (all[at].copied ?? 0), 0) +
    [...gradients].reduce((sum, at) => sum + all[at].gradients, 0);
  const every = new Set(all.keys());
  const nothing = new Set<number>();
  let [forward, backward] = [
    bytes(reshard ? nothing : every, accumulate ? every : nothing, reshard ? nothing : every),
    0,
  ];
  backward = forward;
  for (const at of all.keys()) {
    const ahead = new Set([...every].filter((value) => value >= at && value <= at + prefetch));
    forward = Math.max(
      forward,
      bytes(reshard ? ahead : every, accumulate ? every : nothing, reshard ? new Set([at]) : every),
    );
    const behind = new Set([...every].filter((value) => value <= at && value >= at - prefetch));
    const made = new Set([...every].filter((value) => value === at || value === at + 1));
    backward = Math.max(
      backward,
      bytes(reshard ? behind : every, accumulate ? every : made, reshard ? new Set([at]) : every),
    );
  }
  return { forward, backward };
}
