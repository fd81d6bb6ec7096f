/** The simplest condition on the numbers of a shape that holds for all shapes that pass and for none that fail. */
import { mod } from '../language/arithmetic.ts';
import type { TestedShape } from '../definitions/scheduleTest.ts';

/** A shape with whether it passes. */
export interface JudgedShape extends TestedShape {
  readonly passes: boolean;
}

interface Candidate {
  readonly text: string;
  readonly holds: (shape: TestedShape) => boolean;
}

const factors = [1, 2, 3, 4];
const offsets = [0, -1, 1, -2, 2, -3, 3];
const least = [2, 3, 4, 5, 6, 7, 8];

/** `a * base + b` as a file writes it. */
function linear(base: string, a: number, b: number): string {
  const product = a === 1 ? base : `${a} * ${base}`;
  return b === 0 ? product : `${product} ${b < 0 ? '-' : '+'} ${Math.abs(b)}`;
}

const numberOf = (shape: TestedShape, name: string): number =>
  name === 'devices' ? shape.devices : name === 'microbatches' ? shape.microbatches : (shape.args[name] ?? 1);

/** Conditions that are tried, the shorter first. `names`: parameters that the shapes differ in. */
function candidates(names: readonly string[]): readonly Candidate[] {
  const found: Candidate[] = [];
  for (const base of ['devices', ...names]) {
    for (const a of factors) {
      for (const b of offsets)
        found.push({
          text: `microbatches >= ${linear(base, a, b)}`,
          holds: (shape) => shape.microbatches >= a * numberOf(shape, base) + b,
        });
      found.push({
        text: `mod(microbatches, ${linear(base, a, 0)}) == 0`,
        holds: (shape) => numberOf(shape, base) > 0 && mod(shape.microbatches, a * numberOf(shape, base)) === 0,
      });
    }
  }
  for (const name of ['devices', 'microbatches', ...names]) {
    for (const b of least) found.push({ text: `${name} >= ${b}`, holds: (shape) => numberOf(shape, name) >= b });
    for (const a of factors.slice(1))
      found.push({ text: `mod(${name}, ${a}) == 0`, holds: (shape) => mod(numberOf(shape, name), a) === 0 });
  }
  return found.toSorted((one, other) => one.text.length - other.text.length);
}

/** One condition, or two together; undefined where none of these forms separates the shapes. */
export function separating(shapes: readonly JudgedShape[]): readonly string[] | undefined {
  const good = shapes.filter(({ passes }) => passes);
  const bad = shapes.filter(({ passes }) => !passes);
  if (good.length === 0 || bad.length === 0) return undefined;
  const names = Object.keys(shapes[0]?.args ?? {});
  const needed = candidates(names).filter(({ holds }) => good.every(holds));
  const refuses = needed.map(({ holds }) => bad.map((shape) => !holds(shape)));
  const single = refuses.findIndex((refused) => refused.every((is) => is));
  if (single >= 0) return [needed[single].text];
  for (let first = 0; first < needed.length; first += 1) {
    const left = [...bad.keys()].filter((at) => !refuses[first][at]);
    for (let second = first + 1; second < needed.length; second += 1)
      if (left.every((at) => refuses[second][at])) return [needed[first].text, needed[second].text];
  }
  return undefined;
}
