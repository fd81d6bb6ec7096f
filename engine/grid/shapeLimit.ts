/** What a shape costs, known before anything of it is made, and whether that is too much. */
import type { EngineOptions } from '../basics/host.ts';
import type { ScheduleNumbers } from '../definitions/schedule.ts';
import { finding } from '../findings/finding.ts';

/** What is larger than a limit: the parameters of `limit/too-large`. */
export interface Excess {
  readonly what: string;
  readonly figure: string;
  readonly limit: string;
  readonly setting: string;
}

export const excessOf = (what: string, figure: number, limit: number, setting: string): Excess => ({
  what,
  figure: figure.toLocaleString('en-US'),
  limit: limit.toLocaleString('en-US'),
  setting: `pipewright.limits.${setting}`,
});

/** The message of an excess, where no finding is shown. */
export const excessText = (excess: Excess): string =>
  finding('limit/too-large', { uri: '', start: 0, end: 0 }, excess).message;

/** Operations that an order of these numbers has at least. `kinds`: of each stage and microbatch, by default a forward and a backward. */
export const leastOperations = ({ stages, microbatches, iterations = 1 }: ScheduleNumbers, kinds = 2): number =>
  kinds * stages * microbatches * iterations;

/** Why a shape is too large to be built, if it is. It has no more stages or devices than a file may have. */
export function shapeExcess(
  name: string,
  numbers: ScheduleNumbers,
  { elements, operations }: EngineOptions['limits'],
  kinds?: number,
): Excess | undefined {
  const { stages, devices } = numbers;
  if (devices > elements) return excessOf(`Devices of schedule "${name}"`, devices, elements, 'elements');
  if (stages > elements) return excessOf(`Stages of schedule "${name}"`, stages, elements, 'elements');
  const least = leastOperations(numbers, kinds);
  return least > operations ? excessOf(`Operations of schedule "${name}"`, least, operations, 'operations') : undefined;
}
