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
  /** An upper bound: large shapes fail it. */
  readonly ceiling?: true;
}

/** A number that conditions compare with. */
interface Base {
  readonly text: string;
  /** In parentheses where it is multiplied. */
  readonly factor: string;
  readonly value: (shape: TestedShape) => number;
}

const plain = (name: string): Base => ({ text: name, factor: name, value: (shape) => numberOf(shape, name) });

/** The devices, each parameter, and how the two come together in a warm-up or a group. */
function basesOf(names: readonly string[]): readonly Base[] {
  return [
    plain('devices'),
    ...names.flatMap((name): readonly Base[] => {
      const of = (text: string, value: (count: number, devices: number) => number): Base => ({
        text,
        factor: text.includes('+') ? `(${text})` : text,
        value: (shape) => value(numberOf(shape, name), shape.devices),
      });
      return [
        plain(name),
        of(`${name} * devices`, (count, devices) => count * devices),
        of(`devices + ${name}`, (count, devices) => devices + count),
        of(`devices + ${name} * (devices - 1)`, (count, devices) => devices + count * (devices - 1)),
      ];
    }),
  ];
}

const factors = [1, 2, 3, 4];
const offsets = [0, -1, 1, -2, 2, -3, 3];
const least = [1, 2, 3, 4, 5, 6, 7, 8];

/** `a * base + b` as a file writes it. */
function linear(base: Base, a: number, b: number): string {
  const product = a === 1 ? base.text : `${a} * ${base.factor}`;
  return b === 0 ? product : `${product} ${b < 0 ? '-' : '+'} ${Math.abs(b)}`;
}

const numberOf = (shape: TestedShape, name: string): number =>
  name === 'devices' ? shape.devices : name === 'microbatches' ? shape.microbatches : (shape.args[name] ?? 1);

/**
 * Conditions that are tried, the shorter first. `names`: parameters that the shapes differ in; `good`: shapes that must pass. Of one
 * number of microbatches alone, no upper bound follows (`varies`).
 */
function candidates(names: readonly string[], good: readonly TestedShape[], varies: boolean): readonly Candidate[] {
  const found: Candidate[] = [];
  for (const base of basesOf(names)) {
    for (const a of factors) {
      for (const b of offsets) {
        const text = linear(base, a, b);
        const limit = (shape: TestedShape): number => a * base.value(shape) + b;
        found.push({ text: `microbatches >= ${text}`, holds: (shape) => shape.microbatches >= limit(shape) });
        if (varies)
          found.push({
            text: `microbatches <= ${text}`,
            holds: (shape) => shape.microbatches <= limit(shape),
            ceiling: true,
          });
      }
      found.push({
        text: `mod(microbatches, ${linear(base, a, 0)}) == 0`,
        holds: (shape) => divides(a * base.value(shape), shape.microbatches),
      });
    }
  }
  for (const name of names) {
    found.push(
      { text: `mod(devices, ${name}) == 0`, holds: (shape) => divides(numberOf(shape, name), shape.devices) },
      { text: `${name} <= devices`, holds: (shape) => numberOf(shape, name) <= shape.devices },
      { text: `${name} < devices`, holds: (shape) => numberOf(shape, name) < shape.devices },
    );
  }
  for (const name of ['devices', 'microbatches', ...names]) {
    for (const b of least) found.push({ text: `${name} >= ${b}`, holds: (shape) => numberOf(shape, name) >= b });
    for (const a of factors.slice(1))
      found.push({ text: `mod(${name}, ${a}) == 0`, holds: (shape) => mod(numberOf(shape, name), a) === 0 });
    // Of all upper bounds that the good shapes meet, the lowest refuses the most.
    const [lowest, highest] = good
      .map((shape) => numberOf(shape, name))
      .reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, 0]);
    found.push({ text: `${name} <= ${highest}`, holds: (shape) => numberOf(shape, name) <= highest, ceiling: true });
    if (lowest === highest)
      found.push({ text: `${name} == ${highest}`, holds: (shape) => numberOf(shape, name) === highest, ceiling: true });
  }
  return found.toSorted((one, other) => one.text.length - other.text.length);
}

const divides = (divisor: number, number: number): boolean => divisor > 0 && mod(number, divisor) === 0;

/** What a schedule with nothing to overlap passes: it says little of its text. */
export const trivial = {
  devices: ({ devices }: TestedShape): boolean => devices === 1,
  microbatches: ({ microbatches }: TestedShape): boolean => microbatches === 1,
};
const isTrivial = (shape: TestedShape): boolean => trivial.devices(shape) || trivial.microbatches(shape);

/**
 * One condition, or two together; undefined where none of these forms separates the shapes, or where it would leave only shapes with
 * one device or one microbatch. `ceilings`: whether an upper bound may be one. If a range runs backwards, the text is wrong, and no
 * bound on the shape makes it right.
 */
export function separating(shapes: readonly JudgedShape[], ceilings = true): readonly string[] | undefined {
  const good = shapes.filter(({ passes }) => passes);
  const bad = shapes.filter(({ passes }) => !passes);
  if (good.length === 0 || bad.length === 0) return undefined;
  if (good.every(isTrivial) && !bad.every(isTrivial)) return undefined;
  const names = Object.keys(shapes[0]?.args ?? {});
  const needed = candidates(names, good, new Set(shapes.map(({ microbatches }) => microbatches)).size > 1).filter(
    ({ holds, ceiling }) => (ceilings || ceiling === undefined) && good.every(holds),
  );
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
