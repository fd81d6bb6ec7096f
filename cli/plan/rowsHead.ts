import type { AnswerSource, PlanRequest } from '../../engine/sweep/answer.ts';
import type { Shard } from '../../engine/sweep/sweep.ts';

/** The first line of a file of rows: what is searched. */
export interface RowsHead extends PlanRequest {
  readonly rows_file: 1;
  readonly source: AnswerSource;
  readonly shard: Shard;
}
