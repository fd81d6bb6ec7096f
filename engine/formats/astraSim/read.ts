/**
 * Reads a workload of ASTRA-sim 1.0 (text): a line with the kind of parallelism, a line with the number of layers, then a line
 * for each layer. Its fields are `name dependency forward comm bytes input-gradient comm bytes weight-gradient comm bytes
 * update`, separated by tabs or spaces.
 */
import { mostTextFaults, type TextFault } from '../fault.ts';
import { type Line, linesOf } from '../lines.ts';
import type { MeasuredLayer } from '../measured.ts';
import { validNames } from '../names.ts';

/** Times are cycles of ASTRA-sim's clock, which runs at 1 GHz unless its system file says otherwise. */
const secondsOfCycle = 1e-9;
const columns = 12;
const collectives = ['NONE', 'ALLREDUCE', 'ALLTOALL', 'ALLGATHER', 'REDUCESCATTER', 'ALLREDUCEALLTOALL'];
const remarks = [
  'Times are cycles of a 1 GHz clock. The file has no activations and no outputs, so memory and transfers are too small.',
  'The weights of a layer are the bytes that its weight gradient reduces. Other collectives are left out.',
];

/** Whether a text looks like a workload: a word in capitals, a count, then layers with the name of a collective. */
export function isAstraSim(text: string): boolean {
  const lines = linesOf(text);
  const [first, second, third] = [lines.next(), lines.next(), lines.next()].map((line) => line.value?.text ?? '');
  const fields = third.trim().split(/\s+/);
  return /^[A-Z][A-Z_]*(\s|$)/.test(first) && /^\d+\s*$/.test(second) && collectives.includes(fields[3]);
}

/** Layers in a chain; the backward is measured in its two halves. */
export function readAstraSim(
  text: string,
):
  | { readonly layers: readonly MeasuredLayer[]; readonly remarks: readonly string[] }
  | { readonly faults: readonly TextFault[] } {
  const [, counted, ...rows] = linesOf(text);
  const faults: TextFault[] = [];
  const fault = (textFault: TextFault): void => void (faults.length < mostTextFaults && faults.push(textFault));
  const expected = Number(counted?.text.trim());
  if (rows.length !== expected)
    fault({
      start: counted?.start ?? 0,
      end: (counted?.start ?? 0) + (counted?.text.trimEnd().length ?? 0),
      message: `This must be the number of layers, which is ${rows.length}.`,
    });
  const layers = rows.flatMap((row, index) => {
    const read = readRow(row, index);
    if (!('message' in read)) return [read];
    fault(read);
    return [];
  });
  if (faults.length > 0) return { faults: [...faults].sort((a, b) => a.start - b.start) };
  const names = validNames(layers.map((layer) => layer.name));
  return { layers: layers.map((layer, index) => ({ ...layer, name: names[index] })), remarks };
}

function readRow({ text, start }: Line, index: number): MeasuredLayer | TextFault {
  const fields = [...text.matchAll(/\S+/g)];
  const end = start + text.trimEnd().length;
  if (fields.length < columns)
    return {
      start,
      end,
      message: `This layer has ${fields.length} columns: expected ${columns}, the last of them the update time.`,
    };
  const at = (column: number) => ({
    start: start + fields[column].index,
    end: start + fields[column].index + fields[column][0].length,
  });
  for (const column of [2, 4, 5, 7, 8, 10, 11]) {
    if (/^\d+(\.\d+)?$/.test(fields[column][0])) continue;
    return {
      ...at(column),
      message: `Column ${column + 1} must be a number of ${[4, 7, 10].includes(column) ? 'bytes' : 'cycles'}.`,
    };
  }
  for (const column of [3, 6, 9]) {
    if (/^[A-Z][A-Z_]*$/.test(fields[column][0])) continue;
    return {
      ...at(column),
      message: `Column ${column + 1} must be a collective such as ALLREDUCE, or NONE.`,
    };
  }
  const number = (column: number): number => Number(fields[column][0]);
  const reduces = fields[9][0] === 'ALLREDUCE';
  return {
    name: fields[0][0],
    description: '',
    forward: number(2) * secondsOfCycle,
    backwardInput: number(5) * secondsOfCycle,
    backwardWeight: number(8) * secondsOfCycle,
    weights: reduces ? number(10) : 0,
    activation: 0,
    output: 0,
    after: index === 0 ? [] : [index - 1],
    start,
    end,
  };
}
