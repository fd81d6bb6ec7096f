import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { scheduleTexts } from '../../../engine/std/scheduleTexts.ts';
import { findPolicy } from '../../../engine/policies/registry.ts';
import { format, parse } from '../../../grammar/index.ts';
import { resolveText } from '../../support/resolve.ts';
import { scheduleTextsModule } from '../../../scripts/scheduleTexts.ts';

it('bundles carry the files of engine/std/schedules (if not: npx node scripts/scheduleTexts.ts)', () => {
  const carried = readFileSync(new URL('../../../engine/std/scheduleTexts.ts', import.meta.url), 'utf8');
  expect(carried).toBe(scheduleTextsModule());
});

describe.each([...scheduleTexts])('std:schedules/%s', (name, text) => {
  test('declares the schedule of a policy, documented with its source, formatted, without a finding', () => {
    expect(findPolicy(name)).toBeDefined();
    const tree = parse(text);
    const [declared, ...more] = tree.declarations;
    expect(more).toEqual([]);
    expect(declared).toMatchObject({ kind: 'block', keyword: { text: 'schedule' }, name: { text: name } });
    expect(declared.kind === 'block' ? declared.doc : '').toMatch(/Sources?: \S/);
    expect(format(tree)).toMatchObject({ text });
    expect(resolveText(text).findings).toEqual([]);
  });
});
