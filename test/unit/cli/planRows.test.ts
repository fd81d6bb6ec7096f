/** Rows of a search on disk: what a kill leaves is found again, and parts that share a folder are one run. */
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PlanAnswer } from '../../../engine/sweep/answer.ts';
import * as fc from '../../support/property.ts';
import { shaped } from '../sweep/sweepCase.ts';
import { call, type Called } from './harness.ts';

const over = 'tensor = [1, 2], pipeline = [2, 4, 8], recompute = [none, full], schedule = [1f1b, gpipe]';
const rows = 24;
const files = { 'a.pipe': shaped };
const asked = ['plan', 'a.pipe', '--pipeline', 'train', '--threads', '1'];
const plan = (...args: readonly string[]): Promise<Called> =>
  call([...asked, ...(args.includes('--over') ? [] : ['--over', over]), ...args], { files });
const answerOf = ({ out }: Called): PlanAnswer => JSON.parse(out) as PlanAnswer;
const frontOf = ({ points }: PlanAnswer) => points.filter(({ front }) => front);
const decidedOf = ({ simulated, over: full, dropped, refused }: PlanAnswer): number =>
  refused.reduce((sum, each) => sum + each.rows, simulated + full + dropped);

let folder = '';
let whole: PlanAnswer;
beforeAll(async () => {
  whole = answerOf(await plan('--format', 'json'));
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pipewright-rows-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const only = (): string => join(folder, 'part-1-of-1.rows');
const merge = (...args: readonly string[]): Promise<Called> => call(['plan', '--merge', folder, ...args]);

/** Equal in all that does not depend on which rows were dropped. */
function expectWhole(answer: PlanAnswer): void {
  // To the byte.
  expect(JSON.stringify(frontOf(answer))).toBe(JSON.stringify(frontOf(whole)));
  const { best, certificate, written, unsearched } = whole;
  expect(answer).toMatchObject({ best, certificate, written, unsearched, rows });
  expect(decidedOf(answer)).toBe(rows);
}

describe('rows on disk', () => {
  test('give the answer of a search without them', async () => {
    const kept = await plan('--rows', folder, '--format', 'json');
    expect(kept).toMatchObject({ status: 0, err: '' });
    const { points: _, ...answer } = answerOf(kept);
    const { points: __, ...other } = whole;
    expect(answer).toEqual(other);
    expectWhole(answerOf(kept));
    // Rows are on disk: the answer has those of the front.
    const lines = readFileSync(only(), 'utf8').trimEnd().split('\n').slice(1);
    const ran = lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ kind }) => kind === 'ran');
    expect(ran).toHaveLength(whole.simulated);
    const merged = await merge('--format', 'json');
    expect(merged).toMatchObject({ status: 0, err: '' });
    expectWhole(answerOf(merged));
    expect((await merge()).out).toContain(
      `Row ${whole.best} is the best: write it with the options of a part, and --write ${whole.best}`,
    );
  });

  test('whatever byte a kill ends at, a run goes on from the last whole line', async () => {
    await plan('--rows', folder);
    const text = readFileSync(only());
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length), async (length) => {
        writeFileSync(only(), text.subarray(0, length));
        const found = await call(['plan', '--merge', folder, '--format', 'json']);
        const kept = text.subarray(0, length).toString('latin1').lastIndexOf('\n') + 1;
        if (kept === 0) expect(found.err).toContain('The parts have no rows yet.');
        else if (answerOf(found).unsearched > 0) {
          // What is there says what is missing, and nothing of the rows that are not.
          expect(found.status).toBe(1);
          expect(answerOf(found)).toMatchObject({ missing: { absent: [], unfinished: [1], of: 1 } });
          expect(answerOf(found).certificate).not.toContain('No other');
          expect(answerOf(found).unsearched + decidedOf(answerOf(found))).toBe(rows);
        }
        const resumed = await plan('--rows', folder, '--resume', '--format', 'json');
        expect(resumed).toMatchObject({ status: 0, err: '' });
        expectWhole(answerOf(resumed));
        const after = readFileSync(only());
        // Whole lines stay, and every row has one line.
        expect(after.subarray(0, kept).equals(text.subarray(0, kept))).toBe(true);
        const decided = after.toString().trimEnd().split('\n').slice(1);
        const numbers = decided.flatMap((line) => (JSON.parse(line) as { row?: number }).row ?? []);
        expect(new Set(numbers).size).toBe(numbers.length);
        expectWhole(answerOf(await merge('--format', 'json')));
      }),
      { numRuns: 4 },
    );
  });

  test('a search that is stopped says so, and its rows are found again', async () => {
    const slow = (...args: readonly string[]) =>
      call([...asked, '--over', over, '--rows', folder, '--format', 'json', ...args], { files, slow: 1_000 });
    const stopped = await slow('--time', '10s');
    const { unsearched } = answerOf(stopped);
    expect(unsearched).toBeGreaterThan(0);
    expect(unsearched).toBeLessThan(rows);
    expect(stopped.status).toBe(1);
    expect(stopped.err).toContain(`${unsearched} rows are not decided. Go on with the same call and --resume.`);
    const again = await slow();
    expect(again).toMatchObject({ status: 2, out: '' });
    expect(again.err).toContain(
      'part-1-of-1.rows has rows of an earlier run. Add --resume to go on with them, or delete the file.',
    );
    // What the earlier run planned bounds the rows that are left, without another look at any.
    const before = readFileSync(only(), 'utf8');
    const bounded = answerOf(await slow('--resume', '--time', '1ms'));
    expect(readFileSync(only(), 'utf8')).toBe(before);
    expect(bounded).toMatchObject({ unsearched, unsearched_least: answerOf(stopped).unsearched_least });
    expect(bounded.unsearched_least).toBeGreaterThan(0);
    expectWhole(answerOf(await plan('--rows', folder, '--resume', '--format', 'json')));
  });

  test('a row that two runs have decided counts once', async () => {
    await plan('--rows', folder);
    const [head, ...lines] = readFileSync(only(), 'utf8').trimEnd().split('\n');
    writeFileSync(only(), `${[head, ...lines, ...lines].join('\n')}\n`);
    expectWhole(answerOf(await merge('--format', 'json')));
    expect(answerOf(await merge('--format', 'json')).simulated).toBe(whole.simulated);
  });

  test('--resume with nothing to resume begins, and needs a folder', async () => {
    expectWhole(answerOf(await plan('--rows', join(folder, 'new'), '--resume', '--format', 'json')));
    expect((await plan('--resume')).err).toContain('--resume goes on with the rows of a folder: name it with --rows.');
    for (const option of [['--resume'], ['--rows', 'x']])
      expect((await merge(...option)).err).toContain(`${option[0]} has no effect with --merge`);
  });

  test('a space that was chosen says what it leaves out, and the margin, also from its rows', async () => {
    const text = `model timed { layer block[4] { forward = 4ms  backward = 8ms  weights = 1GiB  activation = 1MiB } }
device card { memory = 16GiB }
cluster box { gpu[2] = card  link = 25GB/s + 5us }
pipeline train { model = timed  devices = box  microbatches = 4  stages = balance(2)  schedule = 1f1b }
`;
    const chosen = ['plan', 'a.pipe', '--threads', '1', '--format', 'json'];
    const own = answerOf(await call(chosen, { files: { 'a.pipe': text } }));
    expect(own.left_out?.length).toBeGreaterThan(0);
    await call([...chosen, '--rows', folder], { files: { 'a.pipe': text } });
    const { left_out: leftOut, margin } = own;
    expect(answerOf(await merge('--format', 'json'))).toMatchObject({ left_out: leftOut, margin });
    expect((await merge('--details')).out).toContain('Left out:');
  });

  test('rows of another search are not gone on with, and not put beside', async () => {
    await plan('--rows', folder, '--shard', '1/2');
    const before = readFileSync(join(folder, 'part-1-of-2.rows'), 'utf8');
    const changed = { files: { 'a.pipe': shaped.replace('10us', '11us') } };
    const own = ['--over', over, '--rows', folder, '--resume'];
    for (const part of ['1/2', '2/2'])
      expect((await call([...asked, ...own, '--shard', part], changed)).err).toContain(
        'part-1-of-2.rows has rows of another search: the file was changed in between. Run all parts again. Delete the folder, or name another one with --rows.',
      );
    const cases: readonly (readonly [readonly string[], string])[] = [
      [['--over', 'tensor = [1, 2]'], 'they search different keys or values.'],
      [['--limit', 'mfu > 1%'], 'they have different limits.'],
      [['--minimise', 'peak_memory'], 'they minimise different figures.'],
      [['--engine', 'megatron'], 'they are for different engines.'],
    ];
    for (const [args, why] of cases) {
      const refused = await plan(...args, '--rows', folder, '--resume', '--shard', '1/2');
      expect(refused).toMatchObject({ status: 2, out: '' });
      expect(refused.err).toContain(`has rows of another search: ${why}`);
    }
    expect((await plan('--rows', folder, '--shard', '1/3')).err).toContain('they are of different numbers of parts.');
    expect(readFileSync(join(folder, 'part-1-of-2.rows'), 'utf8')).toBe(before);
  });

  describe('of a file that imports its model', () => {
    const card = shaped.slice(0, shaped.indexOf('\n'));
    const importing = `import { card } from "./card.pipe"\n${shaped.slice(card.length)}`;
    const run = (changes: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Called> =>
      call([...asked, '--over', over, '--rows', folder, ...args], {
        files: { 'a.pipe': importing, 'card.pipe': card, ...changes },
      });
    const noted = (text: string): string =>
      `// Looked at.\n${text.replaceAll('  ', ' ').replace(';', '')}\n\n// The end.\n`;

    test('comments and layout may change between parts', async () => {
      await run({}, '--shard', '1/2');
      const changes = { 'a.pipe': noted(importing), 'card.pipe': noted(card) };
      expect(await run(changes, '--resume', '--shard', '1/2')).toMatchObject({ status: 0, err: '' });
      expect(await run(changes, '--shard', '2/2')).toMatchObject({ status: 0, err: '' });
      expectWhole(answerOf(await merge('--format', 'json')));
    });

    test.each([
      [{ 'a.pipe': importing.replace('10us', '11us') }, 'the file was changed in between'],
      [{ 'card.pipe': card.replace('1TB/s', '2TB/s') }, 'card.pipe, which the file reads, was changed in between'],
    ])('a figure may not: %s', async (changes, why) => {
      await run({}, '--shard', '1/2');
      for (const args of [
        ['--resume', '--shard', '1/2'],
        ['--shard', '2/2'],
      ]) {
        const refused = await run(changes, ...args);
        expect(refused).toMatchObject({ status: 2, out: '' });
        expect(refused.err).toContain(why);
      }
    });
  });

  test('a folder is made in a folder that is there', async () => {
    const outer = join(folder, 'none');
    expect((await plan('--rows', join(outer, 'rows'))).err).toContain(
      `The folder ${join(outer, 'rows')} cannot be made: there is no folder ${outer} to make it in.`,
    );
    expect((await plan('--rows', '/proc/rows')).err).toContain('The folder /proc/rows cannot be made: ');
    await plan('--rows', folder);
    expect((await plan('--rows', join(only(), 'rows'))).err).toContain('cannot be made: there is no folder');
  });

  test('a file that is damaged, or is no file of rows, is refused and stays', async () => {
    await plan('--rows', folder);
    const lines = readFileSync(only(), 'utf8').split('\n');
    for (const [text, problem] of [
      [lines.toSpliced(3, 1, lines[3].slice(0, 20)).join('\n'), 'line 4 is not what this program writes'],
      [lines.toSpliced(2, 0, '{"kind":"dropped","row":24}').join('\n'), 'line 3 is not what this program writes'],
      ['{"version":1}\n', 'does not have rows of a search. Delete it, or name another folder with --rows.'],
      ['notes', 'does not have rows of a search. Delete it, or name another folder with --rows.'],
    ] as const) {
      writeFileSync(only(), text);
      const refused = await plan('--rows', folder, '--resume');
      expect(refused).toMatchObject({ status: 2, out: '' });
      expect(refused.err).toContain(problem);
      expect(readFileSync(only(), 'utf8')).toBe(text);
      expect((await merge()).status).toBe(2);
    }
  });
});

