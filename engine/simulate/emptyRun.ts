/** What a run with queues for channels begins with: ends and arrivals that are to come, and those that the program leaves out. */
import { type Program, runsMicrobatch } from '../values/program.ts';
import { emptyEnds, type Timing } from '../values/timeline.ts';
import { type RowNeeds, sameNeeds } from './startOrder.ts';

export interface EmptyRun {
  /** As `emptyEnds` gives it. */
  readonly end: Float64Array;
  /** As `Timeline.arrival`, −1 where it is to come, then NaN for each microbatch. */
  readonly arrivals: Float64Array;
  /** By stage × microbatches + microbatch: 1 where the stage runs it; undefined where stages run all. */
  readonly runs: Uint8Array | undefined;
  /** By need: 1 where its row runs each microbatch that has what it needs. Undefined where rows run all. */
  readonly whole: Uint8Array | undefined;
}

const known = new WeakMap<Program, { readonly needs: RowNeeds; readonly empty: EmptyRun }>();
/** Arrivals that are kept for a program: 32 MiB. */
const mostKept = 1 << 22;

/** If stages run some microbatches only, a copy of what is found out once for a program with these needs. */
export function emptyRun(program: Program, timing: Timing): EmptyRun {
  const { copies, extended } = program;
  if (copies === undefined && extended !== true)
    return { ...emptied(program, timing), runs: undefined, whole: undefined };
  const kept = known.get(program);
  if (kept !== undefined && sameNeeds(kept.needs, timing))
    return { ...kept.empty, end: kept.empty.end.slice(), arrivals: kept.empty.arrivals.slice() };
  const { end, arrivals } = emptied(program, timing);
  const runs = copies === undefined ? undefined : runsOf(program);
  const empty = { end, arrivals, runs, whole: runs === undefined ? undefined : wholeNeeds(program, timing, end, runs) };
  if (arrivals.length > mostKept) return empty;
  known.set(program, { needs: timing, empty });
  return { ...empty, end: end.slice(), arrivals: arrivals.slice() };
}

function emptied(program: Program, { needs }: Timing): Pick<EmptyRun, 'end' | 'arrivals'> {
  const { microbatches, copies, extended } = program;
  const end = emptyEnds(program);
  const sent = needs.length * microbatches;
  const arrivals = new Float64Array(sent + microbatches).fill(NaN, sent);
  if (copies === undefined && extended !== true) arrivals.fill(-1, 0, sent);
  else
    for (let need = 0; need < needs.length; need += 1) {
      const from = needs[need] * microbatches;
      arrivals.set(end.subarray(from, from + microbatches), need * microbatches);
    }
  return { end, arrivals };
}

function runsOf(program: Program): Uint8Array {
  const { stages, microbatches } = program;
  const runs = new Uint8Array(stages * microbatches);
  for (let stage = 0; stage < stages; stage += 1)
    for (let microbatch = 0; microbatch < microbatches; microbatch += 1)
      if (runsMicrobatch(program, stage, microbatch)) runs[stage * microbatches + microbatch] = 1;
  return runs;
}

function wholeNeeds(
  { stages, microbatches }: Program,
  timing: Timing,
  end: Float64Array,
  runs: Uint8Array,
): Uint8Array {
  const { needOffsets, needs, duration } = timing;
  const whole = new Uint8Array(needs.length);
  for (let row = 0; row < duration.length; row += 1)
    for (let need = needOffsets[row]; need < needOffsets[row + 1]; need += 1) {
      let isWhole = 1;
      for (let microbatch = 0; microbatch < microbatches; microbatch += 1)
        // Not a number is what the program leaves out.
        if (runs[(row % stages) * microbatches + microbatch] === 0 && end[needs[need] * microbatches + microbatch] < 0)
          isWhole = 0;
      whole[need] = isWhole;
    }
  return whole;
}
