import { describe, expect, test } from 'vitest';
import { edited, good } from '../../support/goodFile.ts';
import { checkFindings } from '../../support/expected.ts';
import { planOf } from '../../support/resolve.ts';

describe('planOf', () => {
  test('takes a text or the name of an example', () => {
    expect(planOf(good)).toMatchObject({ name: 'train', microbatches: 8 });
    expect(planOf(good, { overrides: { m: 12 } }).microbatches).toBe(12);
    expect(planOf('systems/dapple.pipe').model).not.toBe('');
  });
  test('says what is wrong where there is no plan', () => {
    expect(() => planOf(edited('1f1b', '1f1c'))).toThrow('Unknown policy "1f1c"');
    // The first pipeline has a plan, and the file an error.
    expect(() => planOf(`${good}let bad = 1 + 1ms\n`)).toThrow('There is no plan.');
    expect(() => planOf('')).toThrow('There is no plan.');
  });
});

describe('checkFindings', () => {
  const wrong = edited('devices = box', 'devices = ⟦name/unknown:bx⟧').replace(
    'cluster box',
    'cluster ⟦name/unused:box⟧',
  );
  test('accepts the marked findings, with parts of their messages', () => {
    const { findings } = checkFindings(wrong, ['', 'Did you mean "box"?']);
    expect(findings).toHaveLength(2);
    checkFindings(wrong.replace('name/unused', 'hint name/unused').replace('name/unknown', 'error name/unknown'));
  });
  test.each([
    ['a finding without a mark', wrong.replace('⟦name/unused:box⟧', 'box')],
    ['a mark without a finding', wrong.replace('model = toy', 'model = ⟦name/unknown:toy⟧')],
    ['another place', wrong.replace('cluster ⟦name/unused:box⟧', '⟦name/unused:cluster box⟧')],
    ['another code', wrong.replace('name/unused', 'name/duplicate')],
    ['another severity', wrong.replace('name/unused', 'error name/unused')],
  ])('refuses %s', (_, source) => {
    expect(() => checkFindings(source)).toThrow();
  });
  test('refuses another message', () => {
    expect(() => checkFindings(wrong, ['', 'Did you mean "toy"?'])).toThrow();
  });
  test('reads the other files of the text', () => {
    checkFindings('import ⟦error name/duplicate:"a.pipe"⟧\nlet x = 1\n//- /a.pipe\nlet x = 2\n');
  });
});
