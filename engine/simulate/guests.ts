/**
 * Activations on another device. A device that evicts (E) is rid of them once the transfer has ended. Its partner holds them from
 * the start of that transfer until they have been sent back (L). They are on the first device again from the start of the
 * transfer back. Kim et al., "BPipe" (ICML 2023).
 */
import { B, E, type Kind, kindOfRow, L, microbatchOf, resultRow, rowOf } from '../values/program.ts';
import { type Timeline, arrivalAt } from '../values/timeline.ts';

/** Microbatches of a stage that come to a device or leave it apart from its operations; in order of time. */
export interface Moves {
  /** Seconds. */
  readonly at: Float64Array;
  readonly stage: Int32Array;
  readonly microbatch: Int32Array;
  /** 1 where one comes, −1 where one leaves. */
  readonly change: Int32Array;
}

type Run = Pick<Timeline, 'program' | 'timing' | 'end' | 'arrival' | 'sent'>;

/** The moves of a device, or of the host of device d as `devices + d`; undefined where it neither evicts nor keeps what others evict. */
export function movesOf(timeline: Run, device: number): Moves | undefined {
  const { program, timing } = timeline;
  const { partner, order, offsets, stages } = program;
  if (partner === undefined) return undefined;
  const moves: { readonly at: number; readonly stage: number; readonly microbatch: number; readonly change: number }[] =
    [];
  for (let home = 0; home < program.devices; home += 1) {
    const away = partner[home];
    if (away < 0 || away === home || (home !== device && away !== device)) continue;
    // The change at home; away it is the other way round.
    const sign = home === device ? 1 : -1;
    for (let position = offsets[home]; position < offsets[home + 1]; position += 1) {
      const row = rowOf(program, order[position]);
      const kind = kindOfRow(stages, row);
      if (kind !== E && kind !== L) continue;
      const stage = row % stages;
      const need = needOf(timeline, kind === E ? L : B, kind, stage);
      if (need < 0) continue;
      const microbatch = microbatchOf(program, order[position]);
      const ends = arrivalAt(timeline, need, microbatch);
      const slot = need * program.microbatches + microbatch;
      const shared = timing.needRoute[need] >= 0 ? timeline.sent?.[slot] : undefined;
      const starts = shared ?? ends - timing.needOccupancy[need] - timing.needLatency[need];
      // What receives holds it from the start, what sends until the end.
      if (kind === E) moves.push({ at: home === device ? ends : starts, stage, microbatch, change: -sign });
      else moves.push({ at: home === device ? starts : ends, stage, microbatch, change: sign });
    }
  }
  if (moves.length === 0) return undefined;
  moves.sort((a, b) => a.at - b.at);
  return {
    at: Float64Array.from(moves, (move) => move.at),
    stage: Int32Array.from(moves, (move) => move.stage),
    microbatch: Int32Array.from(moves, (move) => move.microbatch),
    change: Int32Array.from(moves, (move) => move.change),
  };
}

/** The need of `waiter`'s row that asks for the result of `kind` of the same stage; −1 where there is none. */
function needOf({ program, timing }: Run, waiter: Kind, kind: Kind, stage: number): number {
  const row = waiter * program.stages + stage;
  const result = resultRow(program.stages, kind, stage);
  for (let need = timing.needOffsets[row]; need < timing.needOffsets[row + 1]; need += 1)
    if (timing.needs[need] === result) return need;
  return -1;
}
