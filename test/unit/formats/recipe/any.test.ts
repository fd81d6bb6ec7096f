/** All training configurations: which files are taken for one, and what becomes of any text. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { importText } from '../../../../engine/formats/importText.ts';
import { isAxolotl } from '../../../../engine/formats/recipe/axolotl.ts';
import { isBridge } from '../../../../engine/formats/recipe/bridge.ts';
import { isDeepspeed } from '../../../../engine/formats/recipe/deepspeed.ts';
import { isTorchtitanPython, isTorchtitanToml } from '../../../../engine/formats/recipe/torchtitan.ts';
import { isXtunerPython, isXtunerYaml } from '../../../../engine/formats/recipe/xtuner.ts';
import { parse } from '../../../../grammar/index.ts';
import { a100, h200 } from '../systems/files.ts';
import { importedText, recipeText } from './recipes.ts';

const files = readdirSync(join(import.meta.dirname, '../../../data/recipes'));
const kinds: Readonly<Record<string, (text: string) => boolean>> = {
  'axolotl.yaml': isAxolotl,
  'bridge.yaml': isBridge,
  'nemo.yaml': isBridge,
  'deepspeed.json': isDeepspeed,
  'torchtitan.py': isTorchtitanPython,
  'torchtitan.toml': isTorchtitanToml,
  'xtuner.py': isXtunerPython,
  'xtuner.yaml': isXtunerYaml,
};

test('each file is of one kind', () => {
  expect(files.toSorted()).toEqual(Object.keys(kinds).toSorted());
  for (const file of files)
    expect([...new Set(Object.values(kinds))].filter((is) => is(recipeText(file)))).toEqual([kinds[file]]);
});

test('no other file is taken for one', () => {
  const own = readFileSync(join(import.meta.dirname, '../../../../package.json'), 'utf8');
  const others = [
    ...[own, JSON.stringify(a100), h200, '', '{}', '[]', 'a: 1', '[a]\nb = 1', '0F0,0F1', 'E|t*3|L'],
    '{ "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64 }',
    '# base_model: a comment\nname: x\n',
    'training:\n  seq_len: 5\n',
    '[project]\nname = "x"\n[tool.ruff]\nline-length = 100\n',
    'services:\n  model:\n    image: x\n',
  ];
  for (const text of others)
    for (const [kind, is] of Object.entries(kinds)) expect([kind, is(text)]).toEqual([kind, false]);
});

describe.each(files)('%s', (file) => {
  const text = recipeText(file);

  test('damaged at random, it gives faults with places or a file that reads', () => {
    const words = [
      '0',
      '-1',
      '1e99',
      '""',
      '{',
      ']',
      ':',
      '=',
      '\n',
      '\t',
      'null',
      '&a',
      '*a',
      '2147483648',
      '\u0000',
      '"*/ //',
    ];
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(text.length), fc.nat(12), fc.oneof(fc.constantFrom(...words), fc.string())), {
          minLength: 1,
          maxLength: 4,
        }),
        (changes) => {
          let damaged = text;
          for (const [at, length, put] of changes) damaged = damaged.slice(0, at) + put + damaged.slice(at + length);
          const made = importText(damaged);
          if (made === undefined) return true;
          if ('faults' in made)
            return (
              made.faults.length > 0 &&
              made.faults.every(({ start, end }) => start >= 0 && start <= end && end <= damaged.length + 1)
            );
          return parse(made.pipe).errors.length === 0;
        },
      ),
      { numRuns: 150 },
    );
  });

  test('no text of it becomes code, a link or a second line of a comment', () => {
    const evil = 'x\u001B[31m](command:evil)*/ } pipeline p {';
    const hostile = text.replaceAll(/[A-Za-z_]{4,}(?=["\s]*[:=])/g, (word) => (word.length % 3 === 0 ? evil : word));
    const made = importText(hostile);
    if (made !== undefined && 'pipe' in made) {
      expect(made.pipe).not.toMatch(/command:|pipeline p/);
      expect(made.pipe).not.toContain('\u001B');
      expect(parse(made.pipe).errors).toEqual([]);
    }
    const quoted = importText(text.replace(/(?<=base_model: |"type": |name = ).+/, JSON.stringify(evil)));
    expect(JSON.stringify(quoted)).not.toMatch(/command:|pipeline p/);
  });

  test('the imported file is laid out, and its remarks are comments', () => {
    const { pipe, remarks } = importedText(text);
    for (const remark of remarks) expect(pipe).toContain(`// ${remark}\n`);
    expect(pipe).toContain('imported_pipeline');
  });
});
