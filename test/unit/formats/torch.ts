import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type CellPlaces } from '../../../engine/formats/torchCsv/fault.ts';
import { checkTable, type TorchSchedule } from '../../../engine/formats/torchCsv/faults.ts';
import { readTorchCsv } from '../../../engine/formats/torchCsv/read.ts';
import { cellText, computing, type TorchTable } from '../../../engine/formats/torchCsv/table.ts';
import { operationName, type Program } from '../../../engine/values/program.ts';
import { dataFile } from '../support/data.ts';

const key = (file: string): string => file.replace(/^torch\d+_|\.csv$/g, '');

/** PyTorch's own tables by name, as they are. */
export const goldens: ReadonlyMap<string, string> = new Map(
  readdirSync(join(process.env['PIPEWRIGHT_DATA'] ?? resolve(import.meta.dirname, '../../data'), 'torch')).map(
    (file) => [key(file), dataFile(`torch/${file}`)] as const,
  ),
);
export const golden = (name: string): string => goldens.get(name) ?? '';
export const defective = '1F1B_p4_m8_v1_compute';
export const sound: readonly string[] = [...goldens.keys()].filter((name) => name !== defective);

/** The table of a text that must be one. */
export function tableFrom(text: string): { readonly table: TorchTable; readonly places: CellPlaces } {
  const read = readTorchCsv(text);
  if ('faults' in read) throw new Error(JSON.stringify(read.faults[0]));
  return read;
}

export function scheduleFrom(text: string): TorchSchedule & { readonly table: TorchTable } {
  const { table, places } = tableFrom(text);
  const schedule = checkTable(table, places);
  if ('faults' in schedule) throw new Error(JSON.stringify(schedule.faults[0]));
  return { ...schedule, table };
}

/** Names of the computing operations of each rank in order; those of one slot joined by `+`. */
export const ordersOf = (table: TorchTable): string[][] =>
  table.rows.map((row) => row.map((cell) => computing(cell).map(cellText).join('+')).filter((name) => name !== ''));

export const ordersOfProgram = (program: Program): string[][] =>
  Array.from({ length: program.devices }, (_, device) => {
    const row: string[] = [];
    let joined = false;
    for (let at = program.offsets[device]; at < program.offsets[device + 1]; at += 1) {
      const name = operationName(program, program.order[at]);
      if (joined) row[row.length - 1] += `+${name}`;
      else row.push(name);
      joined = program.fused?.[at] === 1;
    }
    return row;
  });