describe('parts', () => {
  const parts = Array.from({ length: 8 }, (_, at) => `${at + 1}/8`);

  test('of one folder share what they find, and are one run', async () => {
    const dropped = { alone: 0, shared: 0 };
    for (const part of parts) {
      const alone = await plan('--shard', part, '--format', 'json', '--rows', join(folder, part.replace('/', '-')));
      dropped.alone += answerOf(alone).dropped;
      const shared = await plan('--shard', part, '--format', 'json', '--rows', join(folder, 'all'));
      expect(shared).toMatchObject({ status: 0, err: '' });
      dropped.shared += answerOf(shared).dropped;
      // A row of another part may be better than the best of this one.
      expect(answerOf(shared).certificate).toBe(
        'All 3 rows of this part are decided. Other parts may have better ones: merge the parts to see the front.',
      );
    }
    expect(dropped.shared).toBeGreaterThan(dropped.alone);
    const folders = parts.map((part) => join(folder, part.replace('/', '-')));
    const merged = await call(['plan', '--merge', ...folders, '--format', 'json']);
    expectWhole(answerOf(merged));
    expect(answerOf(merged).dropped).toBe(dropped.alone);
    const shared = answerOf(await call(['plan', '--merge', join(folder, 'all'), '--format', 'json']));
    expectWhole(shared);
    expect(shared.dropped).toBe(dropped.shared);
  });

  test('of one folder at the same time are one run', async () => {
    await Promise.all(parts.map((part) => plan('--shard', part, '--rows', folder)));
    expectWhole(answerOf(await merge('--format', 'json')));
  });

  test('figures of another search, and anything else in the folder, cut nothing', async () => {
    await plan('--shard', '1/8', '--rows', folder);
    const front = join(folder, 'part-1-of-8.front');
    const { search } = JSON.parse(readFileSync(front, 'utf8')) as { search: string };
    // What would cut every row is of another search.
    for (const text of [
      JSON.stringify({ search: 'other', front: [[1e-9, 1]] }),
      JSON.stringify({ search, front: 'all' }),
      JSON.stringify({ search, front: [['fast', 1]] }),
      '{',
      'null',
    ]) {
      writeFileSync(front, text);
      const { dropped } = answerOf(await plan('--shard', '2/8', '--rows', folder, '--format', 'json'));
      const alone = answerOf(await plan('--shard', '2/8', '--format', 'json'));
      expect(dropped).toBe(alone.dropped);
      rmSync(join(folder, 'part-2-of-8.rows'));
    }
    writeFileSync(front, JSON.stringify({ search, front: [[1e-9, 1]] }));
    expect(answerOf(await plan('--shard', '2/8', '--rows', folder, '--format', 'json')).simulated).toBe(0);
  });

  test('are merged while some are missing or not finished, with JSON among them', async () => {
    await plan('--shard', '1/4', '--rows', folder);
    await plan('--shard', '2/4', '--rows', folder);
    const second = join(folder, 'part-2-of-4.rows');
    const lines = readFileSync(second, 'utf8').split('\n');
    truncateSync(second, Buffer.byteLength(lines.slice(0, -2).join('\n')) + 5);
    const third = (await plan('--shard', '3/4', '--format', 'json')).out;
    const mixed = (...args: readonly string[]) =>
      call(['plan', '--merge', folder, '3.json', ...args], { files: { '3.json': third } });
    const { status, out } = await mixed();
    expect(status).toBe(1);
    expect(out).toContain(
      'Part 4 of 4 is missing. Run it with --shard 4/4.\nPart 2 of 4 is not finished. Run it again with --resume.\n',
    );
    expect(out).not.toContain('No other');
    const answer = answerOf(await mixed('--format', 'json'));
    expect(answer).toMatchObject({ missing: { absent: [4], unfinished: [2], of: 4 }, unsearched: 6 + 1, rows });
    await plan('--shard', '2/4', '--rows', folder, '--resume');
    await plan('--shard', '4/4', '--rows', folder);
    const full = await mixed('--format', 'json');
    expect(full.status).toBe(0);
    expectWhole(answerOf(full));
    expect(answerOf(full).missing).toBeUndefined();
    expect((await call(['plan', '--merge', folder, second])).err).toContain('Part 2/4 is given twice.');
  });
});
