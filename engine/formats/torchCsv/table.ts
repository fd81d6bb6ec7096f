/**
 * A schedule as PyTorch's pipelining writes it (`_dump_csv` of `torch.distributed.pipelining`): one row per rank, one cell per
 * action. `compute_only` has computing only, and blanks for idle steps; `compute_comms` has everything and no blanks.
 */

export const computeTypes = ['F', 'I', 'B', 'W'] as const;
/** Of a whole stage: they carry no microbatch. */
export const stageTypes = ['UNSHARD', 'RESHARD', 'REDUCE_GRAD'] as const;
/** `SEND_x` names the stage that sends, `RECV_x` the one that receives. */
export const transferTypes = ['SEND_F', 'RECV_F', 'SEND_B', 'RECV_B'] as const;
export type ComputeType = (typeof computeTypes)[number];
export type StageType = (typeof stageTypes)[number];
export type TransferType = (typeof transferTypes)[number];

export interface ComputeAction {
  readonly kind: 'compute';
  readonly stage: number;
  readonly type: ComputeType;
  readonly microbatch: number;
}
export interface StageAction {
  readonly kind: 'stage';
  readonly stage: number;
  readonly type: StageType;
}
export interface TransferAction {
  readonly kind: 'transfer';
  readonly stage: number;
  readonly type: TransferType;
  readonly microbatch: number;
}
/** `(0F7;7B3)OVERLAP_F_B`: both in one step. */
export interface FusedAction {
  readonly kind: 'fused';
  readonly actions: readonly [ComputeAction, ComputeAction];
}
export interface Blank {
  readonly kind: 'blank';
}
export type TorchAction = ComputeAction | StageAction | TransferAction | FusedAction;
export type TorchCell = TorchAction | Blank;

export interface TorchTable {
  /** Row number = rank. */
  readonly rows: readonly (readonly TorchCell[])[];
  readonly lineEnd: '\r\n' | '\n' | '\r';
  /** False where the last row has no line end. */
  readonly lastLineEnds: boolean;
}

export const blank: Blank = { kind: 'blank' };
/** A table with the line ends of Python's `csv.writer`. */
export const tableOf = (rows: TorchTable['rows']): TorchTable => ({ rows, lineEnd: '\r\n', lastLineEnds: true });

/** Text of a cell, without quotes: `2F0`, `0UNSHARD`, `(0F7;7B3)OVERLAP_F_B`; empty for a blank. */
export function cellText(cell: TorchCell): string {
  switch (cell.kind) {
    case 'blank':
      return '';
    case 'stage':
      return `${cell.stage}${cell.type}`;
    case 'fused':
      return `(${cellText(cell.actions[0])};${cellText(cell.actions[1])})OVERLAP_F_B`;
    default:
      return `${cell.stage}${cell.type}${cell.microbatch}`;
  }
}

/** Lines without idle steps, which PyTorch drops anyway. */
export const rowsText = ({ rows }: TorchTable): string =>
  rows
    .map((row) =>
      row
        .filter((cell) => cell.kind !== 'blank')
        .map(cellText)
        .join(','),
    )
    .join('\n');

/** The computing actions of a cell: none, one, or the two of a fused one. */
export function computing(cell: TorchCell): readonly ComputeAction[] {
  if (cell.kind === 'compute') return [cell];
  return cell.kind === 'fused' ? cell.actions : [];
}

/**
 * `compute_only` and `compute_comms` are the formats of PyTorch's `_load_csv`. `single_stage` is computing and `REDUCE_GRAD` alone, as
 * `ScheduleGPipe` and `Schedule1F1B` list themselves; PyTorch loads it under neither name.
 */
export type Dialect = 'compute_only' | 'compute_comms' | 'single_stage';

export function dialectOf(table: TorchTable): Dialect {
  let reduces = false;
  for (const row of table.rows) {
    for (const cell of row) {
      if (cell.kind === 'transfer' || (cell.kind === 'stage' && cell.type !== 'REDUCE_GRAD')) return 'compute_comms';
      reduces ||= cell.kind === 'stage';
    }
  }
  return reduces ? 'single_stage' : 'compute_only';
}

/** A cell and where it came from. An inserted cell has the column of the cell that it comes before or after. */
export interface Numbered {
  readonly cell: TorchCell;
  readonly column: number;
  readonly rank: number;
}
