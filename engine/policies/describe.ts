/** Words that several policies use to explain themselves. */
import { time } from '../basics/quantities.ts';
import type { Shape } from './policy.ts';

/** `4, 3, 2, 1`; long ones as `64, 63, 62, …, 1`. Equal ones as `4 on every device`. Two decimals at most. */
export const perDevice = (shape: Shape, figure: (device: number) => number): string =>
  listed(shape.devices, (device) => Number(figure(device).toFixed(2)), 'device');

/** The same by stage of the cut. */
export const perStage = (shape: Shape, figure: (stage: number) => number | string): string =>
  listed(shape.stages, figure, 'stage');

function listed(count: number, figure: (index: number) => number | string, what: string): string {
  const values = Array.from({ length: count }, (_, index) => figure(index));
  if (values.length > 1 && values.every((value) => value === values[0])) return `${values[0]} on every ${what}`;
  return values.length <= 8 ? values.join(', ') : `${values.slice(0, 3).join(', ')}, …, ${values[values.length - 1]}`;
}

/** Three significant digits. */
export const figure = (value: number): string => String(Number(value.toPrecision(3)));

/** Whether two times are equal, to a part in 10⁹. */
export const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.abs(b);

/** Seconds of F, I and W of every stage. */
export interface EqualTimes {
  readonly f: number;
  readonly i: number;
  readonly w: number;
}

/** Seconds of F, I and W where all stages take the same (to a part in 10⁹); undefined where they differ. */
export function equalTimes(shape: Shape): EqualTimes | undefined {
  const columns = [shape.forward, shape.backwardInput, shape.backwardWeight];
  const equal = columns.every((column) => column.every((value) => near(value, column[0])));
  return equal && shape.stages > 0
    ? { f: shape.forward[0], i: shape.backwardInput[0], w: shape.backwardWeight[0] }
    : undefined;
}

/**
 * `idle: (p − 1)(F + B) = 36 ms a device`. Closed forms are valid for equal stages and free transfers. If stages differ, or the
 * form is not valid for these numbers (`seconds` gives undefined), the formula is shown without a figure.
 */
export function idleLine(
  shape: Shape,
  formula: string,
  seconds: (times: EqualTimes) => number | undefined,
  what = 'idle',
): string {
  const times = equalTimes(shape);
  if (times === undefined) return `${what}: ${formula} for equal stages; these stages differ`;
  const value = seconds(times);
  if (value === undefined) return `${what}: ${formula} applies only with more microbatches or other times`;
  return `${what}: ${formula} = ${time(value)} per device${shape.transfer > 0 ? `, not counting transfers of ${time(shape.transfer)}` : ''}`;
}

/** What schedules of zero bubbles within the span say: microbatches that are too few, if they are. */
export const fillingLines = ({ devices, microbatches }: Shape): readonly string[] =>
  microbatches < 2 * devices - 1
    ? [`2p − 1 = ${2 * devices - 1} microbatches are needed to fill the pipeline; there are ${microbatches}`]
    : [];

/** And what their span bubble rests on. */
export const postValidation =
  'iterations close up only if the optimizer steps before all devices agree, and repeats the step if they do not (post-validation)';
