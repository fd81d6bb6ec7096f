import type { Picture } from './picture.ts';
import { highest } from './memoryLevel.ts';

/** Device whose host keeps the most at a time; −1 where no device sends anything to its host. */
export function fullestHost({ hosts }: Pick<Picture, 'hosts'>): number {
  let fullest = -1;
  let most = 0;
  for (const [device, host] of hosts?.entries() ?? []) {
    if (host === undefined || highest(host).bytes <= most) continue;
    most = highest(host).bytes;
    fullest = device;
  }
  return fullest;
}

/** The most that any host keeps for its device; 0 without hosts. */
export function hostPeak(picture: Pick<Picture, 'hosts'>): number {
  const host = picture.hosts?.[fullestHost(picture)];
  return host === undefined ? 0 : highest(host).bytes;
}
