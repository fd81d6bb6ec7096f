/** Devices of pipeline ranks, in lists that all plans of the process share: what follows from a list is then kept with it. */

/** A rank has blocks of `inner` devices, `size` devices in all. Between two of its blocks are `gap` devices of other ranks. */
export interface Blocks {
  readonly first: number;
  readonly size: number;
  readonly inner: number;
  readonly gap: number;
}

export function devicesInBlocks({ first, size, inner, gap }: Blocks): readonly number[] {
  const key = `${first} ${size} ${inner} ${gap}`;
  const kept = known.get(key);
  if (kept !== undefined) return kept;
  const devices = Array.from(
    { length: size },
    (_, offset) => first + Math.floor(offset / inner) * (inner + gap) + (offset % inner),
  );
  if (held + size > mostHeld) {
    known.clear();
    held = 0;
  }
  known.set(key, devices);
  held += size;
  return devices;
}

const known = new Map<string, readonly number[]>();
let held = 0;
/** Numbers in all lists: some tens of megabytes. */
const mostHeld = 1 << 21;
