/** What `memory/headroom` says. */
import { bytes, share } from '../basics/quantities.ts';

export interface HeadroomFacts {
  readonly device: string;
  readonly left: number;
  readonly share: number;
  readonly capacity: number;
  readonly margin: number;
  /** Published runs of its kind, and how many of these would fit. */
  readonly published?: { readonly runs: number; readonly fit: number };
}

export function headroomText({ device, left, share: free, capacity, margin, published }: HeadroomFacts): string {
  const risk =
    published === undefined
      ? 'allocator fragmentation could push it over'
      : `with the excess that published runs of its kind have, it fits in ${published.fit} of ${published.runs}`;
  return `${device} has ${bytes(left)} left of ${bytes(capacity)} (${share(free)}) at its peak, under the margin of ${share(margin)}: ${risk}.`;
}
