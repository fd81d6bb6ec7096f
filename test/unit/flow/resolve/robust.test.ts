import * as fc from '../../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { parse } from '../../../../grammar/parse.ts';
import { edited, good } from '../../../support/goodFile.ts';
import { resolveText } from '../../../support/resolve.ts';

const rich = `${good}import { h100 } from "std:hardware"
cluster pod { node[2] { gpu[2] = h100  link = half(100GB/s + 1us) }  link = shared(10GB/s)  link gpu[0] -- node[1] = 5GB/s }
model gpt { sequence = 64  layer e = embedding(vocab = 100, hidden = 64)  layer b[4] = transformer(hidden = 64, heads = 4) }
schedule rows { row(d) = zip(F[0..<microbatches], fused(B[0..<microbatches], B[0..<microbatches]))  row(0) = repeat(2, F[0, stage = 0]) }
schedule rule { placement = [[0], [1]]  backward = split  order = greedy(prefer = [I, F, W])  in_flight(s) = stages - s }
pipeline second {
  model = gpt  devices = pod  microbatches = m  schedule = rule  recompute = selective  optimizer = adam(step = 1ms)
  stage first { layers = e, b[0..1]  on = gpu[0] }
  stage last { layers = b[2..3]  on = gpu[3]  recompute = full }
}
pipeline third { model = gpt  devices = pod  microbatches = max(m, 2)  schedule = rows  stages = split(3, 2)  tensor = 2  optimizer = adam }
expect second { iteration < 4.2s  peak_memory(stage = first) < 70GiB }
`;

test('the rich file plans all of its pipelines', () => {
  const { plan, findings } = resolveText(rich);
  expect(findings.map((finding) => finding.message)).toEqual([]);
  expect(plan.pipelines.map((pipeline) => pipeline.name)).toEqual(['train', 'second', 'third']);
});

function whole(text: string): void {
  const { findings, plan, symbols, derived } = resolveText(text);
  for (const { place } of findings) {
    expect(place.start).toBeGreaterThanOrEqual(0);
    expect(place.end).toBeGreaterThanOrEqual(place.start);
    expect(place.end).toBeLessThanOrEqual(text.length);
  }
  for (const { place, symbol } of symbols.references) {
    expect(symbols.symbols.has(symbol)).toBe(true);
    expect(place.end).toBeLessThanOrEqual(text.length);
  }
  for (const { offset } of derived) expect(offset).toBeLessThanOrEqual(text.length);
  for (const pipeline of plan.pipelines) {
    const figures = pipeline.stages.flatMap((stage) => [
      stage.forward,
      stage.backwardInput,
      stage.backwardWeight,
      stage.weights,
      stage.activation,
      stage.optimizer,
    ]);
    expect(figures.every((figure) => Number.isFinite(figure) && figure >= 0)).toBe(true);
    expect(pipeline.placement.every((value) => value >= 0 && value < pipeline.devices.length)).toBe(true);
  }
}

describe('any text', () => {
  test('gives a resolution', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), whole), { numRuns: 200 });
  });
  test('of the language’s own tokens', () => {
    const token = fc.constantFrom(...new Set(parse(rich).tokens.map((each) => each.text)));
    fc.assert(
      fc.property(
        fc.array(token, { maxLength: 80 }).map((all) => all.join(' ')),
        whole,
      ),
      { numRuns: 150 },
    );
  });
  test('with tokens of a good file left out, doubled or swapped', () => {
    const { tokens } = parse(rich);
    const edit = fc.record({
      at: fc.nat(tokens.length - 1),
      by: fc.constantFrom('drop', 'double', 'swap'),
      other: fc.nat(tokens.length - 1),
    });
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
        const texts: string[] = tokens.map((token) => token.text);
        for (const { at, by, other } of edits) {
          if (by === 'drop') texts[at] = '';
          else if (by === 'double') texts[at] = `${texts[at]} ${texts[at]}`;
          else [texts[at], texts[other]] = [texts[other], texts[at]];
        }
        whole(texts.join(' '));
      }),
      { numRuns: 60 },
    );
  });
  test('with a single token left out: an error, or still a whole plan', () => {
    const { tokens } = parse(rich);
    // The same token between the same two is missed in the same way.
    const seen = new Set<string>();
    const different = tokens.filter((_, at) => {
      const three = tokens.slice(Math.max(0, at - 1), at + 2).map(({ text }) => text);
      return seen.size < seen.add(three.join(' ')).size;
    });
    // A third of them, drawn anew in each run.
    fc.assert(
      fc.property(fc.constantFrom(...different), ({ start, end }) => {
        whole(rich.slice(0, start) + rich.slice(end));
      }),
      { numRuns: Math.ceil(different.length / 3) },
    );
  });
});

test('white space and comments leave the plan equal', () => {
  const { tokens } = parse(rich);
  const gap = fc.constantFrom(' ', '\n', '\t\n  ', ' /* a note */ ', ' // a note\n');
  const before = resolveText(rich.replaceAll('///', '//')).plan;
  fc.assert(
    fc.property(fc.array(gap, { minLength: tokens.length, maxLength: tokens.length }), (gaps) => {
      expect(resolveText(tokens.map((token, index) => token.text + gaps[index]).join('')).plan).toEqual(before);
    }),
    { numRuns: 20, endOnFailure: true },
  );
});

test('numbers that are far too large end at once', () => {
  for (const size of ['1e9', '1e15', '1e300']) {
    whole(edited('block[8]', `block[${size}]`));
    whole(edited('gpu[4]', `gpu[${size}]`));
    whole(edited('balance(4)', `balance(${size})`));
    whole(edited('2 * half', size));
    whole(edited('stages = balance(4)', `stage a { layers = block[0..${size}] }`));
    whole(`${edited('1f1b', 'mine')}schedule mine { row(d) = repeat(${size}, repeat(${size}, F[0..${size}])) }`);
    whole(`${edited('1f1b', 'mine')}schedule mine { placement = [[0..${size}]]  order = greedy(prefer = [B, F]) }`);
  }
});
