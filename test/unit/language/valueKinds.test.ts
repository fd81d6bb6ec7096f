/** One table says what each kind of value is: rows are whole, and no other file decides by the kind. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { resolveText } from '../../support/resolve.ts';
import { functions, isIn } from '../../../engine/language/functions.ts';
import { functionContext, valueKinds, type ValueKindName } from '../../../engine/language/kinds.ts';
import { blocks, declaredIn, wordsOf, type ValueSchema } from '../../../engine/language/schema.ts';

const keys = Object.values(blocks).flatMap((block) => block.keys.map((key) => ({ block: block.name, key })));
/** Of keys, and of arguments that take functions. */
const schemas: readonly ValueSchema[] = [
  ...keys.map(({ key }) => key.value),
  ...functions.flatMap(({ parameters }) =>
    parameters.flatMap(({ values }) => (values === undefined ? [] : { kind: values })),
  ),
];
const schemasOf = (kind: ValueKindName): readonly ValueSchema[] => schemas.filter((schema) => schema.kind === kind);
const kinds = Object.keys(valueKinds) as ValueKindName[];

describe('kinds of values', () => {
  it.each(kinds)('%s is the kind of some key or argument', (kind) => {
    expect(schemasOf(kind)).not.toEqual([]);
  });

  it.each(kinds)('%s has whatever it offers and looks up', (kind) => {
    const { names, offers, targets, functions: noun } = valueKinds[kind];
    for (const schema of schemasOf(kind)) {
      if (kind !== 'quantity' && (offers.includes('words') || names === 'word'))
        expect(wordsOf(schema)).not.toEqual([]);
      if (offers.includes('declarations') || names.startsWith('declaration')) expect(declaredIn(schema)).toBeDefined();
      // Numbers stand with the functions that make numbers.
      if (offers.includes('functions') && !offers.includes('numbers')) expect(functionContext(schema)).toBe(kind);
    }
    expect(targets !== undefined).toBe(offers.includes('targets'));
    if (noun !== undefined) expect(offers).toContain('functions');
  });

  it.each(kinds.filter((kind) => valueKinds[kind].functions !== undefined))('%s has functions', (kind) => {
    expect(functions.filter((each) => isIn(each, functionContext(schemasOf(kind)[0])))).not.toEqual([]);
  });

  it('functions stand in kinds that have functions', () => {
    const strays = functions.filter(
      ({ context }) => context !== 'value' && functionContext({ kind: context }) !== context,
    );
    expect(strays).toEqual([]);
  });

  it('no other file decides by the kind of a value', () => {
    const root = path.resolve(import.meta.dirname, '../../..');
    // `quantity`, `words` and `name` carry figures and words of their key, which their readers use.
    const carried: readonly string[] = ['quantity', 'words', 'name'];
    const others = kinds.filter((kind) => !carried.includes(kind)).join('|');
    const decides = new RegExp(
      String.raw`\b(?:[vV]alue|[sS]chema|context|where)(?:\?)?(?:\.kind|\.context)?\s*[!=]==\s*'(?:${others})'|\bcase '(?:workerSync|gradientSync|placement|optimizer|operations)'`,
    );
    const files = globSync(['engine/**/*.ts', 'server/**/*.ts'], { cwd: root });
    const found = files.filter((file) => decides.test(readFileSync(path.join(root, file), 'utf8')));
    // A link is also what an expression is worth.
    expect(found).toEqual(['engine/language/builtins.ts']);
  });
});

test.each(['device d { from = system(path) }', 'model m { from = profile(path) }'])(
  'arguments that are texts are no names: one finding for %s',
  (text) => {
    const { findings } = resolveText(text);
    expect(findings.map(({ code }) => code)).toEqual(['type/mismatch']);
  },
);
