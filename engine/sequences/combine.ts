/** Sequences made of sequences: lists, `zip`, `repeat`, `each`, `take`, `drop`, `fused`. */
import type { Argument, Expression } from '../../grammar/syntax.ts';
import { depthOf, type SequenceCode, usesOf } from './code.ts';
import { asNumber, compileNumber, compileSequence, parameterSlot, wrong } from './operands.ts';
import { alike } from '../language/dimensions.ts';
import { phraseOf } from '../language/units.ts';
import { wrongDimension } from '../language/valueFaults.ts';
import { show } from '../basics/quantities.ts';
import { counts, type Frame, outside } from './frame.ts';
import { isSequence } from '../language/sequenceForm.ts';
import type { Names } from './names.ts';
import { interleave, keepFirst, pair, removeFirst, unitsBetween } from './operationList.ts';

/** A list in brackets, or a call of a function of operations. */
export function combine(
  names: Names,
  node: Expression,
  form: string,
  items: readonly (Expression | Argument)[],
): SequenceCode | undefined {
  if (form === 'each') return each(names, node, items as readonly Argument[]);
  if (form === 'fused') return fusedCall(names, node, items as readonly Argument[]);
  const named = items.find((item) => item.kind === 'argument' && item.name !== undefined);
  if (named !== undefined) return wrong(names, node, `\`${form}(…)\` without names before its arguments`);
  const values = items.map((item) => (item.kind === 'argument' ? item.value : item));
  switch (form) {
    case 'list':
      return joined(sequences(names, values));
    case 'zip':
      return zip(sequences(names, values));
    case 'repeat':
      return counted(names, node, values, '`repeat(n, …)`', 'The number of times', repeat);
    case 'take':
      return counted(names, node, values, '`take(n, …)`', 'The number of operations to take', cut(keepFirst));
    default:
      return counted(names, node, values, '`drop(n, …)`', 'The number of operations to drop', cut(removeFirst));
  }
}

