import { bytes, bytesApart, bytesChange, withSign } from '../basics/quantities.ts';

/** A timeline without a model counts memory in activations of one stage for one microbatch, and has no bytes. */
export const memoryAmount = (size: number, isUnit: boolean | undefined): string =>
  isUnit === true ? `${Number(size.toPrecision(4))} ${size === 1 ? 'activation' : 'activations'}` : bytes(size);

/** The difference of two amounts of memory, without its sign: `2 GiB`, `3 activations`. */
export const memoryApart = (size: number, isUnit: boolean | undefined): string =>
  isUnit === true ? memoryAmount(size, isUnit) : bytesApart(size);

/** What an amount of memory changes by: `−0.998 GiB`, `+2 activations`, `± 0`. */
export const memoryChange = (size: number, isUnit: boolean | undefined): string =>
  isUnit === true && size !== 0 ? withSign(size, memoryApart(Math.abs(size), isUnit)) : bytesChange(size);

/** What a timeline without a model says of its times, wherever it is shown. */
export const unitTimesText =
  'Unit times: a forward of a stage takes 1 s, a backward 2 s (I = W = 1 s), and transfers are free. Memory counts activations of one stage for one microbatch.';
