import type { JobPlan } from '../values/plan.ts';

/** A transfer between a worker and the servers: when it begins and when all of it is there, seconds. */
export interface Exchange {
  readonly from: number;
  readonly until: number;
}

/** The parameter servers: pushes queue for the link in, pulls for the link out, in the order in which they are asked for. */
export interface Servers {
  push(bytes: number, now: number): Exchange;
  pull(bytes: number, now: number): Exchange;
}

/**
 * Every server holds an equal share of the parameters and has a separate link, so that a worker's bytes use all links at once:
 * latency + bytes / (servers × bandwidth). Both directions are one queue if the link is not full duplex. Without a link exchanges
 * take no time.
 */
export function serversOf({ servers, link }: Pick<JobPlan, 'servers' | 'link'>): Servers {
  const free = new Float64Array(2);
  const exchange = (direction: number, bytes: number, now: number): Exchange => {
    if (link === undefined) return { from: now, until: now };
    const from = Math.max(now, free[direction]);
    free[direction] = from + bytes / (servers * link.bandwidth);
    return { from, until: free[direction] + link.latency };
  };
  const out = link?.duplex === 'half' ? 0 : 1;
  return {
    push: (bytes, now) => exchange(0, bytes, now),
    pull: (bytes, now) => exchange(out, bytes, now),
  };
}
