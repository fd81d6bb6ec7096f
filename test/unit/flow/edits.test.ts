import { createRequire } from 'node:module';
import path from 'node:path';
import { compileFunction } from 'node:vm';
import { buildSync } from 'esbuild';
import { expect, test } from 'vitest';
import { analyse } from '../../support/analyse.ts';
import * as fc from '../../support/property.ts';
import type { SaidRequest, says } from './said.ts';

/** Each place of the file with what may stand there. Everything that rows, costs and findings depend on is among them. */
const places: readonly (readonly string[])[] = [
  ['{ a100_80, h100 } from "std:hardware"', '{ h100, a100_80 } from "std:hardware"', '"std:hardware"'],
  ['let extra = 2', 'let extra = 1', 'let extra = 0'],
  ['param size = 2 in 1..8', 'param size = 4 in 1..8'],
  ['backward = whole', 'backward = split'],
  ['placement = loop(chunks)', 'placement = linear'],
  ['chunks = 2 in 1..4', 'chunks = 1 in 1..4'],
  ['take(warm(d), ahead), zip(drop(warm(d), ahead), back)', 'ahead, back', 'ahead, back, W[0]'],
  ['extra * (devices - 1 - d)', '2 * (devices - d)'],
  ['row(0) = take(warm(0), ahead), zip(drop(warm(0), ahead), back)', 'row(0) = ahead, back', 'row(9) = ahead'],
  ['forward = 1ms', 'forward = 3ms', 'forward = 0ms'],
  ['activation = 64MiB', 'activation = 40GiB'],
  ['a100_80', 'h100', 'none'],
  ['gpu[4]', 'gpu[2]'],
  ['100GB/s', '1GB/s'],
  ['microbatches = 48', 'microbatches = 56', 'microbatches = size'],
  ['mine', 'mine(hold = 2)', 'mine(chunks = 1)', '1f1b'],
  ['iterations = 1', 'iterations = 2'],
  ['bubble < 90%', 'bubble < 1%', 'in_flight <= 2'],
  ['48', '52'],
  ['mine', 'heir', 'heir(chunks = 1)'],
  ['late = extra', 'late = 3 - extra'],
  ['row(0)', 'row(1)'],
];

function textOf(choices: readonly number[]): string {
  const at = (place: number): string => places[place][choices[place] % places[place].length];
  return `import ${at(0)}
${at(1)}
${at(2)}
schedule mine {
  ${at(3)}
  ${at(4)}
  param ${at(5)}
  param hold = 0 in 0..8
  let ahead = each(c in 0..<chunks, F[0..<microbatches, chunk = c])
  let back = each(c in chunks-1..0 step -1, B[0..<microbatches, chunk = c])
  let warm(d) = ${at(7)} + (chunks - 1) * microbatches + size + hold
  row(d) = ${at(6)}
  ${at(8)}
}
schedule heir {
  from = mine
  let ${at(20)}
  ${at(21)} = take(late + (chunks - 1) * microbatches, ahead), zip(drop(late + (chunks - 1) * microbatches, ahead), back)
}
model m { layer block[8] { ${at(9)}  backward = 2ms  weights = 64MiB  ${at(10)}  output = 16MiB } }
cluster c {
  ${at(12)} = ${at(11)}
  link = ${at(13)}
}
pipeline train {
  model = m  devices = c
  ${at(14)}  stages = balance(8)  schedule = ${at(15)}  ${at(16)}
}
pipeline other { model = m  devices = c  microbatches = ${at(18)}  stages = balance(8)  schedule = ${at(19)} }
expect train { ${at(17)} }
`;
}

/** The engine as one function: each call of it makes all modules anew. */
const [script] = buildSync({
  entryPoints: [path.join(import.meta.dirname, 'said.ts')],
  bundle: true,
  platform: 'node',
  format: 'cjs',
  write: false,
}).outputFiles;
const load = compileFunction(script.text, ['module', 'exports', 'require']);

/** An engine with modules of its own, which has seen no text. It answers with all that a check says, as text. */
function freshEngine() {
  const made = { exports: {} };
  load(made, made.exports, createRequire(import.meta.url));
  const engine = made.exports as { readonly says: typeof says };
  return (text: string, after: SaidRequest['after'] = 'nothing'): string => engine.says({ text, after });
}

const saidByFresh = (text: string): string => freshEngine()(text);

const first = places.map(() => 0);

test('after one edit a check says what a new engine says of the text', () => {
  const warm = freshEngine();
  warm(textOf(first));
  for (const [place, choices] of places.entries())
    for (let choice = 1; choice < choices.length; choice += 1) {
      const text = textOf(first.with(place, choice));
      expect(warm(text, 'the first'), choices[choice]).toBe(saidByFresh(text));
    }
});

test('after any edits a check says what a new engine says of the last text', () => {
  const engine = freshEngine();
  const edits = fc.array(fc.record({ place: fc.nat(places.length - 1), choice: fc.nat(2) }), {
    minLength: 1,
    maxLength: 12,
  });
  fc.assert(
    fc.property(edits, (made) => {
      const choices = [...first];
      let answer = engine(textOf(choices));
      for (const { place, choice } of made) {
        choices[place] = choice;
        answer = engine(textOf(choices), 'the last');
      }
      expect(answer).toBe(saidByFresh(textOf(choices)));
    }),
    { numRuns: 3 },
  );
});

test('after any characters are typed a check says what a new engine says of the last text', () => {
  const engine = freshEngine();
  const layers = [
    'weights = 1MiB',
    'forward = 1ms  backward = 2ms',
    'forward = 1ms  backward = 2ms  backward = 3ms',
    'forward = 1ms',
  ];
  const tower = (at: number): string =>
    `\n/// Number ${at}.\nmodel tower_${at} {\n${layers.map((layer, index) => `  layer l${index} { ${layer} } // measured\n`).join('')}}\nlet n${at} = ${at}ms\n`;
  const whole = textOf(first) + Array.from({ length: 12 }, (_, at) => tower(at)).join('');
  const typed = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.constantFrom(0, 0, 1, 1, 2, 9),
    inserted: fc.constantFrom(
      '',
      '',
      '1',
      'x',
      ' ',
      '\n',
      '}',
      '{',
      '(',
      '/*',
      '*/',
      '// ',
      '"',
      '= 3ms',
      '\nlet spare = 3\n',
    ),
  });
  fc.assert(
    fc.property(fc.array(typed, { minLength: 4, maxLength: 16 }), (made) => {
      let text = whole;
      let answer = engine(text);
      for (const { at, length, inserted } of made) {
        const start = Math.floor(at * text.length);
        text = text.slice(0, start) + inserted + text.slice(start + length);
        answer = engine(text, 'the last');
      }
      expect(answer).toBe(saidByFresh(text));
    }),
    { numRuns: 4 },
  );
});

test('the text that is edited runs, so that edits change figures', () => {
  const { findings, pipelines } = analyse(textOf(first));
  expect(findings.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([]);
  expect(pipelines.map(({ run }) => run?.program.order.length)).toEqual([768, 768]);
});
