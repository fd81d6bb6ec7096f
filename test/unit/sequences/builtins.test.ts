/** The schedules of `examples/schedules` are the built-in ones: by their text, or operation by operation on every shape. */
import { describe, expect, it } from 'vitest';
import { scheduleTexts } from '../../../engine/std/scheduleTexts.ts';
import { parse } from '../../../grammar/index.ts';
import { exampleText } from '../../support/example.ts';
import { declaredIn, differences } from './sameOrder.ts';

/** The first schedule of a text: its name, and what is between its braces. */
function scheduleOf(text: string): { readonly name: string; readonly body: string; readonly whole: string } {
  const found = parse(text).declarations.find(
    (declaration) => declaration.kind === 'block' && declaration.keyword.text === 'schedule',
  );
  if (found?.kind !== 'block' || found.body === undefined) throw new Error('there is no schedule');
  const whole = text.slice(found.start, found.end);
  return { name: found.name?.text ?? '', body: text.slice(found.body.start, found.body.end), whole };
}

describe('an example of a schedule', () => {
  it.each([
    ['interleaved', 'interleaved_1f1b'],
    ['breadth-first', 'breadth_first'],
    ['seq1f1b', 'seq1f1b'],
    ['dualpipe-v', 'dualpipe_v'],
    ['v-half', 'v_half'],
    ['v-min', 'v_min'],
  ])('%s has the text of %s', (example, policy) => {
    expect(scheduleOf(exampleText(`schedules/${example}.pipe`)).body).toBe(
      scheduleOf(scheduleTexts.get(policy) ?? '').body,
    );
  });
  // Nearest values are looked for at each refusal, which takes most of the time: two odd numbers of devices are enough.
  const devices = [1, 3, 2, 4, 6, 8, 12];
  it.each(['chimera', 'chimera-slots'])('%s gives the order of chimera', (example) => {
    const { name, whole } = scheduleOf(exampleText(`schedules/${example}.pipe`));
    expect(differences(declaredIn(whole, name), 'chimera', { devices })).toEqual([]);
  });
});
