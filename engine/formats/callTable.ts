/** Measured times of a collective: in each line bytes and seconds. */
import { mostTextFaults, type TextFault } from './fault.ts';
import { linesOf } from './lines.ts';

/** Sizes in bytes, ascending, and their seconds. */
export interface CallTable {
  readonly bytes: readonly number[];
  readonly seconds: readonly number[];
}

/**
 * The table, or what is wrong with it. Commas, semicolons, tabs or spaces separate bytes and seconds, and `#` begins a comment. A
 * first line without a digit is a heading. A larger size may be faster than a smaller one, but not at the end of the table: the
 * last two points say how fast everything above them is.
 */
export function readCallTable(text: string): CallTable | { readonly faults: readonly TextFault[] } {
  const bytes: number[] = [];
  const seconds: number[] = [];
  const faults: TextFault[] = [];
  let started = false;
  let last = { start: 0, end: 0 };
  for (const line of linesOf(text)) {
    if (faults.length >= mostTextFaults) break;
    const content = line.text.replace(/#.*/, '').trim();
    if (content === '') continue;
    const heading = !started && !/\d/.test(content);
    started = true;
    if (heading) continue;
    const fields = content.split(/\s*[,;]\s*|\s+/).filter((field) => field !== '');
    const at = { start: line.start, end: line.start + line.text.length };
    const message = faultOf(fields, bytes.at(-1));
    if (message !== undefined) {
      faults.push({ ...at, message });
      continue;
    }
    last = at;
    bytes.push(Number(fields[0]));
    seconds.push(Number(fields[1]));
  }
  if (faults.length === 0 && bytes.length < 2)
    faults.push({ ...last, message: `The table needs at least two sizes, and has ${bytes.length}.` });
  const [before, end] = seconds.slice(-2);
  if (faults.length === 0 && end < before)
    faults.push({
      ...last,
      message: 'The last size takes less time than the size before it; larger ones would take less and less.',
    });
  return faults.length > 0 ? { faults } : { bytes, seconds };
}

function faultOf(fields: readonly string[], before: number | undefined): string | undefined {
  if (fields.length !== 2 || !fields.every(isFigure)) return 'Expected bytes and seconds, such as `1048576, 0.0021`.';
  if (before !== undefined && Number(fields[0]) <= before)
    return 'This size is not larger than the size before it; write the sizes in ascending order, each once.';
  return undefined;
}

/** A finite number that is not negative. */
const isFigure = (field: string): boolean =>
  /^\+?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(field) && Number.isFinite(Number(field));
