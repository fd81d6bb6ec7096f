/** Which microbatches a copy of a stage runs. */
import { unpack } from '../basics/packed.ts';
import type { StageCopy } from '../values/plan.ts';

type Turned = Pick<StageCopy, 'every' | 'first' | 'turns'>;

/** Microbatches below `every` that it runs, ascending; the others follow every `every`. */
export const turnsOfCopy = ({ first, turns }: Turned): ArrayLike<number> & Iterable<number> =>
  turns === undefined ? [first] : unpack(turns);

/** Whether it runs a microbatch, as a function that is quick for many of them. */
export function copyRuns(copy: Turned): (microbatch: number) => boolean {
  const { every, first, turns } = copy;
  if (turns === undefined) return (microbatch) => microbatch % every === first;
  const runs = bitsOf(copy);
  return (microbatch) => runs[microbatch % every] === 1;
}

/** 1 for each microbatch below `every` that it runs. */
export function bitsOf(copy: Turned): Uint8Array {
  const bits = new Uint8Array(copy.every);
  for (const turn of turnsOfCopy(copy)) bits[turn] = 1;
  return bits;
}

/** Share of all microbatches that it runs. */
export const copyShare = (copy: Turned): number => turnsOfCopy(copy).length / copy.every;

/** Whether two copies run a microbatch in common: j ≡ a (mod m), j ≡ b (mod n) has a solution if a ≡ b (mod gcd(m, n)). */
export function copiesMeet(a: Turned, b: Turned, divisor: number): boolean {
  if (a.turns === undefined && b.turns === undefined) return (a.first - b.first) % divisor === 0;
  const rests = new Set(Array.from(turnsOfCopy(a), (turn) => turn % divisor));
  return Array.from(turnsOfCopy(b)).some((turn) => rests.has(turn % divisor));
}
