/** Names of a schedule that already mean something there. */
import { describe, expect, it } from 'vitest';
import { functions } from '../../../engine/language/functions.ts';
import { reservedNames } from '../../../engine/language/reservedNames.ts';
import { analyse } from '../../support/analyse.ts';
import { checkFix, checkFindings } from '../../support/expected.ts';

const rows = 'row(d) = F[0..<microbatches], B[0..<microbatches]';
const messages = (text: string): readonly string[] =>
  analyse(text).findings.map(({ code, message }) => `${code}: ${message}`);

describe('a name of a schedule', () => {
  it.each([
    ['param ⟦name/reserved:devices⟧ = 4', 'In a schedule, "devices" is a number of the pipeline.'],
    ['let ⟦name/reserved:F⟧ = 3', 'In a schedule, "F" is an operation. Choose another name for this let.'],
    ['let ⟦name/reserved:each⟧(n) = n', 'In a schedule, "each" is a function. Choose another name for this let.'],
    ['operation ⟦name/reserved:mod⟧ { time = 1ms }', 'Choose another name for this operation.'],
    ['let a(⟦name/reserved:stages⟧) = 2 * stages  require a(1) > 1', 'Choose another name for this parameter.'],
    ['row(0) = each(⟦name/reserved:B⟧ in 0..<3, F[B])', 'In a schedule, "B" is an operation.'],
  ])('may not hide what it means: %s', (entry, message) => {
    checkFindings(`schedule mine { ${entry}  ${rows} }`, [message]);
  });
  it('may not be a function of a key that the schedule writes, and otherwise may', () => {
    const held = (rest: string) => messages(`schedule mine { let held = 2  ${rest} }`);
    const rule = 'order = greedy(prefer = [B, F])  allow(F, s) = done(F) <= held';
    expect(held(rule)).toEqual([
      'name/reserved: In a schedule, "held" is a function. Choose another name for this let.',
    ]);
    expect(held('row(d) = F[0..<held], B[0..<held]')).toEqual([]);
    expect(messages(`schedule mine { let loop = 2  ${rows.replaceAll('microbatches', 'loop')} }`)).toEqual([]);
    expect(messages('schedule mine { let loop = 2  placement = loop(loop)  order = greedy(prefer = [B, F]) }')).toEqual(
      ['name/reserved: In a schedule, "loop" is a function. Choose another name for this let.'],
    );
  });
  it('is one mistake, and the schedule is not tested', () => {
    const text = `schedule s { param devices = 4  let f = F[0..<microbatches]
      row(d) = take(devices - d, f), zip(B[0..<microbatches], drop(devices - d, f)) }
    expect s { over(devices = 2..3, microbatches = 8)  valid  order == 1f1b }`;
    expect(messages(text)).toHaveLength(1);
    expect(analyse(text).tests).toEqual([]);
  });
  it('is renamed wherever it is meant', () => {
    const text = `schedule s { param ⟦devices→own_devices⟧ = 4  let last = ⟦devices→own_devices⟧ - 1  ${rows}, F[last] }`;
    expect(checkFix(text.replace('⟦devices→', '⟦name/reserved:devices→')).title).toContain('Rename to "own_devices"');
  });
  it('may be that of the file, of another block, or of a function for other keys', () => {
    expect(messages(`let devices = 2  let mod = 3  let F = 1\nschedule s { ${rows} }`)).toEqual([]);
    expect(
      messages(
        `schedule s { param chunks = 2  let ring = chunks  let s(adam) = adam  ${rows.replaceAll('microbatches', 's(ring)')} }`,
      ),
    ).toEqual([]);
  });
});

describe('the table of reserved names', () => {
  it('has each name once, and every function that a schedule may call', () => {
    const names = reservedNames.map(({ name, only }) => `${only ?? ''} ${name}`);
    expect(new Set(names).size).toBe(names.length);
    const own = functions.filter(({ context }) =>
      ['value', 'operations', 'guard', 'cost', 'duration', 'order', 'placement'].includes(context),
    );
    const known = reservedNames.filter(({ is }) => is === 'function').map(({ name }) => name);
    expect(new Set(known)).toEqual(new Set(own.map(({ name }) => name)));
    expect(reservedNames.filter(({ is }) => is !== 'function').map(({ name }) => name)).toEqual([
      'stages',
      'devices',
      'microbatches',
      'iterations',
      'F',
      'B',
      'I',
      'W',
      'R',
      'U',
      'E',
      'L',
    ]);
  });
});
