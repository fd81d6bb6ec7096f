import type { PlanAnswer } from '../../engine/sweep/answer.ts';
import { searchBlock } from '../../engine/sweep/space/block.ts';
import { leftOutLines } from '../../engine/sweep/space/leftOutLines.ts';
import { isGiven } from '../../engine/sweep/space/space.ts';
import { printable } from '../../server/text/printable.ts';
import type { Colours } from '../colours.ts';
import { wrapped } from './wrapped.ts';

/** Of a search whose space was chosen: what is not in it and why, and the block to write for another space. */
export function spaceText(
  { pipeline, search, left_out: leftOut }: PlanAnswer,
  columns: number,
  colours: Colours,
): string {
  if (leftOut === undefined) return '';
  const lines = leftOutLines(leftOut).map((line) => wrapped(printable(line), columns, '  ', '    '));
  const block = searchBlock(pipeline, search)
    .split('\n')
    .map((line) => `  ${printable(line)}\n`);
  return [
    wrapped(
      `There is no search block for ${printable(pipeline)}, so ${leftOut.some(isGiven) ? '--over fixes the values that it names, and the other ones' : 'these values'} were chosen. Left out:`,
      columns,
    ),
    ...lines,
    wrapped('To search other values, write this into the file and change it:', columns),
    ...block.map((line) => colours.dim(line)),
  ].join('');
}
