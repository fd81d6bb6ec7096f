/** `plan --write` takes the name of a row as the table has it, and refuses a name that is of another row now. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { PlanAnswer, PlanPoint } from '../../../engine/sweep/answer.ts';
import { settingsText } from '../../../engine/sweep/axes.ts';
import { shaped } from '../sweep/sweepCase.ts';
import { call } from './harness.ts';

const early = 'tensor = [1, 2], pipeline = [2, 4], recompute = [none, full]';
const later = 'tensor = [2], pipeline = [2, 4], recompute = [none, full]';
const plan = (over: string, ...args: readonly string[]) =>
  call(['plan', 'a.pipe', '--pipeline', 'train', '--over', over, '--threads', '1', ...args], {
    files: { 'a.pipe': shaped },
  });

let points: readonly PlanPoint[];
let fewer: readonly PlanPoint[];
beforeAll(async () => {
  const pointsOf = async (over: string) =>
    (JSON.parse((await plan(over, '--format', 'json')).out) as PlanAnswer).points;
  [points, fewer] = [await pointsOf(early), await pointsOf(later)];
});

const point = (row: number): PlanPoint => points[points.findIndex((each) => each.row === row)];

describe('the name of a row', () => {
  test('is in the table, and --write takes it', async () => {
    const { out } = await plan(early);
    const name = /^ +(\d+:[\da-f]{6}) \* /mu.exec(out)?.[1] ?? '';
    const [row = '', fingerprint] = name.split(':');
    expect(fingerprint).toBe(point(Number(row)).fingerprint);
    const named = await plan(early, '--write', name);
    expect(named).toMatchObject({ status: 0, out: (await plan(early, '--write', row)).out });
    expect(named.err).toBe((await plan(early, '--write', row)).err);
    expect(named.err).toMatch(new RegExp(`Row ${name} has tensor \\d, `, 'u'));
    expect((await plan(early, '--write', name.toUpperCase())).out).toBe(named.out);
  });

  test('is refused where the number has other settings now, with the number that has them', async () => {
    // Row 4 of the first search has two tensor ranks: it is row 0 of the second one, whose row 3 has other settings.
    const { fingerprint, settings } = point(4);
    expect(fewer[0]).toMatchObject({ row: 0, fingerprint });
    const refused = await plan(later, '--write', `3:${fingerprint}`);
    expect(refused).toMatchObject({ status: 2, out: '' });
    expect(refused.err).toContain(
      `Row 3 has other settings than when 3:${fingerprint} was printed. It is 3:${fewer[3].fingerprint} now, with ${settingsText(fewer[3].settings)}. Row 0 has the fingerprint ${fingerprint}, with ${settingsText(settings)}. Write it with --write 0:${fingerprint}.`,
    );
    const written = await plan(later, '--write', `0:${fingerprint}`);
    expect(written).toMatchObject({ status: 0, out: (await plan(early, '--write', '4')).out });
  });

  test('is refused where no row has its settings, or no row its number', async () => {
    const { fingerprint } = point(0);
    const gone = await plan(later, '--write', `0:${fingerprint}`);
    expect(gone).toMatchObject({ status: 2, out: '' });
    expect(gone.err).toContain(
      `Row 0 has other settings than when 0:${fingerprint} was printed. It is 0:${fewer[0].fingerprint} now, with `,
    );
    expect(gone.err).toContain(
      `No row of this search has the fingerprint ${fingerprint}: search again with the file as it is.`,
    );
    const beyond = await plan(later, '--write', `7:${point(7).fingerprint}`);
    expect(beyond).toMatchObject({ status: 2, out: '' });
    expect(beyond.err).toContain(
      'The rows of this search are 0 to 3: none has the number 7. Row 3 has the fingerprint ',
    );
  });

  test.each(['7:', '7:12', ':123456', '7:12345g', '1.5', 'worst', '-1'])('is not "%s"', async (wanted) => {
    const { status, err } = await plan(early, `--write=${wanted}`);
    expect(status).toBe(2);
    expect(err).toContain(`It does not take "${wanted}".`);
  });
});
