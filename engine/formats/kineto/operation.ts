import type { ComputeType } from '../torchCsv/table.ts';
import type { Place } from './bytes.ts';

/** An operation that ran: microseconds of the clock of its rank, as in a row of a recording. */
export interface Operation {
  readonly type: ComputeType;
  readonly stage: number;
  readonly microbatch: number;
  readonly begin: number;
  readonly start: number;
  readonly end: number;
  readonly work: number;
  readonly posted: number;
  readonly arrived: number;
  readonly fused: boolean;
  readonly place: Place;
}
