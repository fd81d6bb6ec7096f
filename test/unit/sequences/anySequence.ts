/**
 * Random sequences with what they stand for: a second, plain interpreter of the language. It makes arrays where the engine writes
 * into one list, and takes numbers as they come.
 */
import * as fc from '../../support/property.ts';

/** Numbers of names. */
type Values = Readonly<Record<string, number>>;

interface Number {
  readonly text: string;
  readonly value: (values: Values) => number;
}

/** `units`: operations of one slot. */
export interface Sequence {
  readonly text: string;
  readonly units: (values: Values) => readonly (readonly string[])[];
}

export interface AnySchedule {
  /** Entries before the row. */
  readonly lets: string;
  readonly row: Sequence;
}

const remainder = (a: number, b: number): number => a - b * Math.floor(a / b);

function number(names: readonly string[], depth: number): fc.Arbitrary<Number> {
  const literal = fc.nat(4).map((n): Number => ({ text: String(n), value: () => n }));
  const name = fc.constantFrom(...names).map((text): Number => ({ text, value: (values) => values[text] }));
  if (depth === 0) return fc.oneof(literal, name);
  const inner = number(names, depth - 1);
  const pairs = fc.tuple(inner, inner);
  const two = (make: (a: string, b: string) => string, compute: (a: number, b: number) => number) =>
    pairs.map(([a, b]): Number => ({
      text: make(a.text, b.text),
      value: (values) => compute(a.value(values), b.value(values)),
    }));
  return fc.oneof(
    literal,
    name,
    two(
      (a, b) => `(${a} + ${b})`,
      (a, b) => a + b,
    ),
    two(
      (a, b) => `(${a} - ${b})`,
      (a, b) => a - b,
    ),
    two(
      (a, b) => `(${a} * ${b})`,
      (a, b) => a * b,
    ),
    two((a, b) => `min(${a}, ${b})`, Math.min),
    two((a, b) => `max(${a}, ${b})`, Math.max),
    two(
      (a, b) => `mod(${a}, 1 + abs(${b}))`,
      (a, b) => remainder(a, 1 + Math.abs(b)),
    ),
    two(
      (a, b) => `div(${a}, -1 - abs(${b}))`,
      (a, b) => Math.floor(a / (-1 - Math.abs(b))),
    ),
    fc.tuple(inner, inner, inner).map(([a, b, c]): Number => ({
      text: `if(${a.text} < ${b.text}, ${b.text}, ${c.text})`,
      value: (values) => (a.value(values) < b.value(values) ? b.value(values) : c.value(values)),
    })),
  );
}

/** A number from 0 on that is small enough to count to. */
const small = (names: readonly string[]): fc.Arbitrary<Number> =>
  number(names, 2).map(({ text, value }) => ({
    text: `mod(${text}, 5)`,
    value: (values) => remainder(value(values), 5),
  }));

function range(
  names: readonly string[],
): fc.Arbitrary<{ readonly text: string; readonly numbers: (values: Values) => readonly number[] }> {
  const steps = fc.constantFrom(undefined, 1, 2, 3, -1, -2);
  return fc.tuple(small(names), small(names), fc.boolean(), steps).map(([from, to, exclusive, step]) => ({
    text: `${from.text}${exclusive ? '..<' : '..'}${to.text}${step === undefined ? '' : ` step ${step}`}`,
    numbers(values) {
      const found: number[] = [];
      const by = step ?? 1;
      const end = to.value(values);
      for (let at = from.value(values); by > 0 ? at <= end : at >= end; at += by)
        if (!exclusive || at !== end) found.push(at);
      return found;
    },
  }));
}

let loops = 0;

function sequence(names: readonly string[], depth: number): fc.Arbitrary<Sequence> {
  const letter = fc.constantFrom('F', 'B', 'I', 'W');
  const operation = fc
    .tuple(letter, small(names))
    .map(([op, at]): Sequence => ({ text: `${op}[${at.text}]`, units: (values) => [[`${op}${at.value(values)}`]] }));
  const run = fc.tuple(letter, range(names)).map(([op, { text, numbers }]): Sequence => ({
    text: `${op}[${text}]`,
    units: (values) => numbers(values).map((at) => [`${op}${at}`]),
  }));
  if (depth === 0) return fc.oneof(operation, run);
  const inner = sequence(names, depth - 1);
  const many = fc.array(inner, { minLength: 1, maxLength: 3 });
  const cut = (word: 'take' | 'drop') =>
    fc.tuple(small(names), inner).map(([n, { text, units }]): Sequence => ({
      text: `${word}(${n.text}, ${text})`,
      units: (values) =>
        word === 'take' ? units(values).slice(0, n.value(values)) : units(values).slice(n.value(values)),
    }));
  const loop = fc.constant(undefined).chain(() => {
    const name = `j${(loops += 1)}`;
    return fc.tuple(range(names), sequence([...names, name], depth - 1)).map(([{ text, numbers }, body]): Sequence => ({
      text: `each(${name} in ${text}, ${body.text})`,
      units: (values) => numbers(values).flatMap((at) => body.units({ ...values, [name]: at })),
    }));
  });
  return fc.oneof(
    operation,
    run,
    cut('take'),
    cut('drop'),
    loop,
    many.map((parts): Sequence => ({
      text: `[${parts.map(({ text }) => text).join(', ')}]`,
      units: (values) => parts.flatMap(({ units }) => units(values)),
    })),
    many.map((parts): Sequence => ({
      text: `zip(${parts.map(({ text }) => text).join(', ')})`,
      units(values) {
        const lists = parts.map(({ units }) => units(values));
        const longest = Math.max(...lists.map((list) => list.length));
        return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
      },
    })),
    fc.tuple(small(names), inner).map(([n, { text, units }]): Sequence => ({
      text: `repeat(${n.text}, ${text})`,
      units: (values) => Array.from({ length: n.value(values) }, () => units(values)).flat(),
    })),
    fc.tuple(small(names), small(names), inner, inner).map(([a, b, yes, no]): Sequence => ({
      text: `if(${a.text} >= ${b.text}, ${yes.text}, ${no.text})`,
      units: (values) => (a.value(values) >= b.value(values) ? yes : no).units(values),
    })),
    fc.tuple(small(names), small(names)).map(([a, b]): Sequence => ({
      text: `fused(F[${a.text}], B[${b.text}])`,
      units: (values) => [[`F${a.value(values)}`, `B${b.value(values)}`]],
    })),
  );
}

const given = ['devices', 'microbatches', 'd'];

/** A row with a `let` of two parameters, which calls itself never and others once. */
export const anySchedule: fc.Arbitrary<AnySchedule> = fc
  .tuple(
    sequence(['devices', 'microbatches', 'x', 'y'], 2),
    number(['microbatches', 'x'], 2),
    small(given),
    small(given),
    sequence([...given, 'n'], 3),
  )
  .map(([body, size, a, b, rest]) => ({
    lets: `let part(x, y) = ${body.text}  let size(x) = ${size.text}  let n = size(devices)`,
    row: {
      text: `part(${a.text}, ${b.text}), ${rest.text}`,
      units(values) {
        const [x, y] = [a.value(values), b.value(values)];
        const n = size.value({ ...values, x: values['devices'] });
        return [...body.units({ ...values, x, y }), ...rest.units({ ...values, n })];
      },
    },
  }));
