/** All findings of a code fixed at once: what is left out, and when nothing is offered. */
import { expect, test } from 'vitest';
import { fixAllSteps } from '../../../engine/fixes/all.ts';
import type { Code } from '../../../engine/findings/catalogue.ts';
import { fixesFor } from '../../../engine/fixes/fix.ts';
import { apply } from '../../../engine/fixes/proposal.ts';
import { toEnd } from '../../../engine/basics/steps.ts';
import { analyse, codesOf, checkedAfter } from '../../support/analyse.ts';
import { edited, good } from '../../support/goodFile.ts';

/** The title and the text after all fixes; undefined where nothing is offered. */
function allFixed(text: string, codes: readonly Code[]): readonly [string, string] | undefined {
  const found = toEnd(fixAllSteps(analyse(text), { codes, title: (count) => `Fix ${count}` }, analyse));
  return found === undefined ? undefined : [found.title, apply(text, found.edits)];
}
const replaced = (...changes: readonly (readonly [string, string])[]): string =>
  changes.reduce((text, [part, by]) => edited(part, by, text), good);
const units = (count: number): string =>
  Array.from({ length: count }, (_, index) => `let size${index} = 1Gib\n`).join('');

test('fifty findings are fixed at once, more are not', () => {
  expect(allFixed(units(50), ['syntax/unit'])).toEqual(['Fix 50', units(50).replaceAll('Gib', 'GiB')]);
  expect(allFixed(units(51), ['syntax/unit'])).toBeUndefined();
});

test('fixes that are right alone and wrong with each other are not offered', () => {
  const text = replaced(['microbatches = 2', 'microbatchs = 4  microbatchess = 2']);
  expect(codesOf(analyse(text)).filter((code) => code === 'key/unknown')).toHaveLength(2);
  expect(allFixed(text, ['key/unknown'])).toBeUndefined();
});

test('nothing is offered where a finding of the codes shows up instead', () => {
  const stage = 'stage a { layers = blok[0..7]  on = gpu[0] }';
  const text = replaced(['= toy', '= toi'], ['= 1f1b', '= 1f1bb'], ['stages = balance(4)', stage]);
  expect(codesOf(analyse(text)).filter((code) => code === 'name/unknown')).toHaveLength(2);
  expect(allFixed(text, ['name/unknown'])).toBeUndefined();
});

/** One stage on one device that runs its microbatches in turn. The row writes operations as `operation` does. */
const inTurn = (microbatches: number, operation: (kind: string, microbatch: number) => string): string => {
  const row = Array.from({ length: microbatches }, (_, j) => `${operation('F', j)}, ${operation('B', j)}`).join(', ');
  return `device small { memory = 16GiB }
cluster box { gpu[1] = small  link = 25GB/s + 5us }
model toy { layer block { forward = 4ms  backward = 8ms } }
schedule by_hand { row(0) = ${row} }
pipeline train { model = toy  devices = box  stages = balance(1)  microbatches = ${microbatches}  schedule = by_hand }
`;
};
const bare = (kind: string, microbatch: number): string => kind + String(microbatch);
const bracketed = (kind: string, microbatch: number): string => `${kind}[${microbatch}]`;

test('operations without brackets get them at once', () => {
  const [title, text] = allFixed(inTurn(12, bare), ['name/unknown']) ?? [];
  expect(title).toMatch(/^Fix 24: runs, iteration 144 ms/);
  expect(text).toBe(inTurn(12, bracketed));
});

test('more operations without brackets than fixes of a code are still one change', () => {
  const analysis = analyse(inTurn(40, bare));
  const [finding] = analysis.findings.filter(({ code }) => code === 'name/unknown');
  const [single, all, ...others] = fixesFor(analysis, finding, checkedAfter(analysis));
  expect(single.title).toBe('Change to "F[0]"');
  expect(all.title).toMatch(/^Change all 80 operations that are written without brackets: runs, iteration 480 ms/);
  expect(apply(analysis.syntax.text, all.edits)).toBe(inTurn(40, bracketed));
  expect(others).toEqual([]);
  // Fifty are the fix of all findings of their code: one entry of the list is enough.
  const fewer = analyse(inTurn(25, bare));
  expect(fixesFor(fewer, fewer.findings[0], checkedAfter(fewer)).map((fix) => fix.title)).toEqual(['Change to "F[0]"']);
});
