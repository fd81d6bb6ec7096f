/** Random lanes in whole numbers. */
import type { LaneCall } from '../../../engine/values/exchangePlan.ts';
import type { SettledRule } from '../../../engine/simulate/exchange/lane.ts';
import * as fc from '../../support/property.ts';
import type { Rule, TensorLayer } from './chains.ts';

const small = (min: number, max: number) => fc.integer({ min, max });
const layers: fc.Arbitrary<TensorLayer[]> = fc.array(
  fc.record({ forward: small(0, 4), backward: small(0, 4), bytes: small(0, 9) }),
  { minLength: 1, maxLength: 6 },
);
const cost = fc.record({ kind: fc.constant('linear' as const), fixed: small(0, 2), perByte: small(1, 3) });

const collectiveCall = fc
  .record({ push: cost, gather: cost })
  .map(({ push, gather }): LaneCall => ({ name: 'collective', push, halves: { scatter: push, gather } }));
const serversCall = fc
  .record({ push: cost, pull: cost, oneLane: fc.boolean(), delay: small(0, 3) })
  .map(({ oneLane, ...call }): LaneCall => ({ name: 'servers', ...call, ...(oneLane ? { oneLane } : {}) }));

const rule: fc.Arbitrary<Rule> = fc.record({
  order: fc.constantFrom<('ready' | 'forward' | 'tail')[]>('ready', 'forward', 'tail'),
  bucket: fc.constantFrom<(number | 'layer')[]>('layer', 4, 8, 40),
  partition: fc.constantFrom<SettledRule['partition'][]>('whole', 1, 3, 'at_preemption'),
  credit: fc.constantFrom<SettledRule['credit'][]>('unlimited', 'piece', 2, 5),
  strict: fc.boolean(),
  ack: fc.constantFrom(0, 0, 2),
  barrier: fc.boolean(),
  earlyStart: fc.boolean(),
  halves: fc.constantFrom<SettledRule['halves'][]>('together', 'apart'),
});
const cycles = fc.option(fc.record({ cycle: small(1, 5), fuse: small(3, 20) }), { nil: {} });

/** Calls that are cut need a lane for each direction. */
export const aChain = fc
  .record({ layers, call: fc.oneof(collectiveCall, serversCall), rule, cycles })
  .map(({ rule: each, cycles: some, ...rest }) => ({ ...rest, rule: { ...each, ...some } }))
  .filter(({ call, rule: each }) => call.oneLane !== true || each.partition !== 'at_preemption');
