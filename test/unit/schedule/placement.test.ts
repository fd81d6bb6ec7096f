import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import type { PlacementRule } from '../../../engine/values/plan.ts';
import { placementOf } from '../../../engine/policies/placement.ts';

const devicesOf = (rule: PlacementRule, stages: number, devices: number) => {
  const placed = placementOf(rule, stages, devices);
  return 'problem' in placed ? placed.problem : [...placed.placement];
};

describe('placement', () => {
  it('follows each rule', () => {
    expect(devicesOf('linear', 3, 3)).toEqual([0, 1, 2]);
    expect(devicesOf('loop', 6, 3)).toEqual([0, 1, 2, 0, 1, 2]);
    expect(devicesOf('v_shape', 6, 3)).toEqual([0, 1, 2, 2, 1, 0]);
    expect(devicesOf('wave', 9, 3)).toEqual([0, 1, 2, 2, 1, 0, 0, 1, 2]);
    expect(devicesOf('bidirectional', 4, 4)).toEqual([0, 1, 2, 3, 3, 2, 1, 0]);
    expect(
      devicesOf(
        [
          [0, 3],
          [2, 1],
        ],
        4,
        2,
      ),
    ).toEqual([0, 1, 1, 0]);
  });
  it('says why a rule does not fit', () => {
    expect(devicesOf('linear', 4, 2)).toContain('4 stages and 2 devices');
    expect(devicesOf('v_shape', 6, 2)).toContain('6 stages and 2 devices');
    expect(devicesOf('loop', 5, 2)).toContain('5 stages do not divide evenly among 2');
    expect(devicesOf('bidirectional', 3, 3)).toContain('an even number of devices; there are 3');
    expect(devicesOf('bidirectional', 4, 2)).toContain('4 stages and 2 devices');
    expect(devicesOf([[0], [1, 0]], 2, 2)).toBe('the placement names stage 0 twice');
    expect(devicesOf([[0], []], 2, 2)).toBe('the placement leaves out stage 1');
    expect(devicesOf([[0], [7]], 2, 2)).toContain('names stage 7');
    expect(devicesOf([[0, 1]], 2, 2)).toContain('lists 1 device,');
    expect(devicesOf('linear', 0, 0)).toContain('0 stages');
  });
  it('gives every device equally many stages', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<PlacementRule>('loop', 'wave'),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 5 }),
        (rule, p, v) => {
          const placed = placementOf(rule, p * v, p);
          const counts = Array.from({ length: p }, () => 0);
          if ('placement' in placed) for (const device of placed.placement) counts[device] += 1;
          expect(counts).toEqual(counts.map(() => v));
        },
      ),
    );
  });
});
