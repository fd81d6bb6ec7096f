import type { Run } from '../../engine/schedule/evaluation.ts';
import { type Kind, kindOf, microbatchOf } from '../../engine/values/program.ts';
import { endAt, secondsOf, startAt, stepAt, stepEnd } from '../../engine/values/timeline.ts';

/** Operations of one device in order, as columns; times in seconds. */
export interface Lane {
  readonly word: Int32Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Kind and microbatch by position. */
  kind(position: number): Kind;
  microbatch(position: number): number;
  /** After the last operation what is left of the gradients is exchanged until `syncEnd`, then the optimizer steps until `stepEnd`. */
  readonly last: number;
  readonly syncEnd: number;
  readonly stepEnd: number;
}

export function laneOf(run: Run, device: number): Lane {
  const { program, timeline } = run;
  const from = program.offsets[device] ?? 0;
  const to = program.offsets[device + 1] ?? from;
  const word = program.order.subarray(from, to);
  const start = new Float64Array(word.length);
  const end = new Float64Array(word.length);
  for (let position = 0; position < word.length; position += 1) {
    start[position] = startAt(timeline, from + position);
    end[position] = endAt(timeline, from + position);
  }
  const last = stepAt(timeline, device);
  const syncEnd = timeline.exchanged[device] ?? last;
  // Without a barrier each layer steps before its first forward of the next iteration.
  const steps = timeline.timing.exchange?.rule.barrier !== false;
  return {
    word,
    start,
    end,
    kind: (position) => kindOf(program, word[position] ?? 0),
    microbatch: (position) => microbatchOf(program, word[position] ?? 0),
    last,
    syncEnd,
    stepEnd: steps ? stepEnd(timeline, device) : syncEnd,
  };
}

/**
 * The lane as a row of characters shows it. The two operations of a fused slot overlap in time, so they are drawn one after the
 * other with their lengths, and both are visible. For drawing only: the real times are in `laneOf`.
 */
export function drawnLaneOf(run: Run, device: number): Lane {
  const lane = laneOf(run, device);
  const { fused, offsets } = run.program;
  if (fused === undefined) return lane;
  const { timing } = run.timeline;
  for (let position = 0; position + 1 < lane.word.length; position += 1) {
    if (fused[offsets[device] + position] !== 1) continue;
    // Where part of a slot hides, both are drawn shorter in proportion.
    const [first, second] = [lane.word[position], lane.word[position + 1]].map((word) =>
      secondsOf(timing, run.program, word),
    );
    const share = first + second > 0 ? first / (first + second) : 0;
    const between = lane.start[position] + share * (lane.end[position] - lane.start[position]);
    lane.end[position] = between;
    lane.start[position + 1] = between;
  }
  return lane;
}
