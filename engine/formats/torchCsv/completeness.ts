import { mostFaults } from './fault.ts';
import { type Entry, type Groups, entryName } from './entries.ts';
import type { Wanted } from './expected.ts';
import type { Majority } from './shape.ts';
import { type TorchTable, transferTypes } from './table.ts';

/** A fault without its place in the text. */
export interface CellProblem {
  readonly row: number;
  readonly column: number;
  readonly message: string;
  readonly expected: string;
  readonly related?: readonly { readonly row: number; readonly column: number; readonly message: string }[];
  readonly repair?: 'old-letters' | 'shifted-forwards';
}

type Report = (problem: CellProblem) => void;

const range = (count: number): string => (count === 1 ? 'only 0' : `0 to ${count - 1}`);

/** Operations that are there twice, of microbatches that are not there, not meant to be there, or missing. */
export function completeness(
  table: TorchTable,
  groups: Groups,
  shape: Majority,
  wanted: readonly Wanted[],
  report: Report,
): void {
  for (let stage = 0; stage < shape.stages; stage += 1) {
    const group = groups.get(stage) ?? new Map<Entry['type'], readonly Entry[]>();
    const shifted = shiftedForwards(group.get('F') ?? [], shape, report);
    const missing = missingOf(group, shape, wanted[stage], shifted);
    for (const [type, entries] of group) {
      if (isTransfer(type) && !wanted[stage].transfers.includes(type)) {
        for (const entry of entries) report({ ...placeOf(entry), ...needless(entry) });
        continue;
      }
      judge(entries, group, shape, missing, shifted && type === 'F', report);
    }
    reportNeedless(group, wanted[stage], report);
    for (const each of missing.slice(0, mostFaults)) {
      const name = entryName({ ...each, stage });
      const at = insertion(table, group, each, stage, shape);
      report({
        ...at,
        message: `\`${name}\` is missing.`,
        expected: `\`${name}\` in the row of rank ${at.row}`,
        ...otherHalf(group, each),
      });
    }
  }
}

const placeOf = ({ row, column }: Entry): { row: number; column: number } => ({ row, column });
const isTransfer = (type: Entry['type']): boolean => (transferTypes as readonly string[]).includes(type);

const needless = (entry: Entry): { message: string; expected: string } => ({
  message: `\`${entryName(entry)}\` moves data that no other rank needs.`,
  expected: 'transfers only between neighbouring stages on different ranks',
});

/** `Schedule1F1B` of PyTorch counts the forwards of its last rank from 1: microbatch 0 is missing, m is one too many. */
function shiftedForwards(forwards: readonly Entry[], { microbatches }: Majority, report: Report): boolean {
  const found = new Set(forwards.map((forward) => forward.microbatch));
  if (found.size !== microbatches || forwards.length !== microbatches || found.has(0)) return false;
  const last = forwards.find((forward) => forward.microbatch === microbatches);
  if (last === undefined) return false;
  const first = { ...last, microbatch: 0 };
  report({
    ...placeOf(last),
    message: `\`${entryName(last)}\` names a microbatch that does not exist, and \`${entryName(first)}\` is missing. Every forward of stage ${last.stage} is numbered one too high, as in PyTorch's Schedule1F1B for its last rank.`,
    expected: `microbatches ${range(microbatches)}`,
    repair: 'shifted-forwards',
  });
  return true;
}

interface Missing {
  readonly type: Entry['type'];
  readonly microbatch: number;
}

function missingOf(
  group: ReadonlyMap<Entry['type'], readonly Entry[]>,
  { microbatches }: Majority,
  wanted: Wanted,
  shifted: boolean,
): Missing[] {
  const has = (type: Entry['type']): Uint8Array => {
    const seen = new Uint8Array(microbatches);
    for (const { microbatch } of group.get(type) ?? []) if (microbatch < microbatches) seen[microbatch] = 1;
    return seen;
  };
  const [forward, whole, input, weight] = [has('F'), has('B'), has('I'), has('W')];
  const transfers = wanted.transfers.map((type) => ({ type, seen: has(type) }));
  const missing: Missing[] = [];
  for (let microbatch = 0; microbatch < microbatches; microbatch += 1) {
    if (forward[microbatch] === 0 && !shifted) missing.push({ type: 'F', microbatch });
    if (whole[microbatch] === 0) {
      const half = input[microbatch] === 1 || weight[microbatch] === 1;
      const split = half ? wanted.halves || input[microbatch] === weight[microbatch] : wanted.split;
      if (!split) missing.push({ type: 'B', microbatch });
      else {
        if (input[microbatch] === 0) missing.push({ type: 'I', microbatch });
        if (weight[microbatch] === 0) missing.push({ type: 'W', microbatch });
      }
    }
    for (const { type, seen } of transfers) if (seen[microbatch] === 0) missing.push({ type, microbatch });
  }
  return missing;
}

