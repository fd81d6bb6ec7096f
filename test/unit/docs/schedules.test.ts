import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { policies } from '../../../engine/schedule/registry.ts';
import { drawing, runUnder } from './drawings.ts';
import { blocks, docs, textOf } from './pages.ts';

const page = 'docs/schedules.md';

// `UPDATE_DRAWINGS=1 vitest run test/unit/docs` draws them anew.
if (process.env['UPDATE_DRAWINGS'] === '1') {
  const drawn = policies.reduce(
    (text, { name }) =>
      text.replace(
        new RegExp(`^\`\`\`text drawing ${name}\n[^]*?^\`\`\`$`, 'm'),
        () => `\`\`\`text drawing ${name}\n${drawing(name)}\`\`\``,
      ),
    textOf(page),
  );
  writeFileSync(join(docs, 'schedules.md'), drawn);
}

describe.each(policies.map(({ name }) => name))('%s', (policy) => {
  test('the drawing on its page is the one that the engine makes', () => {
    expect(blocks(textOf(page), `text drawing ${policy}`)).toEqual([drawing(policy)]);
  });

  test('the figures on its page are those of the engine', () => {
    const row = new RegExp(
      `^\\| \\[\`${policy}\`\\]\\(#${policy}\\) \\| (.+) \\| (.+) \\| (.+) \\| (.+) \\|$`,
      'm',
    ).exec(textOf(page));
    const [end, idle, span] = (row ?? []).slice(1, 4).map(Number);
    const { report } = runUnder(policy);
    const ms = 1e-3;
    expect(report.iteration / ms).toBeCloseTo(end, 9);
    for (const device of report.devices) expect(device.idle / ms).toBeCloseTo(idle, 9);
    const longest = report.devices.reduce((most, one) => (one.span > most.span ? one : most));
    expect((longest.span - longest.busy) / ms).toBeCloseTo(span, 9);
    expect(report.devices.map((device) => device.in_flight).join(', ')).toBe(row?.[4]);
  });
});
