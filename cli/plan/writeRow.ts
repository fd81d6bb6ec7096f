/** `--write`: the file with the values of a row. */
import { bytes, list } from '../../engine/basics/quantities.ts';
import type { Axis } from '../../engine/definitions/search.ts';
import { pipelineBody } from '../../engine/fixes/source.ts';
import { rowCount, settingsOf, settingsText } from '../../engine/sweep/axes.ts';
import { evaluateRow, type Outcome } from '../../engine/sweep/evaluateRow.ts';
import { placeRow } from '../../engine/sweep/placeRow.ts';
import { fingerprintOf, rowName, rowsNamed } from '../../engine/sweep/rowName.ts';
import { rowFile } from '../../engine/sweep/rowText.ts';
import { parse } from '../../grammar/index.ts';
import { printable } from '../../server/text/printable.ts';
import type { Arguments } from '../arguments.ts';
import { usageFault } from '../command.ts';
import type { Io } from '../io.ts';
import type { Status } from '../status.ts';
import { writeResult } from '../writeResult.ts';
import type { PlanRequest } from './request.ts';

/** The file with the values of a row set, and why a row that the search would not take is none to use. */
export function rowTextOf(
  { base, axes }: Pick<PlanRequest, 'base' | 'axes'>,
  row: number,
): { readonly text: string; readonly problem?: string } | { readonly refused: string } {
  const placed = placeRow(base, axes, settingsOf(axes, row));
  if ('refused' in placed) return placed;
  const whole = parse(base.file.text);
  const body = pipelineBody(whole, base.pipeline);
  if (body === undefined) return { refused: 'the pipeline is not in the file' };
  const written = rowFile({ ...base, syntax: whole, body }, placed);
  if ('refused' in written) return written;
  const problem = rowProblem(evaluateRow(base, placed, []));
  return problem === undefined ? written : { ...written, problem };
}

/** Rows that are named if several have the fingerprint of a call. */
const mostNamed = 3;

/** `--write 172` or `--write 172:e8fa92`: writes a row that the call names, unless its fingerprint is of other settings. */
export async function writeNamedRow(request: PlanRequest, wanted: string, args: Arguments, io: Io): Promise<Status> {
  const { axes } = request;
  const last = rowCount(axes) - 1;
  const [, digits, written] = /^(\d{1,9})(?::([\da-f]{6}))?$/iu.exec(wanted) ?? [];
  const row = Number(digits);
  if (digits === undefined || (written === undefined && row > last))
    return usageFault(
      io,
      'plan',
      `--write takes best, the number of a row from 0 to ${last}, or its number and fingerprint as the table has them, such as ${rowName(axes, last)}. It does not take "${wanted}".`,
    );
  const fingerprint = written?.toLowerCase();
  if (fingerprint !== undefined && (row > last || fingerprintOf(settingsOf(axes, row)) !== fingerprint))
    return usageFault(io, 'plan', otherRow(axes, row, fingerprint));
  // A number of an earlier output may be another row by now.
  await io.err(`pipewright plan: Row ${rowName(axes, row)} has ${settingsWords(axes, row)}.\n`);
  return writeRow(request, row, args, io);
}

const settingsWords = (axes: readonly Axis[], row: number): string => printable(settingsText(settingsOf(axes, row)));

/** What the row is now, and which one the call means. */
function otherRow(axes: readonly Axis[], row: number, fingerprint: string): string {
  const rows = rowCount(axes);
  const now =
    row < rows
      ? `Row ${row} has other settings than when ${row}:${fingerprint} was printed. It is ${rowName(axes, row)} now, with ${settingsWords(axes, row)}.`
      : `The rows of this search are 0 to ${rows - 1}: none has the number ${row}.`;
  const [first, ...others] = rowsNamed(axes, fingerprint, mostNamed);
  if (first === undefined)
    return `${now} No row of this search has the fingerprint ${fingerprint}: search again with the file as it is.`;
  const also = others.length === 0 ? '' : ` So does ${list(others.map((each) => `row ${each}`))}.`;
  return `${now} Row ${first} has the fingerprint ${fingerprint}, with ${settingsWords(axes, first)}.${also} Write it with --write ${first}:${fingerprint}.`;
}

/** Writes the file with the values of a row set. */
export async function writeRow(request: PlanRequest, row: number, args: Arguments, io: Io): Promise<Status> {
  const { setting } = request;
  const written = rowTextOf(request, row);
  if ('refused' in written)
    return usageFault(
      io,
      'plan',
      `Row ${row} cannot be written: ${written.refused}. The number of a row is for the file and the options of the search that printed it: if one of them has changed since, search again.`,
    );
  // Whoever asks for a row by its number gets it, and hears what is wrong with it.
  const { problem } = written;
  if (problem !== undefined) await io.err(`pipewright plan: Row ${row} ${printable(problem)}\n`);
  if (setting !== '')
    await io.err(
      `pipewright plan: The file does not have the values of --set: ${printable(setting)}. Give them again with each command.\n`,
    );
  return writeResult(io, 'plan', args, [written.text], true);
}

function rowProblem(outcome: Outcome): string | undefined {
  switch (outcome.kind) {
    case 'over':
      return `does not fit: a device holds ${bytes(outcome.least)} before the first microbatch, and has ${bytes(outcome.capacity)}.`;
    case 'ran': {
      const { meets, missed, peak, left } = outcome.figures;
      if (meets)
        return left === undefined
          ? undefined
          : `leaves ${bytes(left)} of its fullest device: it may run out of memory (memory/headroom).`;
      return missed === undefined ? `does not fit: its peak is ${bytes(peak)}.` : `misses ${missed}.`;
    }
    case 'full':
      return `does not fit: its peak is ${bytes(outcome.peak)}.`;
    case 'refused':
      return `cannot run: ${outcome.message}`;
    case 'dropped':
      return undefined;
  }
}