function sequences(names: Names, values: readonly Expression[]): readonly SequenceCode[] | undefined {
  const parts = values.map((value) => compileSequence(names, value));
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

const sizeOf = (parts: readonly SequenceCode[]): SequenceCode['size'] => {
  const [only] = parts;
  if (parts.length === 1) return only.size;
  return (frame) => {
    let sum = 0;
    for (const part of parts) sum += part.size(frame);
    return Math.max(1, sum);
  };
};

const emitAll = (parts: readonly SequenceCode[]): SequenceCode['emit'] => {
  const [only, other] = parts;
  if (parts.length === 1) return only.emit;
  if (parts.length === 2)
    return (frame) => {
      only.emit(frame);
      other.emit(frame);
    };
  return (frame) => {
    for (const part of parts) part.emit(frame);
  };
};

/** One after the other. */
export function joined(parts: readonly SequenceCode[] | undefined): SequenceCode | undefined {
  if (parts === undefined) return undefined;
  const [only] = parts;
  if (parts.length === 1) return only;
  return { kind: 'sequence', uses: usesOf(parts), depth: depthOf(parts), size: sizeOf(parts), emit: emitAll(parts) };
}

function zip(parts: readonly SequenceCode[] | undefined): SequenceCode | undefined {
  if (parts === undefined) return undefined;
  const emit = (frame: Frame): void => {
    const starts: number[] = [];
    for (const part of parts) {
      starts.push(frame.out.length);
      part.emit(frame);
    }
    if (!frame.failed) interleave(frame.out, starts);
  };
  return { kind: 'sequence', uses: usesOf(parts), depth: depthOf(parts), size: sizeOf(parts), emit };
}

/** `fused(F[i], B[j])`, `fused(F[i], B[j], overlap = 40%)`. */
function fusedCall(names: Names, node: Expression, items: readonly Argument[]): SequenceCode | undefined {
  const [first, second, third] = items;
  const isOverlap = third === undefined || third.name === undefined || third.name.text === 'overlap';
  if (second === undefined || items.length > 3 || !isOverlap || first?.name !== undefined || second.name !== undefined)
    return wrong(names, node, '`fused(F[i], B[j])` or `fused(F[i], B[j], overlap = 40%)`');
  const overlap = third === undefined ? undefined : overlapOf(names, third.value);
  if (third !== undefined && overlap === undefined) return undefined;
  return fused(node, sequences(names, [first.value, second.value]), overlap);
}

type Share = (frame: Frame) => number;

function overlapOf(names: Names, at: Expression): Share | undefined {
  const code = compileNumber(names, at);
  if (code === undefined) return undefined;
  if (!alike(code.dimension, 'share')) return wrongDimension(names.context, at, 'share', phraseOf[code.dimension]);
  return (frame) => {
    const found = code.at(frame);
    if (!(found >= 0 && found <= 1)) return outside(frame, at, '"overlap"', show(found, 'share'), 'from 0 % to 100 %');
    return found;
  };
}

/** Notes how much of a pair overlaps: a program has one figure for all of them. */
function overlaps(frame: Frame, at: Expression, share: number): void {
  frame.overlap ??= share;
  if (frame.overlap === share || frame.failed) return;
  frame.report.report('type/mismatch', at, {
    expected: `the same overlap in every \`fused(…)\` of the schedule, ${show(frame.overlap, 'share')}`,
    found: show(share, 'share'),
  });
  frame.failed = true;
}

function fused(
  node: Expression,
  parts: readonly SequenceCode[] | undefined,
  overlap: Share = () => 0,
): SequenceCode | undefined {
  if (parts === undefined) return undefined;
  const [left, right] = parts;
  const emit = (frame: Frame): void => {
    const { out } = frame;
    const from = out.length;
    left.emit(frame);
    const middle = out.length;
    right.emit(frame);
    if (frame.failed) return;
    const whole = unitsBetween(out, from, out.length) === out.length - from;
    if (whole && out.length - middle === middle - from) {
      if (middle > from) overlaps(frame, node, overlap(frame));
      return pair(out, from, middle);
    }
    frame.report.report('type/mismatch', node, {
      expected: 'two operations, or two sequences of the same length, in `fused(…)`',
      found: whole ? `${middle - from} and ${out.length - middle} operations` : 'operations that are fused already',
    });
    frame.failed = true;
  };
  return { kind: 'sequence', uses: usesOf(parts), depth: depthOf(parts), size: sizeOf(parts), emit };
}

type Counted = (count: (frame: Frame) => number, operations: SequenceCode) => Pick<SequenceCode, 'size' | 'emit'>;

/** A function whose first argument is a whole number. */
function counted(
  names: Names,
  node: Expression,
  [first, ...rest]: readonly Expression[],
  example: string,
  what: string,
  make: Counted,
): SequenceCode | undefined {
  if (first === undefined || (rest.length !== 1 && !example.startsWith('`repeat'))) return wrong(names, node, example);
  const head = names.compile(first);
  const last = rest.at(-1);
  if (head?.kind === 'sequence' && last !== undefined && names.compile(last)?.kind === 'number')
    return wrongOrder(names, node, example);
  const number = head === undefined ? undefined : asNumber(names, first, head, 'number');
  if (number === undefined && isSequence(first)) return undefined;
  const operations = joined(sequences(names, rest));
  if (number === undefined || operations === undefined) return undefined;
  const count = (frame: Frame): number => {
    const found = number.at(frame);
    return Number.isSafeInteger(found) && found >= 0
      ? found
      : outside(frame, first, what, String(found), 'a whole number of at least 0');
  };
  const parts = [number, operations];
  return { kind: 'sequence', uses: usesOf(parts), depth: depthOf(parts), ...make(count, operations) };
}

function wrongOrder({ context }: Names, node: Expression, example: string): undefined {
  const expected = `the number before the operations, as in ${example}`;
  context.report.report('type/mismatch', node, { expected, found: 'the operations before the number' });
  return undefined;
}

const repeat: Counted = (count, { size, emit }) => ({
  size(frame) {
    const times = count(frame);
    // The length may be too large for a number: infinite, and no times that is not.
    return times === 0 ? 1 : times * size(frame);
  },
  emit(frame) {
    const times = count(frame);
    for (let turn = 0; turn < times && !frame.failed; turn += 1) emit(frame);
  },
});

const cut =
  (how: typeof keepFirst): Counted =>
  (count, { size, emit }) => ({
    size,
    emit(frame) {
      const units = count(frame);
      const from = frame.out.length;
      emit(frame);
      if (!frame.failed) how(frame.out, from, units);
    },
  });

/** `each(j in 0..<n, …)`. */
function each(names: Names, node: Expression, [first, ...rest]: readonly Argument[]): SequenceCode | undefined {
  const slot = first?.binds === true && first.name !== undefined ? parameterSlot(names, first.name) : undefined;
  const misplaced = rest.some((argument) => argument.name !== undefined);
  if (slot === undefined || rest.length === 0 || misplaced) return wrong(names, node, '`each(j in 0..<n, F[j], …)`');
  const range = names.compile(first.value);
  const body = joined(
    sequences(
      names,
      rest.map(({ value }) => value),
    ),
  );
  if (range === undefined || body === undefined) return undefined;
  if (range.kind !== 'range') return wrong(names, first.value, 'a range such as `0..<microbatches`');
  return loop(node, slot, range.count, body, usesOf([range, { uses: usesOf([body], slot) }]), depthOf([range, body]));
}

function loop(
  node: Expression,
  slot: number,
  count: (frame: Frame) => number,
  body: SequenceCode,
  uses: ReadonlySet<number>,
  depth: number,
): SequenceCode {
  const varies = body.uses.has(slot);
  const size = (frame: Frame): number => {
    const turns = count(frame);
    if (turns === 0) return 1;
    const { slots, first, step } = frame;
    slots[slot] = first;
    if (!varies) return counts(frame, node) ? turns * body.size(frame) : turns;
    // Each turn counts at least as one.
    if (turns > frame.operations) return turns;
    let sum = 0;
    for (let turn = 0; turn < turns; turn += 1) {
      slots[slot] = first + turn * step;
      sum += body.size(frame);
      if (frame.failed || !counts(frame, node)) return sum;
      if (sum <= frame.operations) continue;
      // It is too much already.
      frame.partial = turn + 1 < turns;
      return sum;
    }
    return sum;
  };
  const emit = (frame: Frame): void => {
    const turns = count(frame);
    const { slots, first, step } = frame;
    for (let turn = 0; turn < turns && !frame.failed; turn += 1) {
      slots[slot] = first + turn * step;
      body.emit(frame);
    }
  };
  return { kind: 'sequence', uses, depth, size, emit };
}
