/** What is selected, as a text without places in a timeline: it outlives the timeline, in a link. */

export type KeptSelection =
  /** An operation, or the idle time before it. `kind`: letter, or the name that the schedule gave it. */
  | { readonly of: 'block' | 'gap'; readonly kind: string; readonly stage: number; readonly microbatch: number }
  /** A device, or the idle time at its end. */
  | { readonly of: 'device' | 'end'; readonly device: number }
  /** Seconds, and devices. */
  | { readonly of: 'range'; readonly t0: number; readonly t1: number; readonly from: number; readonly to: number };

/** `block:F:0:3`, `gap:B:1:0`, `device:2`, `end:2`, `range:0.01:0.02:0:3`. */
export function selectionText(selection: KeptSelection): string {
  switch (selection.of) {
    case 'block':
    case 'gap':
      return [selection.of, selection.kind, selection.stage, selection.microbatch].join(':');
    case 'device':
    case 'end':
      return [selection.of, selection.device].join(':');
    case 'range':
      return [selection.of, selection.t0, selection.t1, selection.from, selection.to].join(':');
    default:
      return '';
  }
}

const operation = /^(?<of>block|gap):(?<kind>[\p{L}_][\p{L}\p{N}_]{0,99}):(?<stage>\d{1,9}):(?<microbatch>\d{1,9})$/u;
const device = /^(?<of>device|end):(?<device>\d{1,9})$/;
const range = /^range:(?<t0>[\d.e-]{1,30}):(?<t1>[\d.e-]{1,30}):(?<from>\d{1,9}):(?<to>\d{1,9})$/;

/** Undefined for what `selectionText` does not write. */
export function readSelection(text: string): KeptSelection | undefined {
  const ofOperation = operation.exec(text)?.groups;
  if (ofOperation !== undefined)
    return {
      of: ofOperation['of'] === 'block' ? 'block' : 'gap',
      kind: ofOperation['kind'],
      stage: Number(ofOperation['stage']),
      microbatch: Number(ofOperation['microbatch']),
    };
  const ofDevice = device.exec(text)?.groups;
  if (ofDevice !== undefined)
    return { of: ofDevice['of'] === 'device' ? 'device' : 'end', device: Number(ofDevice['device']) };
  const ofRange = range.exec(text)?.groups;
  if (ofRange === undefined) return undefined;
  const [t0, t1, from, to] = ['t0', 't1', 'from', 'to'].map((name) => Number(ofRange[name]));
  return t0 >= 0 && t1 > t0 && Number.isFinite(t1) && to >= from ? { of: 'range', t0, t1, from, to } : undefined;
}
