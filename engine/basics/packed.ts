/**
 * Lists of whole numbers as texts. Rows of a schedule cross processes with their plan: texts are written, copied and compared many
 * times faster than arrays, and are the same in JSON.
 */
import type { Packed, RowPlan } from '../values/plan.ts';

/** 64 characters that JSON writes as they are: from `#` to `c`, without the backslash. */
const characters = Array.from({ length: 64 }, (_, digit) => (digit < 57 ? 35 + digit : 36 + digit));
const digits = new Uint8Array(128);
for (const [digit, code] of characters.entries()) digits[code] = digit;

/** Characters that are turned into text at a time: more arguments could overflow the stack. */
const most = 4096;
/** A plain array, because `apply` is slower with typed ones. */
const buffer = new Array<number>(most).fill(0);

/**
 * The first `length` numbers. Either `r` and runs of equal numbers, as `r0*12,1*4`, or the characters for each number and then
 * these, lowest six bits first.
 */
export const pack = (numbers: ArrayLike<number>, length = numbers.length): Packed =>
  textOf(numbers, length) as unknown as Packed;

/** A list without numbers. */
export const nothing = pack([]);

function textOf(numbers: ArrayLike<number>, length: number): string {
  if (length === 0) return '';
  const mostRuns = Math.trunc(length / 8);
  let runs = 1;
  let last = numbers[0];
  for (let at = 1; at < length && runs <= mostRuns; at += 1) {
    const number = numbers[at];
    if (number !== last) runs += 1;
    last = number;
  }
  if (runs <= mostRuns) return packRuns(numbers, length);
  let all = 0;
  for (let at = 0; at < length; at += 1) all |= numbers[at];
  const width = all === 0 ? 1 : Math.ceil((32 - Math.clz32(all)) / 6);
  let text = String(width);
  const each = Math.trunc(most / width);
  for (let from = 0; from < length; from += each) {
    const used = write(numbers, from, Math.min(length, from + each), width);
    text += String.fromCharCode.apply(undefined, used === most ? buffer : buffer.slice(0, used));
  }
  return text;
}

/** Puts the characters of numbers into the buffer; returns how many there are. */
function write(numbers: ArrayLike<number>, from: number, end: number, width: number): number {
  let used = 0;
  if (width === 1) for (let at = from; at < end; at += 1) buffer[used++] = characters[numbers[at]];
  else if (width === 2)
    for (let at = from; at < end; at += 1, used += 2) {
      buffer[used] = characters[numbers[at] & 63];
      buffer[used + 1] = characters[numbers[at] >> 6];
    }
  else if (width === 3)
    for (let at = from; at < end; at += 1, used += 3) {
      buffer[used] = characters[numbers[at] & 63];
      buffer[used + 1] = characters[(numbers[at] >> 6) & 63];
      buffer[used + 2] = characters[numbers[at] >> 12];
    }
  else
    for (let at = from; at < end; at += 1) {
      let rest = numbers[at];
      for (let digit = 0; digit < width; digit += 1, rest >>>= 6) buffer[used++] = characters[rest & 63];
    }
  return used;
}

/** The number i for as many as reach from the end before to `ends[i]`. */
export const packEnds = (ends: readonly number[]): Packed => {
  const runs = ends.flatMap((end, number) => {
    const count = end - (number === 0 ? 0 : ends[number - 1]);
    return count === 0 ? [] : [`${number}*${count}`];
  });
  return (runs.length === 0 ? '' : `r${runs.join(',')}`) as unknown as Packed;
};

function packRuns(numbers: ArrayLike<number>, length: number): string {
  const runs: string[] = [];
  for (let from = 0, at = 1; at <= length; at += 1) {
    if (at < length && numbers[at] === numbers[from]) continue;
    runs.push(`${numbers[from]}*${at - from}`);
    from = at;
  }
  return `r${runs.join(',')}`;
}

/** The numbers of each operation of a row. */
export const rowNumbers = ({ kinds, stages, microbatches, items, fused = nothing }: RowPlan): RowNumbers => ({
  kinds: unpack(kinds),
  stages: unpack(stages),
  microbatches: unpack(microbatches),
  items: unpack(items),
  fused: unpack(fused),
});

export type RowNumbers = Readonly<Record<'kinds' | 'stages' | 'microbatches' | 'items' | 'fused', Int32Array>>;

/** Rows of a pipeline that stay one object while they stay the same: what is made of them may be kept by them. */
const lasting = new WeakSet<readonly RowPlan[]>();
const texts = new WeakMap<readonly RowPlan[], string>();

/** Notes that the same rows will be one object in later plans. Nothing that is made of them may be handed over to another thread. */
export const keepRows = (rows: readonly RowPlan[]): unknown => lasting.add(rows);

export const areKept = (rows: readonly RowPlan[]): boolean => lasting.has(rows);

/** Equal for equal rows; made once for the rows. */
export function rowsText(rows: readonly RowPlan[]): string {
  let text = texts.get(rows);
  if (text === undefined) {
    text = rows.map((row) => Object.entries(row).flat().join(' ')).join('\n');
    texts.set(rows, text);
  }
  return text;
}

/** Operations of all rows. */
export const rowsLength = (rows: readonly RowPlan[]): number =>
  rows.reduce((sum, { kinds }) => sum + packedLength(kinds), 0);

/** How many numbers there are. */
export const packedLength = (list: Packed): number => lengthOf(list as unknown as string);

function lengthOf(text: string): number {
  if (text === '') return 0;
  if (text.startsWith('r')) return runsOf(text).reduce((sum, [, count]) => sum + count, 0);
  return (text.length - 1) / Number(text[0]);
}

const runsOf = (text: string): readonly (readonly number[])[] =>
  text
    .slice(1)
    .split(',')
    .map((run) => run.split('*').map(Number));

/** Whether the number is among them. */
export function packedHas(list: Packed, number: number): boolean {
  const text = list as unknown as string;
  if (!text.startsWith('1')) return unpack(list).includes(number);
  return number < characters.length && text.includes(String.fromCharCode(characters[number]), 1);
}

export function unpack(list: Packed): Int32Array {
  const text = list as unknown as string;
  const numbers = new Int32Array(lengthOf(text));
  if (text.startsWith('r')) {
    let at = 0;
    for (const [number, count] of runsOf(text)) numbers.fill(number, at, (at += count));
    return numbers;
  }
  const width = Number(text[0]);
  if (width === 1) for (let at = 0; at < numbers.length; at += 1) numbers[at] = digits[text.charCodeAt(at + 1)];
  else if (width === 2)
    for (let at = 0; at < numbers.length; at += 1)
      numbers[at] = digits[text.charCodeAt(2 * at + 1)] | (digits[text.charCodeAt(2 * at + 2)] << 6);
  else
    for (let at = 0, from = 1; at < numbers.length; at += 1, from += width) {
      let number = 0;
      for (let digit = width - 1; digit >= 0; digit -= 1)
        number = (number << 6) | digits[text.charCodeAt(from + digit)];
      numbers[at] = number;
    }
  return numbers;
}
