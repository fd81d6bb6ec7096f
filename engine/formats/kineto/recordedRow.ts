import type { RecordedRow } from '../../values/recording.ts';
import { B, F, I, W } from '../../values/program.ts';
import type { Operation } from './operation.ts';

export const kindOfType = { F, B, I, W } as const;

/** Columns of the operations of a rank in a step. */
export const recordedRow = (operations: readonly Operation[], seconds: (micros: number) => number): RecordedRow => ({
  kind: Uint8Array.from(operations, ({ type }) => kindOfType[type]),
  stage: Int32Array.from(operations, ({ stage }) => stage),
  microbatch: Int32Array.from(operations, ({ microbatch }) => microbatch),
  begin: Float64Array.from(operations, ({ begin }) => seconds(begin)),
  start: Float64Array.from(operations, ({ start }) => seconds(start)),
  end: Float64Array.from(operations, ({ end }) => seconds(end)),
  work: Float64Array.from(operations, ({ work }) => work / 1e6),
  posted: Float64Array.from(operations, ({ posted }) => seconds(posted)),
  arrived: Float64Array.from(operations, ({ arrived }) => seconds(arrived)),
  fused: Uint8Array.from(operations, ({ fused }) => Number(fused)),
});
