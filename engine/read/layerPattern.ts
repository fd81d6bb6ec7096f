/** Reads `pattern("wwwb", w = transformer(…), b = transformer(…))`: layers of several shapes that alternate in an array. */
import type { LayerDefinition } from '../definitions/model.ts';
import type { Call, Expression } from '../../grammar/syntax.ts';
import { count, list } from '../basics/quantities.ts';
import type { ReadContext } from './context.ts';
import { readShape } from './shape.ts';

/** One letter of a pattern. */
export interface PatternKind {
  readonly letter: string;
  readonly cost: LayerDefinition['cost'];
  /** Where its shape ends. */
  readonly end: number;
}

export interface LayerPattern {
  readonly kinds: readonly PatternKind[];
  /** The kind of each layer of the pattern, which begins again behind its last. */
  readonly order: readonly PatternKind[];
  readonly text: string;
}

export const isPattern = (expression: Expression): expression is Call =>
  expression.kind === 'call' && expression.callee.text === 'pattern';

/** The pattern of an array of `layers`; `undefined` where it is wrong, which has been reported. */
export function readPattern(context: ReadContext, call: Call, layers: number): LayerPattern | undefined {
  const [first, ...others] = call.arguments;
  const letters = first?.name === undefined ? first?.value : undefined;
  const wrong = (at: Call | Expression, expected: string, found: string): undefined => {
    context.report.report('type/mismatch', at, { expected, found });
  };
  if (letters?.kind !== 'string' || letters.value === '')
    return wrong(letters ?? call, 'letters in quotes, such as `pattern("wwwb", w = …, b = …)`', 'something else');
  const kinds: PatternKind[] = [];
  for (const { name, value } of others) {
    if (name?.text.length !== 1) return wrong(value, 'a letter for each shape, such as `w = transformer(…)`', 'none');
    const { text: letter } = name;
    if (kinds.some((kind) => kind.letter === letter)) {
      context.report.report('key/duplicate', name, { key: letter, block: 'call to pattern' });
      return undefined;
    }
    if (!letters.value.includes(letter)) return wrong(name, `a letter of "${letters.value}"`, `\`${letter}\``);
    if (isPattern(value)) return wrong(value, 'a shape such as `transformer(hidden = 4096, heads = 32)`', 'a pattern');
    const read = readShape(context, value);
    if (read === undefined) return undefined;
    if (typeof read.args['cross'] === 'number')
      return wrong(
        value,
        'a shape without `cross`: layers that attend to another tower need their array',
        'one with it',
      );
    kinds.push({ letter, cost: { kind: 'shape', ...read }, end: value.end });
  }
  const order: PatternKind[] = [];
  for (const letter of letters.value) {
    const kind = kinds.find((each) => each.letter === letter);
    if (kind === undefined)
      return wrong(
        letters,
        `letters that have a shape, such as \`${letter} = transformer(…)\``,
        `\`${letter}\` without one`,
      );
    order.push(kind);
  }
  if (order.length > layers) {
    context.report.report('value/range', letters, {
      what: 'The pattern',
      value: count(order.length, 'letter', 'letters'),
      allowed: `at most ${layers}, as many as the array has layers`,
    });
    return undefined;
  }
  return { kinds, order, text: textOf(kinds, order, layers) };
}

/** `52 × transformer as w, 10 × transformer as b`. */
const textOf = (kinds: readonly PatternKind[], order: readonly PatternKind[], layers: number): string =>
  list(
    kinds.map((kind) => {
      const [rounds, rest] = [Math.trunc(layers / order.length), layers % order.length];
      const inRound = (length: number): number => order.slice(0, length).filter((each) => each === kind).length;
      const shape = kind.cost.kind === 'shape' ? kind.cost.shape : '';
      return `${rounds * inRound(order.length) + inRound(rest)} × ${shape} (${kind.letter})`;
    }),
  );

/** Runs of equal layers in an array that follows a pattern. */
export function runsOf<K>(
  { order }: { readonly order: readonly K[] },
  layers: number,
): readonly { readonly kind: K; readonly at: number; readonly count: number }[] {
  const runs: { readonly kind: K; readonly at: number; count: number }[] = [];
  for (let at = 0; at < layers; at += 1) {
    const kind = order[at % order.length];
    const last = runs.at(-1);
    if (last?.kind === kind) last.count += 1;
    else runs.push({ kind, at, count: 1 });
  }
  return runs;
}
