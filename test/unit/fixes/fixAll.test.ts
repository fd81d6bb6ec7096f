/** All findings of a code fixed at once: what is left out, and when nothing is offered. */
import { expect, test } from 'vitest';
import { fixAllSteps } from '../../../engine/fixes/all.ts';
import type { Code } from '../../../engine/findings/catalogue.ts';
import { apply } from '../../../engine/fixes/fix.ts';
import { toEnd } from '../../../engine/steps.ts';
import { analyse, codesOf } from '../../support/analyse.ts';
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
