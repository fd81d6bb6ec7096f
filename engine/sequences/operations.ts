import type { Argument, Index } from '../../grammar/syntax.ts';
import { spellingHint } from '../findings/reporter.ts';
import { E, kinds, letters, U } from '../values/program.ts';
import { depthOf, type NumberCode, type RangeCode, type SequenceCode, usesOf } from './code.ts';
import { compileNumber, wrong } from './operands.ts';
import { type Frame, outside } from './frame.ts';
import type { Names } from './names.ts';
import { add, addRun } from './operationList.ts';
import { type Keeper, keeperArgument, noKeeper } from './keeper.ts';
import { ownStage, stageArgument } from './stageOfOperation.ts';

const writable: readonly string[] = letters;
/** Largest number that a program holds. */
const largest = 2 ** 31 - 1;

/** `F[0]`, `B[0..<microbatches]`, `I[j, stage = 2]`, `W[j, chunk = 1]`, `F[j, part = 0..<k]`. */
export function operation(names: Names, node: Index): SequenceCode | undefined {
  const { target } = node;
  if (!names.context.links.has(target)) return undefined;
  const declared = names.declared.get(names.context.links.get(target) ?? '');
  if (declared === undefined && !writable.includes(target.text))
    return wrong(names, node, 'an operation such as `F[…]`, `B[…]`, `I[…]` or `W[…]`');
  const [first, ...rest] = node.arguments;
  const given = new Map(rest.map((argument) => [argument.name?.text ?? '', argument]));
  const twice = given.size < rest.length || (given.has('stage') && given.has('chunk'));
  if (first === undefined || first.name !== undefined || twice)
    return wrong(
      names,
      node,
      'a microbatch, then at most one of `stage = …` and `chunk = …`, a `part = …`, and a `to = …` for E',
    );
  const stray = rest.find(({ name }) => !keys.includes(name?.text ?? ''));
  if (stray !== undefined) return unknownKey(names, stray);
  const [stageAt, partAt] = [given.get('stage') ?? given.get('chunk'), given.get('part')];
  const stage = stageAt === undefined ? ownStage(node, declared !== undefined) : stageArgument(names, stageAt);
  const kind = declared === undefined ? letters.findIndex((letter) => letter === target.text) : kinds + declared;
  // An update is of all parts.
  const isWhole = declared !== undefined || kind === U;
  if (partAt !== undefined && kind === U) return wrong(names, partAt.value, 'no `part`: an update is of all parts');
  const part = partAt === undefined ? wholeStage(node, isWhole) : partArgument(names, partAt);
  const toAt = given.get('to');
  if (toAt !== undefined && kind !== E) return wrong(names, toAt.value, 'no `to`: only E sends activations away');
  const keeper = kind === E ? keeperOf(names, node, toAt) : none;
  const microbatches = names.compile(first.value);
  if (stage === undefined || part === undefined || keeper === undefined || microbatches === undefined) return undefined;
  const depth = depthOf([microbatches, stage, part, keeper]);
  if (microbatches.kind !== 'range' && microbatches.kind !== 'number')
    return wrong(names, first.value, 'a microbatch or a range of them');
  const index = microbatches.kind === 'number' ? compileNumber(names, first.value, 'number') : undefined;
  if (microbatches.kind === 'number' && index === undefined) return undefined;
  const run = microbatches.kind === 'range' ? rangeRun(first, microbatches) : oneRun(first, index);
  const uses = usesOf([...(microbatches.kind === 'range' ? [microbatches] : []), part]);
  const emit = (frame: Frame): void => {
    const length = run.count(frame);
    const { first: from, step } = frame;
    const at = length === 0 ? 0 : stage.at(frame, from);
    if (length === 0 || !(at >= 0)) return;
    if (kind === E) keeper.keep(frame);
    const parts = part.count(frame);
    const { first: firstPart, step: partStep } = frame;
    const place = at * frame.parts + firstPart;
    if (frame.failed) return;
    if (frame.running !== undefined && length > 1) {
      // Of copies, each may run other microbatches.
      for (let turn = 0; turn < length; turn += 1) {
        const here = stage.at(frame, from + turn * step) * frame.parts + firstPart;
        if (frame.failed) return;
        for (let piece = 0; piece < parts; piece += 1)
          add(frame.out, kind, here + piece * partStep, from + turn * step);
      }
    } else if (parts === 1 && length === 1) add(frame.out, kind, place, from);
    else if (parts === 1) addRun(frame.out, kind, place, from, step, length);
    else
      for (let turn = 0; turn < length; turn += 1)
        for (let piece = 0; piece < parts; piece += 1)
          add(frame.out, kind, place + piece * partStep, from + turn * step);
  };
  const size = (frame: Frame): number => Math.max(1, run.count(frame) * part.count(frame));
  return { kind: 'sequence', uses, depth, size: part.counts ? size : run.size, emit };
}

