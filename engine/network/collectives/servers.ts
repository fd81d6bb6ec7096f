import { linear, withShare } from '../../basics/callCost.ts';
import type { Ring } from '../../costs/types.ts';
import type { FactorShape } from '../../definitions/collective.ts';
import type { LaneCall } from '../../values/exchangePlan.ts';

/** Parameter servers: their number and the link of each. */
export interface Servers {
  readonly count: number;
  readonly bandwidth: number;
  readonly latency: number;
}

/**
 * w workers push a piece of s bytes to k servers, and then pull it on another lane. Each takes s · max(1/B, w/(k·Bₛ)) + α: either
 * a worker's link or a server's link is full. α is the larger of both links' latencies.
 */
export function serversCall(workers: number, ring: Ring, servers: Servers): LaneCall {
  const slower = Math.max(1 / ring.bandwidth, workers / (servers.count * servers.bandwidth));
  const cost = linear(Math.max(ring.latency, servers.latency), slower);
  return { name: 'ps', push: cost, pull: cost };
}

/** Each rank is also the server of an equal part. It does not send its share, and its one link carries both sides: s · (w − 1)/w/B + α. */
export function colocatedCall(ranks: number, { latency, bandwidth }: Ring): LaneCall {
  const cost = ranks > 1 ? linear(latency, (ranks - 1) / ranks / bandwidth) : linear(0, 0);
  return { name: 'ps', push: cost, pull: cost, oneLane: true };
}

/**
 * Workers push the factors of a gradient instead, K(M + N) elements, and pull the whole matrix (Chilimbi et al., *Project Adam*,
 * OSDI'14, section 3.3).
 */
export function withFactorsPushed(call: LaneCall, { rows, columns, samples }: FactorShape): LaneCall {
  const share = (samples * (rows + columns)) / (rows * columns);
  return { ...call, push: withShare(call.push, share), ...(call.oneLane === true ? {} : { sends: share }) };
}
