/** An order as rows of the schedule language, as short as its repetitions allow. */
import { linear, loop, wave } from '../policies/placement.ts';
import { B, F, I, kindOf, letters, microbatchOf, type Program, stageOf, W } from '../values/program.ts';

/** Longest pattern that is looked for, in operations. */
const longestPattern = 64;

/**
 * A schedule that runs the order of a program: each device the same operations, on the same stages. `comment` comes before it, a line
 * for each. Undefined if a stage does not run its microbatches in ascending order, or if no rule places the stages. Recomputation,
 * evictions, copies of stages and shared slots have no such text either.
 */
export function scheduleText(program: Program, name: string, comment: readonly string[]): string | undefined {
  const placement = placementText(program);
  if (placement === undefined || program.copies !== undefined || program.fused !== undefined) return undefined;
  const rows: string[] = [];
  for (let device = 0; device < program.devices; device += 1) {
    const row = deviceRow(program, device);
    if (row === undefined) return undefined;
    rows.push(`  row(${device}) = ${row}`);
  }
  const lines = comment.map((line) => `/// ${line}`);
  // Without an R in its text, a schedule recomputes in the backward.
  const keeps = program.apart === undefined ? [] : ['  recompute = written'];
  return [...lines, `schedule ${name} {`, `  placement = ${placement}`, ...keeps, ...rows, '}', ''].join('\n');
}

function placementText({ placement, stages, devices }: Program): string | undefined {
  const is = (other: Int32Array): boolean => other.every((device, stage) => device === placement[stage]);
  if (stages === devices && is(linear(stages))) return 'linear';
  if (stages === 2 * devices && is(wave(stages, devices))) return 'v_shape';
  return stages % devices === 0 && is(loop(stages, devices)) ? `loop(${stages / devices})` : undefined;
}

/** The operations of a device: an index for each kind of each of its stages. */
interface Codes {
  /** `F[` and what follows the microbatch, by code. */
  readonly letter: readonly string[];
  readonly chunk: readonly string[];
  readonly word: Uint16Array;
}

function deviceRow(program: Program, device: number): string | undefined {
  const codes = codesOf(program, device);
  if (codes === undefined) return undefined;
  const counts = new Int32Array(codes.letter.length);
  const parts: string[] = [];
  write(codes, 0, codes.word.length, counts, parts);
  return parts.length === 0 ? '[]' : parts.join(', ');
}

function codesOf(program: Program, device: number): Codes | undefined {
  const { order, offsets, stages, placement } = program;
  const here = [...placement.keys()].filter((stage) => placement[stage] === device);
  const index = new Map<number, number>();
  const counts: number[] = [];
  const letter: string[] = [];
  const chunk: string[] = [];
  const word = new Uint16Array(offsets[device + 1] - offsets[device]);
  for (let at = 0; at < word.length; at += 1) {
    const operation = order[offsets[device] + at];
    const [kind, stage] = [kindOf(program, operation), stageOf(program, operation)];
    if (kind !== F && kind !== B && kind !== I && kind !== W) return undefined;
    const row = kind * stages + stage;
    const code = index.get(row) ?? letter.length;
    if (code === letter.length) {
      index.set(row, code);
      letter.push(letters[kind]);
      chunk.push(here.length > 1 ? `, chunk = ${here.indexOf(stage)}` : '');
      counts.push(0);
    }
    if (microbatchOf(program, operation) !== counts[code]) return undefined;
    counts[code] += 1;
    word[at] = code;
  }
  return { letter, chunk, word };
}

/** Operations of a word that are a pattern, several times. */
interface Repetition {
  readonly start: number;
  readonly length: number;
  readonly times: number;
}

/** Appends the operations from `from` to `to` (without it); `counts` are the operations of each code before. */
function write(codes: Codes, from: number, to: number, counts: Int32Array, parts: string[]): void {
  const repetition = longestRepetition(codes.word, from, to);
  if (repetition === undefined) {
    plain(codes, from, to, counts, parts);
    return;
  }
  const { start, length, times } = repetition;
  write(codes, from, start, counts, parts);
  parts.push(repeated(codes, repetition, counts));
  for (let at = start; at < start + length * times; at += 1) counts[codes.word[at]] += 1;
  write(codes, start + length * times, to, counts, parts);
}

/** Runs of one code, each as a range. */
function plain({ letter, chunk, word }: Codes, from: number, to: number, counts: Int32Array, parts: string[]): void {
  for (let at = from; at < to;) {
    const code = word[at];
    let end = at + 1;
    while (end < to && word[end] === code) end += 1;
    parts.push(`${letter[code]}[${range(counts[code], end - at)}${chunk[code]}]`);
    counts[code] += end - at;
    at = end;
  }
}

const range = (first: number, count: number): string => (count === 1 ? `${first}` : `${first}..${first + count - 1}`);

/** The repetition that saves most parts; undefined if none saves any. */
function longestRepetition(word: Uint16Array, from: number, to: number): Repetition | undefined {
  let best: Repetition | undefined;
  let most = 0;
  for (let length = 2; length <= Math.min(longestPattern, (to - from) / 2); length += 1) {
    for (let start = from; start + 2 * length <= to;) {
      let same = 0;
      while (start + same + length < to && word[start + same] === word[start + same + length]) same += 1;
      const times = Math.floor(same / length) + 1;
      if (times > 1) {
        const runs = runsOf(word, start, start + length);
        const saved = runsOf(word, start, start + length * times) - runs - 1;
        if (runs > 1 && saved > most) {
          most = saved;
          best = { start, length, times };
        }
      }
      start += Math.max(1, same - length + 1);
    }
  }
  return best;
}

function runsOf(word: Uint16Array, from: number, to: number): number {
  let runs = 1;
  for (let at = from + 1; at < to; at += 1) if (word[at] !== word[at - 1]) runs += 1;
  return runs;
}

/** `zip(F[4..9], I[0..5], W[0..5])`, or `each(k in 0..<6, F[2*k + 4..2*k + 5], …)` if the pattern has a code twice. */
function repeated({ letter, chunk, word }: Codes, { start, length, times }: Repetition, counts: Int32Array): string {
  const pattern = word.subarray(start, start + length);
  const each = new Int32Array(letter.length);
  for (const code of pattern) each[code] += 1;
  if (pattern.every((code) => each[code] === 1)) {
    const ranges = Array.from(pattern, (code) => `${letter[code]}[${range(counts[code], times)}${chunk[code]}]`);
    return `zip(${ranges.join(', ')})`;
  }
  const seen = counts.slice();
  const items: string[] = [];
  for (let at = 0; at < length;) {
    const code = pattern[at];
    let end = at + 1;
    while (end < length && pattern[end] === code) end += 1;
    const numbers = (microbatch: number): string => {
      const turns = each[code] === 1 ? 'k' : `${each[code]}*k`;
      return microbatch === 0 ? turns : `${turns} + ${microbatch}`;
    };
    const last = end - at === 1 ? '' : `..${numbers(seen[code] + end - at - 1)}`;
    items.push(`${letter[code]}[${numbers(seen[code])}${last}${chunk[code]}]`);
    seen[code] += end - at;
    at = end;
  }
  return `each(k in 0..<${times}, ${items.join(', ')})`;
}
