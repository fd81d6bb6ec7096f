import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import * as fc from '../../support/property.ts';
import type { PlanAnswer } from '../../../engine/sweep/answer.ts';
import { shaped } from '../sweep/sweepCase.ts';
import { call, type Called, good } from './harness.ts';

const files = { 'a.pipe': shaped, 'good.pipe': good };
const over = 'tensor = [1, 2], pipeline = [2, 4], recompute = [none, full]';
const known = new Map<string, Promise<Called>>();
/** The same call has the same answer: several tests look at it. */
function plan(...args: readonly string[]): Promise<Called> {
  const key = args.join('\n');
  const found = known.get(key) ?? call(['plan', ...args, '--threads', '1'], { files });
  known.set(key, found);
  return found;
}
const train = (...args: readonly string[]): Promise<Called> =>
  plan('a.pipe', '--pipeline', 'train', '--over', over, ...args);
const answerOf = ({ out }: Called): PlanAnswer => JSON.parse(out) as PlanAnswer;

describe('plan', () => {
  test('shows the front, what the best row changes, and what became of the others', async () => {
    const { status, out, err } = await train();
    expect(err).toBe('');
    expect(status).toBe(0);
    expect(out).toContain('train: 8 rows on 8 devices, 32 samples an iteration');
    expect(out).toContain('No other of the 8 rows fits and can be under');
    expect(out).toMatch(/^ {2}row +iteration +peak memory +MFU +bubble +pipeline +data +tensor +recompute +runs on$/m);
    expect(out).toContain(' · sequence_parallel true (with tensor ranks) · ');
    expect(out).toContain('as written:');
    expect(out).not.toContain('better than every row');
    // The file recomputes nothing, which is faster.
    const slower = (await call(['plan', 'a.pipe', '--pipeline', 'train', '--over', 'recompute = [full]'], { files }))
      .out;
    expect(slower).toMatch(/as written: .*, better than every row found$/m);
    const { points, best } = answerOf(await train('--format', 'json'));
    const fastest = points.find(({ row }) => row === best);
    expect(fastest?.front).toBe(true);
    expect(out).toContain(`Row ${best} changes (write it with --write ${best}:${fastest?.fingerprint})`);
    const { tensor } = fastest?.settings ?? {};
    if (tensor !== '1') expect(out).toContain(`tensor     1 → ${tensor}`);
  });

  test('gives every row that was simulated as json and as csv', async () => {
    const answer = answerOf(await train('--format', 'json'));
    const { simulated, over: full, dropped, unsearched, refused, rows, points, best } = answer;
    expect(simulated + full + dropped + unsearched + refused.reduce((sum, each) => sum + each.rows, 0)).toBe(rows);
    expect(points.length).toBe(simulated);
    const csv = await train('--format', 'csv');
    const lines = csv.out.trimEnd().split('\r\n');
    expect(lines[0]).toBe(
      'row,tensor,sequence_parallel,pipeline,recompute,ranks,data_ranks,microbatches,iteration,peak,throughput,mfu,bubble,meets,front,missed,tight,left,spread_time,spread_memory,fit,runs,within,batch,scaled,fingerprint',
    );
    expect(lines.length).toBe(points.length + 1);
    const line = lines.find((each) => each.startsWith(`${best},`))?.split(',') ?? [];
    const point = points.find(({ row }) => row === best);
    expect(line[8]).toBe(String(point?.iteration));
    expect(line[14]).toBe('true');
    expect(line.at(-1)).toBe(point?.fingerprint);
  });

  test('says how much memory is left of rows within the margin of memory/headroom, and of no others', async () => {
    const peaks = answerOf(await train('--format', 'json')).points.filter(({ front }) => front);
    const [fastest] = peaks.toSorted((a, b) => a.iteration - b.iteration);
    const answerWith = async (memory: number, ...more: readonly string[]) => {
      const text = shaped.replace('memory = 24GiB', `memory = ${memory}B`);
      const asked = ['plan', 'a.pipe', '--pipeline', 'train', '--over', over, '--threads', '1', ...more];
      return call(asked, { files: { 'a.pipe': text } });
    };
    // The margin is 6 % of the device.
    const near = Math.ceil(fastest.peak / 0.97);
    const far = Math.ceil(fastest.peak / 0.93);
    const { out } = await answerWith(near);
    expect(out).toMatch(
      new RegExp(`^ +${fastest.row}:[\\da-f]{6} .* GiB \\(3 % left, fits in \\d+ of \\d+ such runs\\) `, 'mu'),
    );
    expect(out).toContain('Rows that say what is left may run out of memory');
    const point = answerOf(await answerWith(near, '--format', 'json')).points.find(({ row }) => row === fastest.row);
    expect(point?.tight).toBeCloseTo(0.03, 6);
    // The device has an efficiency of its own: runs say something of its memory only.
    expect(Object.keys(point?.spread ?? {})).toEqual(['memory', 'fit', 'runs']);
    expect(point?.spread?.fit).toBeLessThan(point?.spread?.runs ?? 0);
    expect((await answerWith(near, '--format', 'csv')).out).toMatch(
      /,0\.0(2999|3000)\d*,\d+,,0\.\d+,\d+,\d+,,,,[\da-f]{6}\r\n/u,
    );
    const roomy = await answerWith(far);
    expect(roomy.out).not.toContain('left');
    expect(answerOf(await answerWith(far, '--format', 'json')).points.some(({ tight }) => tight !== undefined)).toBe(
      false,
    );
  });

  test('gives the same answer on threads, and stops there too', async () => {
    const many = 'tensor = [1, 2], pipeline = [1, 2, 4], recompute = [none, full], schedule = [1f1b, gpipe]';
    const args = ['plan', 'a.pipe', '--pipeline', 'train', '--over', many, '--format', 'json'];
    const alone = await call([...args, '--threads', '1'], { files });
    expect((await call([...args, '--threads', '2'], { files })).out).toBe(alone.out);
    const stopped = answerOf(await call([...args, '--threads', '2'], { files, interrupted: true }));
    expect(stopped.simulated).toBeLessThan(answerOf(alone).simulated);
    expect(stopped.unsearched).toBeGreaterThan(0);
  });

  test('shows how far it is on a terminal', async () => {
    const args = ['plan', 'a.pipe', '--pipeline', 'train', '--over', over, '--threads', '1'];
    const { err } = await call(args, { files, terminal: true, slow: 2_000 });
    expect(err).toContain('8 of 8 rows decided');
  });

  test('says in a log every 30 seconds how far it is', async () => {
    const args = ['plan', 'a.pipe', '--pipeline', 'train', '--over', over, '--threads', '1'];
    const { err } = await call(args, { files, slow: 12_000 });
    expect(err).toMatch(/^(pipewright: \d of 8 rows decided, \d on the front(, the fastest in [\d.]+ ms)?\n)+$/);
    expect((await call(args, { files, slow: 100 })).err).toBe('');
  });

  test('counts rows that cannot be from the start', async () => {
    // Three tensor ranks do not divide eight devices.
    const keys = 'tensor = [1, 3], pipeline = [2, 4]';
    const args = ['plan', 'a.pipe', '--pipeline', 'train', '--over', keys, '--threads', '1'];
    const { out, err } = await call(args, { files, terminal: true, slow: 2_000 });
    expect(out).toContain(': 4 rows on 8 devices');
    expect(err).toContain('4 of 4 rows decided');
  });

  test('names all keys that are searched, of the file and of the command', async () => {
    const block = `search train {
  pipeline in [1, 2, 4]
  tensor in [1, 2]
  recompute in [none, full]
}
`;
    const own = { 'a.pipe': `${shaped}${block}` };
    const args = ['plan', 'a.pipe', '--pipeline', 'train', '--threads', '1'];
    const keys = 'tensor = 4, micro_batch = [1, 2]';
    const { out } = await call([...args, '--over', keys], { files: own });
    expect(out).toContain(
      '  pipeline 1, 2, 4 · tensor 4 · sequence_parallel true (with tensor ranks) · recompute none, full · micro_batch 1, 2\n',
    );
  });

  test('is the best rows and what to do with them, and more only with --details', async () => {
    const [short, long] = [await train(), await train('--details')].map(({ out }) => out);
    expect(short.split('\n').length).toBeLessThan(25);
    expect(short).not.toContain('│');
    expect(short.replaceAll(/\s+/gu, ' ')).toMatch(
      / Rows: \d+ simulated[^.]*\. --details shows why, a chart, and which values were not searched\. $/u,
    );
    const kept = short.slice(0, short.indexOf('\nRows: '));
    expect(long.startsWith(kept)).toBe(true);
    expect(long).toContain('│');
    expect(long).toMatch(/^ {2}\d+ +simulated$/mu);
    expect(long).not.toContain('--details');
  });

  test('chooses what to search where neither the file nor the call says it, and says what it left out', async () => {
    const { status, out, err } = await plan('a.pipe', '--pipeline', 'train', '--details');
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toMatch(
      /^ {2}tensor 1, 2, 4 · sequence_parallel true \(with tensor ranks\) · pipeline 1, 2, 4, 8 · micro_batch 1, 2, 4 · /mu,
    );
    expect(out).toMatch(/No other of the [\d,]+ rows fits and can be under/u);
    expect(out).toContain('There is no search block for train, so these values were chosen. Left out:\n');
    expect(out).toContain('  tensor over 4: tensor ranks stay in a node, which has 4 devices.\n');
    const [, block = ''] = out.split('To search other values, write this into the file and change it:\n');
    expect(block).toMatch(/^ {2}search train \{\n {4}tensor in \[1, 2, 4\]\n/u);
    // With the block in the file, the same is searched. A small part of the search says what the whole would.
    const part = ['plan', 'a.pipe', '--pipeline', 'train', '--format', 'json', '--threads', '1', '--shard', '1/99'];
    const answer = answerOf(await call(part, { files }));
    const written = { 'a.pipe': `${shaped}${block}` };
    const again = answerOf(await call(part, { files: written }));
    expect(again.search).toEqual(answer.search);
    expect(again.rows).toBe(answer.rows);
    expect(again.left_out).toBeUndefined();
    expect(answer.left_out?.map(({ what }) => what)).toContain('tensor over 4');
  });

  test.each([80, 120])('fits a terminal of %i columns', async (columns) => {
    const wide = `${over}, sequence_parallel = [true], micro_batch = [1, 2], schedule = [1f1b, interleaved_1f1b]`;
    const args = [
      ...['plan', 'a.pipe', '--pipeline', 'train', '--over', wide],
      ...['--limit', 'peak_memory < 12GiB', '--threads', '1'],
    ];
    const { out } = await call(args, { files, terminal: true, columns });
    const [table = ''] = out.split('as written:');
    const longest = Math.max(
      ...stripVTControlCharacters(table)
        .split('\n')
        .slice(3)
        .map((line) => line.length),
    );
    expect(longest).toBeLessThanOrEqual(columns);
  });

  test('writes the file of a row, in the layout of the file', async () => {
    const { best, points } = answerOf(await train('--format', 'json'));
    const { out: written, err: said } = await train('--write', 'best');
    expect(said).toContain(
      `Row ${best}:${points.find(({ row }) => row === best)?.fingerprint}. No other of the 8 rows fits and can be under`,
    );
    expect((await train('--write', String(best))).out).toBe(written);
    expect(written).toContain('// a comment stays');
    const { out } = await call(['simulate', '-', '--pipeline', 'train', '--format', 'json'], {
      files: { '-': written },
    });
    const [report] = (JSON.parse(out) as { pipelines: { iteration: number }[] }).pipelines;
    expect(report.iteration).toBe(points.find(({ row }) => row === best)?.iteration);
    const canonical = (await call(['format', 'a.pipe'], { files })).out;
    const tidy = await call(['plan', 'a.pipe', '--pipeline', 'train', '--over', over, '--write', '7'], {
      files: { 'a.pipe': canonical },
    });
    expect((await call(['format', '-'], { files: { '-': tidy.out } })).out).toBe(tidy.out);
    const saved = await train('--write', '0', '--output', 'b.pipe');
    expect(saved.files['b.pipe']).toContain('data         = 4');
    expect(saved.err).not.toContain('does not fit');
  });

  test('says what is wrong with a row that is written by its number', async () => {
    const small = { 'a.pipe': shaped.replace(/memory = \S+/, 'memory = 3GiB') };
    const row = async (text: Record<string, string>, ...args: string[]) =>
      (await call(['plan', 'a.pipe', '--pipeline', 'train', ...args, '--write', '0'], { files: text })).err;
    expect(await row(small, '--over', over)).toMatch(/Row 0 does not fit: (a device holds|its peak is) \S+ GiB/);
    const limit = ['--limit', 'iteration < 1us'];
    expect(await row({ 'a.pipe': shaped }, '--over', over, ...limit)).toMatch(/Row 0 misses iteration < 1us: /);
  });

  test('parts put together are one run', async () => {
    const whole = answerOf(await train('--format', 'json'));
    const parts: Record<string, string> = {};
    for (const index of [1, 2, 3])
      parts[`${index}.json`] = (await train('--shard', `${index}/3`, '--format', 'json')).out;
    const merged = await call(['plan', '--merge', ...Object.keys(parts), '--format', 'json'], { files: parts });
    const answer = answerOf(merged);
    const frontOf = ({ points }: typeof whole): string => JSON.stringify(points.filter(({ front }) => front));
    expect(frontOf(answer)).toBe(frontOf(whole));
    expect(answer.certificate).toBe(whole.certificate);
    expect(answer.changes?.length).toBeGreaterThan(0);
    expect(answer.changes).toEqual(whole.changes);
    const shown = await call(['plan', '--merge', ...Object.keys(parts)], { files: parts });
    expect(shown.out).toContain(
      `Row ${whole.best} changes (write it with the options of a part, and --write ${whole.best}:${whole.points.find(({ row }) => row === whole.best)?.fingerprint} in place of --shard)`,
    );
    // What the parts were asked cannot be asked of their sum.
    for (const option of [
      ['--limit', 'mfu > 90%'],
      ['--nodes', '4'],
      ['--minimise', 'peak_memory'],
      ['--shard', '1/2'],
      ['--set', 'a=3'],
    ]) {
      const refused = await call(['plan', '--merge', ...Object.keys(parts), ...option], { files: parts });
      expect(refused).toMatchObject({ status: 2, out: '' });
      expect(refused.err).toContain(`${option[0]} has no effect with --merge: give it to each part.`);
    }
    const written = await call(['plan', '--merge', ...Object.keys(parts), '--write', 'best'], { files: parts });
    expect(written).toMatchObject({ status: 2, out: '' });
    expect(written.err).toContain('--write needs the file');
    const some = await call(['plan', '--merge', '1.json', '2.json'], { files: parts });
    expect(some.status).toBe(1);
    expect(some.out).toContain('Part 3 of 3 is missing. Run it with --shard 3/3.');
    expect(some.out).toMatch(
      /^The fastest row found takes .* Faster ones may be among the others; 2 were not searched to the end\.$/m,
    );
    expect((await call(['plan', '--merge', 'x.json'], { files: { 'x.json': '{"version":1}' } })).err).toContain(
      'x.json is not a part of a search',
    );
  });

  test('parts of a file that was changed or moved in between', async () => {
    const inner = 'model shared { sequence = 1024  layer l[8] = transformer(hidden = 1024, heads = 8) }';
    const text = `import { shared } from "parts/inner.pipe"\n${shaped.replace('model        = small', 'model        = shared')}`;
    const part = async (index: number, own: Record<string, string>, file = 'a.pipe', ...more: string[]) => {
      const asked = ['--pipeline', 'train', '--over', 'tensor = [1, 2]', '--shard', `${index}/2`, '--format', 'json'];
      return (await call(['plan', file, ...asked, ...more], { files: own })).out;
    };
    const before = { 'a.pipe': text, 'parts/inner.pipe': inner };
    const merge = async (second: string) =>
      call(['plan', '--merge', '1.json', '2.json'], {
        files: { '1.json': await part(1, before), '2.json': second },
      });
    const moved = { 'elsewhere/a.pipe': text, 'elsewhere/parts/inner.pipe': inner };
    expect(await merge(await part(2, moved, 'elsewhere/a.pipe'))).toMatchObject({ status: 0, err: '' });
    const noted = { 'a.pipe': `${text}// more`, 'parts/inner.pipe': `${inner} ` };
    expect(await merge(await part(2, noted))).toMatchObject({ status: 0, err: '' });
    expect((await merge(await part(2, { ...before, 'a.pipe': text.replace('10us', '11us') }))).err).toContain(
      'Part 1/2 of a.pipe and Part 2/2 of a.pipe cannot be merged: the file was changed in between.',
    );
    expect(
      (await merge(await part(2, { ...before, 'parts/inner.pipe': inner.replace('1024', '2048') }))).err,
    ).toContain('parts/inner.pipe, which the file reads, was changed in between.');
  });

  test('whatever a part holds, it is merged or refused', async () => {
    const part = (await train('--format', 'json')).out;
    // Any value of the answer, however deep, becomes something else.
    const places = (value: unknown): readonly (readonly string[])[] =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([key, inner]) => [[key], ...places(inner).map((path) => [key, ...path])])
        : [];
    const paths = places(JSON.parse(part));
    const spread = paths.findIndex((path) => path.join('.') === 'written.spread');
    expect(spread).toBeGreaterThan(0);
    await fc.assert(
      fc.asyncProperty(fc.nat(paths.length - 1), fc.jsonValue(), async (at, other) => {
        const answer = JSON.parse(part) as Record<string, unknown>;
        const path = paths[at];
        let inner = answer;
        for (const key of path.slice(0, -1)) inner = inner[key] as Record<string, unknown>;
        inner[path.at(-1) ?? ''] = other;
        for (const format of ['text', 'csv']) {
          const { status } = await call(['plan', '--merge', 'x.json', '--format', format], {
            files: { 'x.json': JSON.stringify(answer) },
          });
          expect([0, 1, 2]).toContain(status);
        }
      }),
      { numRuns: 60, examples: [[spread, null]] },
    );
  });

  test('what is not reached in time is in the certificate, and what was found stays', async () => {
    const args = ['plan', 'a.pipe', '--pipeline', 'train', '--over', over, '--threads', '1', '--format', 'json'];
    const answer = answerOf(await call([...args, '--time', '5s'], { files, slow: 1_000 }));
    expect(answer.unsearched).toBeGreaterThan(0);
    expect(answer.simulated).toBeGreaterThan(0);
    expect(answer.certificate).toContain(`${answer.unsearched} were not searched to the end`);
    expect(answer.certificate).not.toContain('0 ms');
    // The file as it is written is looked at first, even if there is no time at all.
    const short = answerOf(await call([...args, '--time', '1ms'], { files, slow: 1_000 }));
    expect(short.points.map(({ settings, front }) => ({ settings, front }))).toEqual([
      { settings: { tensor: '1', pipeline: '4', recompute: 'none' }, front: true },
    ]);
    expect(short.points[0]).toMatchObject(short.written ?? {});
    expect(short).toMatchObject({ best: short.points[0].row, changes: [], unsearched: 7 });
    const others = ['plan', 'a.pipe', '--pipeline', 'train', '--over', 'pipeline = [2, 8]', '--threads', '1'];
    const none = (await call([...others, '--time', '1ms'], { files, slow: 1_000 })).out;
    expect(none).toMatch(/^ {2}as written: .*\n\nNo row was found that fits; 2 were not searched to the end\.$/m);
    const cancelled = await call(args, { files, interrupted: true });
    expect(answerOf(cancelled).certificate).toBe('No row was found that fits; 8 were not searched to the end.');
    expect(cancelled.status).toBe(1);
  });

  test('a limit that no row meets is a finding, with the figure of each row', async () => {
    const { status, out } = await train('--limit', 'peak_memory < 1MiB', '--format', 'json');
    expect(status).toBe(1);
    const answer = JSON.parse(out) as PlanAnswer;
    expect(answer.certificate).toMatch(
      /^None of the 8 rows fits and meets the limits. Row \d needs least memory: [\d.]+ \w+; it misses peak_memory < 1MiB: \d/,
    );
    expect(answer.points[0].missed).toMatch(/^peak_memory < 1MiB: \d/);
    const some = answerOf(
      await train('--limit', 'bubble < 90%', '--limit', 'peak_memory < 100GiB', '--format', 'json'),
    );
    expect(some.certificate).toMatch(/^No other of the 8 rows fits, meets the limits and can be under /);
  });

  test('reads the search of the file; keys of the command line replace its keys in their place, or come in addition', async () => {
    const block =
      'search train { tensor in [1, 2]  pipeline in [2, 4]  subject_to = bubble < 90%  minimise = peak_memory }';
    const world = { files: { 'a.pipe': `${shaped}${block}\n` } };
    const args = ['plan', 'a.pipe', '--pipeline', 'train', '--threads', '1', '--format', 'json'];
    const written = answerOf(await call(args, world));
    expect(written.search.map(({ key, values }) => `${key} ${values.join(' ')}`)).toEqual([
      'tensor 1 2',
      'pipeline 2 4',
    ]);
    expect([written.limits, written.minimise]).toEqual([['bubble < 90%'], 'peak_memory']);
    const more = answerOf(
      await call(
        [...args, '--over', 'tensor = 4, recompute = full', '--limit', 'mfu > 1%', '--minimise', 'iteration'],
        world,
      ),
    );
    expect(more.search.map(({ key, values }) => `${key} ${values.join(' ')}`)).toEqual([
      'tensor 4',
      'sequence_parallel true',
      'pipeline 2 4',
      'recompute full',
    ]);
    expect([more.limits, more.minimise]).toEqual([['bubble < 90%', 'mfu > 1%'], 'iteration']);
    const broken = await call(args, { files: { 'a.pipe': `${shaped}search train { tensr in [1] }\n` } });
    expect(broken.status).toBe(2);
    expect(broken.err).toContain('a.pipe has an error in a search: A search has no key "tensr".');
  });

  test('one row is not compared with others', async () => {
    const one = await plan('a.pipe', '--pipeline', 'train', '--over', 'recompute = full', '--format', 'json');
    expect(answerOf(one).certificate).toMatch(/^The only row fits\. It takes [\d.]+ ms and [\d.]+ GiB\.$/);
    const over = ['a.pipe', '--pipeline', 'train', '--over', 'recompute = full', '--format', 'json', '--limit'];
    expect(answerOf(await plan(...over, 'bubble < 90%')).certificate).toMatch(
      /^The only row fits and meets the limits\./,
    );
    expect(answerOf(await plan(...over, 'bubble < 1%')).certificate).toMatch(
      /^The only row does not fit and meet the limits\. Row 0 needs least memory: .*; it misses bubble < 1%/,
    );
  });

  test('minimise = peak_memory names the row that needs least', async () => {
    const { best, points } = answerOf(await train('--minimise', 'peak_memory', '--format', 'json'));
    const least = Math.min(...points.filter(({ meets }) => meets).map(({ peak }) => peak));
    expect(points.find(({ row }) => row === best)?.peak).toBe(least);
  });

  test('a param is a key, and a batch that it changes is another training', async () => {
    const { points, refused } = answerOf(
      await plan('good.pipe', '--over', 'microbatches = [8, 16]', '--format', 'json'),
    );
    expect(points.map(({ settings }) => settings)).toEqual([{ microbatches: '8' }]);
    expect(refused).toEqual([
      { reason: 'An iteration has 16 samples instead of 8.', rows: 1, example: { microbatches: '16' } },
    ]);
  });

  test('a param has its values from the search or from --set, not from both', async () => {
    const { status, err } = await plan('good.pipe', '--over', 'microbatches = [8]', '--set', 'microbatches=4');
    expect(status).toBe(2);
    expect(err).toContain('"microbatches" is searched, and --set gives it a value. Leave out one of them.');
  });

  test('what is wrong with a pipeline is said with its place', async () => {
    const files = { 'a.pipe': `// One line.\n${good.replace('model toy', 'model 模型')}` };
    const { status, err } = await call(['plan', 'a.pipe', '--over', 'pipeline = [4]'], { files });
    expect(status).toBe(2);
    expect(err).toContain('"train" cannot be searched: a.pipe:2:7: Expected a name');
    // No row is what the file says, though the pipeline itself can be read.
    const other = { 'a.pipe': `${good}let wide = 4 ?\n` };
    const called = await call(['plan', 'a.pipe', '--over', 'pipeline = [4]'], { files: other });
    expect(called.status).toBe(2);
    expect(called.err).toContain('(syntax/unexpected)');
  });

  test.each([
    [' ', 'There is nothing to search.'],
    ['tensr = 2', '"tensr" is no key that can be searched. Did you mean "tensor"?'],
    ['tensor', '--over takes keys with values'],
    ['tensor = []', '"tensor" takes at least one value, not an empty list.'],
    [
      'tensor = 8..2',
      '"tensor" takes a range from the smaller to the larger number, `2..8`, not `8..2`, which is backwards.',
    ],
    ['tensor = 8..2 step -2', 'the larger number, `2..8 step 2`, not `8..2`, which is backwards.'],
    ['tensor = 0..2', '"tensor" takes whole numbers of at least 1, not "0".'],
    ['tensor = 1..4 step -1', 'takes a step of more than 0, not -1'],
    ['tensor = 2, tensor = 4', '"tensor" is searched twice.'],
    ['tensor = 1..1000000', 'takes at most 10,000 values, not 1,000,000.'],
    ['tensor = 1..1000, pipeline = 1..1000, data = 1..1000', 'make 1,000,000,000 rows, more than 1,000,000.'],
    ['stages = [balance(2)]', '"stages" cannot be searched: stages follow from "pipeline" and "chunks".'],
    ['schedule = [1f1b, 1f2b]', '"schedule" cannot be "1f2b". Unknown policy "1f2b". Did you mean "1f1b"?'],
    ['optimizer = [none, nope]', '"optimizer" cannot be "nope". Unknown optimizer "nope". Did you mean "none"?'],
    ['recompute = [none', 'takes a list such as [1, 2, 4]'],
  ])('--over "%s" is refused: %s', async (text, problem) => {
    const { status, out, err } = await plan('a.pipe', '--pipeline', 'train', '--over', text);
    expect(status).toBe(2);
    expect(out).toBe('');
    expect(err).toContain(problem);
  });

  test.each([
    [['a.pipe'], 'a.pipe has the pipelines train and other; choose one with --pipeline.'],
    [['none.pipe'], 'none.pipe cannot be read'],
    [['a.pipe', 'b.pipe'], 'Name one file.'],
    [[], 'Name a file, or a model with --model, --on and --batch.'],
    [['a.pipe', '--pipeline', 'train', '--over', over, '--shard', '4/3'], '--shard takes a part'],
    [['a.pipe', '--pipeline', 'train', '--over', over, '--time', 'soon'], '--time takes a time'],
    [['a.pipe', '--pipeline', 'train', '--over', over, '--time', '3GiB'], '--time takes a time'],
    [
      ['a.pipe', '--pipeline', 'train', '--over', over, '--write', '99'],
      '--write takes best, the number of a row from 0 to 7, or its number and fingerprint',
    ],
    [['a.pipe', '--pipeline', 'train', '--over', 'tensor = [3]', '--write', '0'], 'Row 0 cannot be written'],
    [['a.pipe', '--pipeline', 'train', '--over', over, '--limit', 'peak_memry < 1GiB'], 'peak_memry'],
  ])('%s is refused: %s', async (args, problem) => {
    const { status, err } = await plan(...args);
    expect(status).toBe(2);
    expect(err).toContain(problem);
  });
});

