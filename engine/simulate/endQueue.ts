/** Ends of what devices run, earliest first; equal ends by device number. At most one for each device. */
export interface EndQueue {
  /** Takes all ends out, for this number of devices. */
  clear(devices: number): void;
  push(device: number, end: number): void;
  /** The earliest end; Infinity if there is none. */
  earliest(): number;
  /** Takes the earliest end out: its device. */
  take(): number;
}

/** Devices of a group, as a power of two. */
const groupShift = 5;
const last = (1 << groupShift) - 1;

/**
 * A sorted list for each group of devices, and a tree of the least of each group. What starts now mostly ends late, so an end finds
 * its place near the end of a list, and the earliest of a list is known at once. Nothing is allocated after the start.
 */
export function endQueue(most: number): EndQueue {
  const groups = 1 << Math.max(0, Math.ceil(Math.log2(most)) - groupShift);
  /** The list of group g is a ring: `ends` and `devices` from `g << groupShift` on, and the counts of all that came and went. */
  const ends = new Float64Array(groups << groupShift);
  const devices = new Int32Array(groups << groupShift);
  const came = new Int32Array(groups);
  const went = new Int32Array(groups);
  /** The element at i is the lesser of those at 2i and 2i + 1; the leaf of group g is at `leaves[0] + g`. */
  const least = new Float64Array(2 * groups);
  const leaves = new Int32Array(16);

  const rise = (group: number, end: number): void => {
    let node = (leaves[0] + group) | 0;
    least[node] = end;
    for (node >>= 1; node > 0; node >>= 1) least[node] = Math.min(least[2 * node], least[2 * node + 1]);
  };
  return {
    clear(count) {
      leaves[0] = 1 << Math.max(0, Math.ceil(Math.log2(count)) - groupShift);
      least.fill(Infinity, 0, 2 * leaves[0]);
      came.fill(0, 0, leaves[0]);
      went.fill(0, 0, leaves[0]);
    },
    push(device, end) {
      const group = device >> groupShift;
      const base = group << groupShift;
      const first = went[group];
      let at = came[group];
      came[group] = (at + 1) | 0;
      while (at !== first) {
        const before = base | ((at - 1) & last);
        const other = ends[before];
        if (other < end || (other === end && devices[before] < device)) break;
        ends[base | (at & last)] = other;
        devices[base | (at & last)] = devices[before];
        at = (at - 1) | 0;
      }
      ends[base | (at & last)] = end;
      devices[base | (at & last)] = device;
      if (at === first) rise(group, end);
    },
    earliest: () => least[1],
    take() {
      const now = least[1];
      let node = 1;
      while (node < leaves[0]) {
        node *= 2;
        if (least[node] > now) node += 1;
      }
      const group = node - leaves[0];
      const base = group << groupShift;
      const first = went[group];
      went[group] = (first + 1) | 0;
      rise(group, came[group] === first + 1 ? Infinity : ends[base | ((first + 1) & last)]);
      return devices[base | (first & last)];
    },
  };
}
