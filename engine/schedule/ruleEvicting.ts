/** Copies of activations that a rule sends away, with the costs of a plan. */
import type { GreedyRule, PipelinePlan } from '../values/plan.ts';
import { hostCopy } from '../order/hostCopy.ts';
import type { CopyTicks, EvictionCosts } from '../order/rules/evictions.ts';

interface Copy {
  readonly line: number;
  readonly occupancy: number;
  readonly latency: number;
}

export interface Evicting {
  /** Who keeps what each device evicts, as `Program.partner`. */
  readonly keeper: Int32Array;
  /** By stage. */
  readonly out: readonly Copy[];
  readonly back: readonly Copy[];
  readonly seconds: { readonly out: readonly number[]; readonly back: readonly number[] };
}

export function evicting(plan: PipelinePlan, keepers: NonNullable<GreedyRule['keeper']>): Evicting {
  const devices = plan.devices.length;
  const keeper = Int32Array.from(keepers, (each, device) => (each === 'host' ? devices + device : each));
  const copyOf = (stage: number, direction: 'out' | 'back'): Copy => {
    const device = plan.placement[stage];
    const { activation } = plan.stages[stage];
    if (keeper[device] >= devices) {
      const copy = hostCopy(plan, device, direction, activation);
      return copy === undefined ? free : { ...copy, line: 2 * device + copy.line };
    }
    const ends = [device, keeper[device]];
    const [from, to] = direction === 'out' ? ends : ends.reverse();
    const route = plan.routes.find((each) => each.from === from && each.to === to);
    if (route === undefined) return free;
    const { latency, bandwidth, channel } = route;
    return { line: 2 * devices + channel, latency, occupancy: activation / bandwidth };
  };
  const out = plan.stages.map((_, stage) => copyOf(stage, 'out'));
  const back = plan.stages.map((_, stage) => copyOf(stage, 'back'));
  const seconds = (copies: readonly Copy[]) => copies.map(({ occupancy, latency }) => occupancy + latency);
  return { keeper, out, back, seconds: { out: seconds(out), back: seconds(back) } };
}

const free: Copy = { line: -1, occupancy: 0, latency: 0 };

/** The same with times as whole numbers. */
export function evictionTicks({ out, back }: Evicting, perSecond: number): EvictionCosts {
  const ticks = ({ line, occupancy, latency }: Copy): CopyTicks => ({
    line,
    occupancy: Math.round(occupancy * perSecond),
    latency: Math.round(latency * perSecond),
  });
  const lines = 1 + [...out, ...back].reduce((most, { line }) => Math.max(most, line), -1);
  return { out: out.map(ticks), back: back.map(ticks), lines };
}
