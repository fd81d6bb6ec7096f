import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, test } from 'vitest';
import { table } from '../../../engine/basics/table.ts';
import { analyse } from '../../support/analyse.ts';
import { good } from '../../support/goodFile.ts';

const root = path.resolve(import.meta.dirname, '../../..');

it('a table has its rows and nothing else', () => {
  const rows = table({ a: 1, toString: 2 });
  expect([rows.a, rows.toString, rows.constructor, rows['__proto__'], 'valueOf' in rows]).toEqual([
    1,
    2,
    undefined,
    undefined,
    false,
  ]);
  expect(Object.keys(rows)).toEqual(['a', 'toString']);
});

test('tables that any word may be looked up in have no prototype', () => {
  const files = execFileSync('git', ['ls-files', 'engine', 'server', 'platform', 'cli'], {
    cwd: root,
    encoding: 'utf8',
  });
  const plain = files
    .split('\n')
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [
        ...readFileSync(path.join(root, file), 'utf8').matchAll(
          /^(?:export )?const (\w+): (?:Partial<|Readonly<)*Record<string,(?:[^=]|=>)*?>+ = (?!table\()/gm,
        ),
      ].map(([, name]) => `${file}: ${name}`),
    );
  expect(plain).toEqual([]);
});

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
  'a file that says %s hears nothing of the inside',
  (word) => {
    const text = `${good}
search train { ${word} full [1, 2]  ${word} in [1, 2]  minimise = ${word}  schedule in [${word}] }
schedule s { param ${word} = 2 in 1..3  prefer(${word}) = [B]  row(d) = F[0..<${word}], ${word}[0], ${word}(3) }
pipeline other { recompute = ${word}  transfer = ${word}  sync = ${word}(1)  optimizer = ${word}  schedule = ${word} }
device odd { from = ${word}  compute(${word}) = 3TFLOPS  ${word} = 3 }
expect train { ${word} < 3  peak_memory(${word} = 2) < 3GiB }`;
    const messages = analyse(text).findings.map(({ message }) => message);
    expect(messages.length).toBeGreaterThan(3);
    expect(messages.filter((message) => /\[object|native code|undefined|NaN|=>/.test(message))).toEqual([]);
  },
);
