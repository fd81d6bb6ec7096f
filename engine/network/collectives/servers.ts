import { linear, withShare } from '../../basics/callCost.ts';
import type { FactorShape } from '../../definitions/collective.ts';
import type { LaneCall } from '../../values/exchangePlan.ts';
import type { Machines } from './machines.ts';

/** Parameter servers: their number and the link of each. */
export interface Servers {
  readonly count: number;
  readonly bandwidth: number;
  readonly latency: number;
}

/**
 * w machines push a piece of s bytes to k servers, and then pull it on another lane. Each takes s · max(1/B, w/(k·Bₛ)) of its lane:
 * either a machine's link or a server's link is full. Or the links inside are slower, where ranks sum up first and gather at last. It
 * is there later by the larger latency of both links and the latencies inside, while the next piece is sent.
 */
export function serversCall({ count, bandwidth, latency, inside }: Machines, servers: Servers): LaneCall {
  const slower = Math.max(1 / bandwidth, count / (servers.count * servers.bandwidth), inside.perByte);
  const cost = linear(0, slower);
  return { name: 'ps', push: cost, pull: cost, ...after(Math.max(latency, servers.latency) + inside.fixed) };
}

/** Each machine is also the server of an equal part. It does not send its share, and its one link carries both sides: s · (w − 1)/w/B, then α. */
export function colocatedCall({ count, bandwidth, latency, inside }: Machines): LaneCall {
  const cost = linear(0, count > 1 ? Math.max((count - 1) / count / bandwidth, inside.perByte) : 0);
  return { name: 'ps', push: cost, pull: cost, oneLane: true, ...after(count > 1 ? latency + inside.fixed : 0) };
}

const after = (delay: number): Pick<LaneCall, 'delay'> => (delay > 0 ? { delay } : {});

/**
 * Workers push the factors of a gradient instead, K(M + N) elements, and pull the whole matrix (Chilimbi et al., *Project Adam*,
 * OSDI'14, section 3.3). `alone`: a call of ranks that sum up nothing first, because the sum of products has no such factors.
 */
export function withFactorsPushed(call: LaneCall, alone: LaneCall, { rows, columns, samples }: FactorShape): LaneCall {
  const share = (samples * (rows + columns)) / (rows * columns);
  return { ...call, push: withShare(alone.push, share), ...(call.oneLane === true ? {} : { sends: share }) };
}