/** Who keeps what E sends. In `after` and `before` the row of that E says it. */
function keeperOf(names: Names, node: Index, toAt: Argument | undefined): Keeper | undefined {
  if (toAt !== undefined) return keeperArgument(names, toAt.value);
  return names.waits === true ? none : noKeeper(names, node);
}

const none: Keeper = { depth: 0, keep: () => undefined };

const keys = ['stage', 'chunk', 'part', 'to'];

function unknownKey({ context }: Names, { name, value, start, end }: Argument): undefined {
  if (name === undefined) {
    // A name without a meaning has been reported.
    if (value.kind === 'name' && !context.links.has(value)) return undefined;
    // After `F[0:` the syntax has been reported.
    if (!context.syntax.errors.some((fault) => fault.start >= start - 2 && fault.start <= end))
      context.report.report(
        'type/mismatch',
        { start, end },
        {
          expected: 'one microbatch or range, then `stage = …`, `chunk = …` or `part = …`',
          found: 'a second value',
        },
      );
    return undefined;
  }
  const key = name.text;
  const nearest = context.report.nearest(key, keys);
  const hint = spellingHint(nearest);
  context.report.report('key/unknown', name, { key, block: 'operation', nearest }, { hint });
  return undefined;
}

/** Numbers one after the other; `count` puts the first and the step into the frame. */
interface Run {
  readonly count: (frame: Frame) => number;
  readonly size: (frame: Frame) => number;
}

/** Microbatches of a range, all of which are numbers that a program can hold. */
function rangeRun(at: Argument, { count }: RangeCode): Run {
  const checked = (frame: Frame): number => {
    const length = count(frame);
    if (length === 0) return 0;
    const { first, step } = frame;
    const last = first + (length - 1) * step;
    if (first < 0 || first > largest) negative(frame, at, 'The first microbatch', first);
    else if (last < 0 || last > largest) negative(frame, at, 'The last microbatch', last);
    return frame.failed ? 0 : length;
  };
  return { count: checked, size: (frame) => Math.max(1, count(frame)) };
}

function oneRun(at: Argument, index: NumberCode | undefined): Run {
  const count = (frame: Frame): number => {
    const microbatch = index?.at(frame) ?? NaN;
    frame.first = microbatch;
    frame.step = 1;
    if (microbatch >= 0 && microbatch <= largest && Number.isInteger(microbatch)) return 1;
    negative(frame, at, 'The microbatch', microbatch);
    return 0;
  };
  return { count, size: () => 1 };
}

const negative = (frame: Frame, { value }: Argument, what: string, found: number): number =>
  outside(
    frame,
    value,
    what,
    found.toLocaleString('en-US'),
    found > largest ? `at most ${largest.toLocaleString('en-US')}` : 'a whole number of at least 0',
  );

/** Parts of a microbatch. `counts`: there may be several. */
interface PartCode extends Pick<NumberCode, 'uses' | 'depth'> {
  readonly counts: boolean;
  readonly count: (frame: Frame) => number;
}

/** Without a part: all of the microbatch, if the schedule cuts none. An operation that the schedule declares goes with the first part. */
function wholeStage(node: Index, isWhole: boolean): PartCode {
  const count = (frame: Frame): number => {
    frame.first = 0;
    frame.step = 1;
    if (isWhole || frame.parts === 1 || frame.failed) return 1;
    frame.report.report('type/mismatch', node, {
      expected: 'operations that name their part, such as `F[0, part = 0]`',
      found: `a schedule with ${frame.parts} parts`,
    });
    frame.failed = true;
    return 1;
  };
  return { uses: usesOf([]), depth: 0, counts: false, count };
}

/** `part = 2`, `part = 0..<k`. */
function partArgument(names: Names, { value }: Argument): PartCode | undefined {
  const code = names.compile(value);
  if (code === undefined) return undefined;
  const number = code.kind === 'number' ? compileNumber(names, value, 'number') : undefined;
  if (code.kind === 'number' && number === undefined) return undefined;
  if (code.kind !== 'range' && number === undefined) return wrong(names, value, 'a part or a range of them');
  const count = (frame: Frame): number => {
    let length = 1;
    if (code.kind === 'range') length = code.count(frame);
    else {
      frame.first = number?.at(frame) ?? NaN;
      frame.step = 1;
    }
    const { first, step, parts } = frame;
    const last = first + (length - 1) * step;
    const wrongOne = [first, last].find((part) => !(Number.isInteger(part) && part >= 0 && part < parts));
    if (length > 0 && wrongOne !== undefined)
      outside(
        frame,
        value,
        'The part',
        String(wrongOne),
        parts === 1 ? '0: the schedule has no parts' : `from 0 to ${parts - 1}`,
      );
    return length;
  };
  return { uses: code.uses, depth: code.depth, counts: code.kind === 'range', count };
}
