/** Files that the search writes: their own check finds no key without effect. */
import { describe, expect, test } from 'vitest';
import { check } from '../../../engine/flow/check.ts';
import { rowCount, settingsOf } from '../../../engine/sweep/axes.ts';
import { placeRow } from '../../../engine/sweep/placeRow.ts';
import { rowFile, rowText } from '../../../engine/sweep/rowText.ts';
import { shaped, sweepCase } from './sweepCase.ts';

const cases = {
  'a shard that the file has, and rows with one data rank': {
    text: shaped.replace('optimizer    = adam_mixed', 'optimizer    = adamw(shard = fsdp, clip = true)'),
    over: 'pipeline = [2, 4, 8], sync = [end, overlap]',
  },
  'only a shard': {
    text: shaped.replace('optimizer    = adam_mixed', 'optimizer    = adamw(shard = fsdp)'),
    over: 'pipeline = [4, 8]',
  },
} as const;

describe.each(Object.entries(cases))('%s', (_, { text, over }) => {
  const { base, axes } = sweepCase(over, { text });
  const findings = (written: string) => {
    const { host, options, uri } = base.file;
    const { findings: found, pipelines } = check({ uri, text: written, host, options, only: base.pipeline });
    return {
      idle: found.filter(({ code }) => code === 'key/not-applicable').map(({ message }) => message),
      errors: found.filter(({ code }) => /^(syntax|key|value|type|name)/u.test(code)).length,
      iteration: pipelines[0]?.run?.report.iteration,
    };
  };
  const rows = Array.from({ length: rowCount(axes) }, (__, row) => row).flatMap((row) => {
    const placed = placeRow(base, axes, settingsOf(axes, row));
    if ('refused' in placed) return [];
    const [before, after] = [rowText(base, placed), rowFile(base, placed)];
    return 'refused' in before || 'refused' in after ? [] : [{ before: before.text, after: after.text }];
  });

  test('some rows would have one, and none is left, at the same figures', () => {
    expect(rows.some(({ before }) => findings(before).idle.length > 0)).toBe(true);
    for (const { before, after } of rows) {
      const { idle, errors, iteration } = findings(after);
      expect([idle, errors]).toEqual([[], 0]);
      expect(iteration).toBeDefined();
      expect(iteration).toBe(findings(before).iteration);
    }
  });

  test('comments and all that has an effect stay', () => {
    for (const { before, after } of rows) {
      expect(after).toContain('// a comment stays');
      if (findings(before).idle.length === 0) expect(after).toBe(before);
    }
  });
});
