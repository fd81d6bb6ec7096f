import type { TorchTable } from '../../engine/formats/torchCsv/table.ts';
import { torchCsvParts } from '../../engine/formats/torchCsv/write.ts';

/** The whole text of a table, which the command line writes in parts. */
export const writeTorchCsv = (table: TorchTable): string => [...torchCsvParts(table)].join('');
