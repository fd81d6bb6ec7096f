/** What the compiled expressions of a schedule run on: the numbers of one shape, and what they write. */
import type { Span } from '../../grammar/syntax.ts';
import type { Reporter } from '../findings/reporter.ts';
import { type Budget, budgetOf, earn, spend } from '../basics/budget.ts';
import { type OperationList, operationList } from './operationList.ts';

export interface Frame {
  /** Numbers of names; NaN for what is not known here, or not computed yet. */
  readonly slots: Float64Array;
  /** 1: the slot is computed. What depends on unknown numbers is NaN, and is not computed again. */
  readonly computed: Uint8Array;
  /** Stages of the device whose row is written, in ascending order. */
  stagesOf: readonly number[];
  /** That device. */
  device: number;
  /** Seconds of an operation of a kind and stage by its layers; only for durations of operations. */
  layers: ((kind: number, stage: number) => number) | undefined;
  /** Who keeps what an E of the row sends; undefined before the first E. */
  keeper: number | 'host' | undefined;
  /** Of these, the stages that run a microbatch; only where stages have copies. */
  running: ((microbatch: number) => readonly number[]) | undefined;
  /** Parts of every microbatch. An operation of part a of stage s is one of stage s · parts + a in what is written. */
  parts: number;
  readonly out: OperationList;
  readonly report: Reporter;
  /** Most operations of all rows. */
  readonly operations: number;
  /** Name of the schedule, for messages. */
  readonly schedule: string;
  /** Of calls, turns of loops and long texts. They are limited too, because a loop may be empty. */
  readonly budget: Budget;
  /** An expression was wrong for these numbers, which has been reported: what has been computed means nothing. */
  failed: boolean;
  /** A length that was computed is over the limit, and the whole is larger. */
  partial: boolean;
  /** Share of the shorter of two fused operations that overlaps; undefined while nothing is fused. */
  overlap: number | undefined;
  /** The range that was evaluated last. */
  first: number;
  step: number;
  /** Ranges that have been warned about. */
  readonly warned: Set<Span>;
}

export const newFrame = (
  slots: Float64Array,
  report: Reporter,
  { operations, schedule }: Pick<Frame, 'operations' | 'schedule'>,
): Frame => ({
  slots,
  computed: new Uint8Array(slots.length),
  stagesOf: [],
  device: -1,
  keeper: undefined,
  layers: undefined,
  running: undefined,
  parts: 1,
  out: operationList(),
  report,
  operations,
  schedule,
  budget: budgetOf(operations),
  failed: false,
  partial: false,
  overlap: undefined,
  first: 0,
  step: 1,
  warned: new Set(),
});

/** Steps that an operation pays for: the steps of names and loops that write it. */
const stepsOfOperation = 8;
/** Characters of a text that one step evaluates. */
const charactersOfStep = 32;

/** Counts steps. False if there were too many, which is reported at `at`. */
export function counts(frame: Frame, at: Span, steps = 1): boolean {
  if (spend(frame.budget, steps)) return true;
  const most = Math.floor(frame.budget.allowed).toLocaleString('en-US');
  if (!frame.failed) tooLarge(frame, at, `Steps of schedule "${frame.schedule}"`, `more than ${most}`, most);
  frame.failed = true;
  return false;
}

/** What is made, once its number is known to be within the limit, pays for the steps that make it. */
export function pays(frame: Frame, operations: number): void {
  earn(frame.budget, stepsOfOperation * operations);
}

/** Steps of a text, in addition to the one of whatever it is in. */
export const stepsOfText = ({ start, end }: Span): number => Math.floor((end - start) / charactersOfStep);

/** Counts the steps of a text that is evaluated for `times` numbers, each of which pays as an operation does. */
export function countsEach(frame: Frame, at: Span, times: number): boolean {
  pays(frame, times);
  return counts(frame, at, times * stepsOfText(at));
}

const mostExact = 1e15;

/** Reports operations over the limit. */
export function tooManyOperations(frame: Frame, at: Span, figure: number): void {
  // A larger number is not exact, and may be infinite.
  const exact = Math.min(figure, mostExact).toLocaleString('en-US');
  const words = figure > mostExact ? `more than ${exact}` : `${frame.partial ? 'at least ' : ''}${exact}`;
  if (!frame.failed) tooLarge(frame, at, 'Operations of the rows', words, frame.operations.toLocaleString('en-US'));
  frame.failed = true;
}

/** Waits that operations of a schedule may name, as a share of the operations that are allowed: each takes much more room. */
const waitsOfOperation = 0.1;

/** Reports waits over the limit; false if there are none too many. */
export function tooManyWaits(frame: Frame, at: Span, figure: number): boolean {
  const most = waitsOfOperation * frame.operations;
  if (figure <= most) return false;
  if (!frame.failed) {
    const what = `Waits of operations of schedule "${frame.schedule}"`;
    tooLarge(frame, at, what, `more than ${most.toLocaleString('en-US')}`, most.toLocaleString('en-US'));
  }
  frame.failed = true;
  return true;
}

function tooLarge({ report }: Frame, at: Span, what: string, figure: string, limit: string): void {
  report.report('limit/too-large', at, { what, figure, limit, setting: 'pipewright.limits.operations' });
}

const infinite: readonly string[] = ['Infinity', '∞'];

/** An infinite value is the result of an expression: no number of a file is. */
const shownValue = (value: string): string =>
  infinite.includes(value.replace(/^-/, ''))
    ? `${value.startsWith('-') ? 'under -' : 'over '}1.8e308, too large for a number`
    : value;

/** Reports a value outside its range, once; gives NaN, which all that is computed from it is too. */
export function outside(frame: Frame, at: Span, what: string, value: string, allowed: string): number {
  if (!frame.failed) frame.report.report('value/range', at, { what, value: shownValue(value), allowed });
  frame.failed = true;
  return NaN;
}