test('marks the rows of the front that published runs do not tell from the fastest', async () => {
  const text = shaped.replace(
    /^device .*$/m,
    'import { h100 } from "std:hardware"\ndevice card { from = h100  memory = 24GiB }',
  );
  const asked = ['plan', 'a.pipe', '--pipeline', 'train', '--over', over, '--threads', '1'];
  const found = JSON.parse(
    (await call([...asked, '--format', 'json'], { files: { 'a.pipe': text } })).out,
  ) as PlanAnswer;
  const front = found.points.filter((point) => point.front).toSorted((a, b) => a.iteration - b.iteration);
  expect(front.length).toBeGreaterThan(1);
  const [{ iteration, spread }] = front;
  for (const point of found.points)
    expect(point.within === true).toBe(
      point.front && point.iteration > iteration && point.iteration <= iteration * (1 + (spread?.time ?? 0)),
    );
  expect(front.some(({ within }) => within === true)).toBe(true);
  const { out } = await call(asked, { files: { 'a.pipe': text } });
  for (const { row, within } of front)
    expect(new RegExp(`^ +${row}:[\\da-f]{6} ≈ `, 'mu').test(out)).toBe(within === true);
  expect(out).toContain(
    '≈: published runs of the kind are off by more than what separates the row from the fastest (± ',
  );
});
