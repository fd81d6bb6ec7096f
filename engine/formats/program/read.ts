/** Data of the programs that we write for other engines: constants at the start of lines, never code. */
import { readPython } from '../python/read.ts';
import type { TextFault } from '../fault.ts';
import { type ReadTable, readTorchCsv } from '../torchCsv/read.ts';
import { checkTable, type TorchSchedule } from '../torchCsv/faults.ts';

/** What a program says of its pipeline. */
export interface Constants {
  /** Whole numbers by their names, such as `RANKS`. */
  number(name: string): number | undefined;
  /** Names of the layers of each stage; absent if they are no list of lists of names. */
  readonly layers?: readonly (readonly string[])[];
}

const table = /^SCHEDULE = """\r?\n([^]*?)\r?\n"""/m;

/** Whether a text is a program of ours: it has layers by stage, and is not JSON or CSV. */
export const isProgram = (text: string): boolean => /^LAYERS = \[$/m.test(text) && /^import |^from /m.test(text);

/** The same text with white space in the place of its table, which is no value that a configuration has. */
export const withoutTable = (text: string): string => text.replace(table, (found) => found.replaceAll(/[^\n]/g, ' '));

export function constantsOf(text: string): Constants {
  const { names } = readPython(withoutTable(text), () => false);
  const layers = names.get('LAYERS');
  const stages =
    layers?.kind === 'array'
      ? layers.items.map((stage) =>
          stage.kind === 'array'
            ? stage.items.flatMap((name) => (name.kind === 'string' ? [name.value] : [undefined]))
            : [undefined],
        )
      : [[undefined]];
  return {
    number(name) {
      const value = names.get(name);
      return value?.kind === 'number' && Number.isSafeInteger(value.value) ? value.value : undefined;
    },
    ...(stages.flat().includes(undefined) ? {} : { layers: stages as readonly (readonly string[])[] }),
  };
}

/** The table of a program, checked, with faults at their places in the program; undefined if it has none. */
export function tableOfProgramText(
  text: string,
):
  | { readonly read: ReadTable; readonly schedule: TorchSchedule }
  | { readonly faults: readonly TextFault[] }
  | undefined {
  const found = table.exec(text);
  if (found === null) return undefined;
  const from = found.index + found[0].indexOf('\n') + 1;
  const read = readTorchCsv(found[1]);
  const checked = 'faults' in read ? read : checkTable(read.table, read.places);
  if ('faults' in checked)
    return {
      faults: checked.faults.map(({ start, end, message, expected }) => ({
        start: from + start,
        end: from + end,
        message: `${message} Expected: ${expected}.`,
      })),
    };
  return { read: read as ReadTable, schedule: checked };
}