/** Microbatches out of range, and operations that occur twice. */
function judge(
  entries: readonly Entry[],
  group: ReadonlyMap<Entry['type'], readonly Entry[]>,
  { microbatches }: Majority,
  missing: readonly Missing[],
  shifted: boolean,
  report: Report,
): void {
  const first = new Map<number, Entry>();
  let reported = 0;
  for (const entry of entries) {
    if (reported === mostFaults) return;
    if (entry.microbatch >= microbatches) {
      if (shifted) continue;
      reported += 1;
      const message = `\`${entryName(entry)}\` names a microbatch that does not exist.`;
      report({ ...placeOf(entry), message, expected: `microbatches ${range(microbatches)}` });
      continue;
    }
    const earlier = first.get(entry.microbatch);
    if (earlier === undefined) first.set(entry.microbatch, entry);
    else {
      reported += 1;
      const [wrong, right] =
        odd(entries, earlier, entry, group, missing) === earlier ? [earlier, entry] : [entry, earlier];
      const likely =
        missing.length === 1
          ? `perhaps \`${entryName({ ...entry, ...missing[0] })}\`, which is missing`
          : 'each operation once';
      const related = [{ ...placeOf(right), message: `\`${entryName(right)}\` appears here too` }];
      report({
        ...placeOf(wrong),
        message: `\`${entryName(entry)}\` appears more than once.`,
        expected: likely,
        related,
      });
    }
  }
}

/** Of two equal operations the one that disturbs the order of the microbatches more, if what is missing belongs in its place. */
function odd(
  entries: readonly Entry[],
  earlier: Entry,
  later: Entry,
  group: ReadonlyMap<Entry['type'], readonly Entry[]>,
  missing: readonly Missing[],
): Entry {
  if (entries.length > 100_000) return later;
  const [{ type, microbatch }] = missing.length === 1 ? missing : [{ type: undefined, microbatch: 0 }];
  const cost = (wrong: Entry): number => {
    const rest = entries.filter((entry) => entry !== wrong);
    if (type === undefined) return variation(rest);
    const corrected = { ...wrong, type, microbatch };
    const others = type === wrong.type ? rest : (group.get(type) ?? []);
    const filled = [...others, corrected].sort((a, b) => a.column - b.column);
    return variation(filled) + (type === wrong.type ? 0 : variation(rest));
  };
  return cost(earlier) < cost(later) ? earlier : later;
}

const variation = (entries: readonly Entry[]): number =>
  entries.reduce((sum, entry, at) => (at === 0 ? 0 : sum + Math.abs(entry.microbatch - entries[at - 1].microbatch)), 0);

/** B together with I or W of the same microbatch: the kind that the stage uses less often is wrong. */
function reportNeedless(group: ReadonlyMap<Entry['type'], readonly Entry[]>, wanted: Wanted, report: Report): void {
  const whole = new Set((group.get('B') ?? []).map((entry) => entry.microbatch));
  const halves = [...(group.get('I') ?? []), ...(group.get('W') ?? [])];
  const half = new Set(halves.map((entry) => entry.microbatch));
  const numbers = (type: 'I' | 'W') => new Set((group.get(type) ?? []).map((entry) => entry.microbatch));
  const [inputs, weights] = [numbers('I'), numbers('W')];
  const lone = (entry: Entry): boolean => !(entry.type === 'I' ? weights : inputs).has(entry.microbatch);
  const wrong = wanted.split
    ? (group.get('B') ?? []).filter((entry) => half.has(entry.microbatch))
    : halves.filter((entry) => whole.has(entry.microbatch) || (!wanted.halves && lone(entry)));
  for (const entry of wrong) {
    report({
      ...placeOf(entry),
      message: whole.has(entry.microbatch)
        ? `\`${entryName(entry)}\` duplicates another backward of the same microbatch.`
        : `\`${entryName(entry)}\` is half a backward.`,
      expected: 'B, or I and W: B includes both',
    });
  }
}

/** The half of a backward whose other half is missing: perhaps it should have been a whole one. */
function otherHalf(
  group: ReadonlyMap<Entry['type'], readonly Entry[]>,
  { type, microbatch }: Missing,
): Pick<CellProblem, 'related'> {
  if (type !== 'I' && type !== 'W') return {};
  const half = group.get(type === 'I' ? 'W' : 'I')?.find((entry) => entry.microbatch === microbatch);
  if (half === undefined) return {};
  return { related: [{ ...placeOf(half), message: `\`${entryName(half)}\` is the other half of that backward` }] };
}

/**
 * The place where a missing operation most likely belongs: a blank between its neighbours; if there is none, before the next one,
 * or after the one before.
 */
function insertion(
  table: TorchTable,
  group: ReadonlyMap<Entry['type'], readonly Entry[]>,
  { type, microbatch }: Missing,
  stage: number,
  shape: Majority,
): { readonly row: number; readonly column: number } {
  const row = shape.placement[stage];
  const same = (group.get(type) ?? []).filter((entry) => entry.row === row);
  // Some schedules take microbatches from the last to the first.
  const down = same.length > 1 && same[0].microbatch > same[same.length - 1].microbatch ? -1 : 1;
  const before = same.find((entry) => entry.microbatch === microbatch - down)?.column;
  const after = same.find((entry) => entry.microbatch === microbatch + down)?.column;
  const from = before === undefined ? 0 : before + 1;
  if (after !== undefined) {
    const cells = table.rows[row];
    for (let column = Math.min(from, after); column < after; column += 1)
      if (cells[column].kind === 'blank') return { row, column };
    return { row, column: after };
  }
  if (before !== undefined) return { row, column: from };
  const backward = [...(group.get('B') ?? []), ...(group.get('I') ?? [])].find(
    (entry) => entry.microbatch === microbatch,
  );
  return { row, column: type === 'F' && backward !== undefined ? backward.column : 0 };
}
