import type { TorchFault } from './fault.ts';
import { type TorchSchedule, checkTable } from './faults.ts';
import { idleRemarks } from './idleCells.ts';
import { readTorchCsv } from './read.ts';
import { repairText } from './repairs.ts';
import type { TorchTable } from './table.ts';
import { pipeOfTable } from './toPipe.ts';

export interface TorchImport {
  readonly pipe: string;
  readonly table: TorchTable;
  readonly schedule: TorchSchedule;
  readonly remarks: readonly string[];
}

/**
 * Text of a PyTorch table → `.pipe` text, or what is wrong with it. `repaired` is then the fixed text, if fixing makes it right.
 */
export function importTorch(
  text: string,
): TorchImport | { readonly faults: readonly TorchFault[]; readonly repaired?: string } {
  const first = readAndCheck(text);
  if (!('faults' in first)) return first;
  if (first.faults.every((fault) => fault.repair === undefined)) return first;
  const repaired = repairText(text, first.faults);
  return 'faults' in readAndCheck(repaired) ? first : { ...first, repaired };
}

function readAndCheck(text: string): TorchImport | { readonly faults: readonly TorchFault[] } {
  const read = readTorchCsv(text);
  if ('faults' in read) return read;
  const schedule = checkTable(read.table, read.places);
  if ('faults' in schedule) return schedule;
  const remarks = [...read.remarks, ...idleRemarks(read.table, schedule.shape)];
  return { pipe: pipeOfTable(read.table, schedule), table: read.table, schedule, remarks };
}
