/** A folder of traces holds other files too. */
import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { byteStream } from '../../../platform/node/runs/byteStream.ts';
import { filesIn } from '../../../platform/node/runs/filesIn.ts';
import { readRunSummary } from '../../../platform/node/runs/runSummary.ts';
import { readDigest } from '../../../platform/node/runs/digest.ts';
import { filesOf, folder as recorded } from '../runs/traces.ts';
import { call } from './harness.ts';

const folderWith = (...names: readonly string[]): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pipewright-folder-'));
  for (const name of names) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), name.endsWith('.gz') ? gzipSync('an archive') : '{"step": 3}\n');
  }
  return folder;
};
const withTraces = (folder: string): string => {
  for (const file of filesOf('mlp_1f1b_p2')) copyFileSync(path.join(recorded, file), path.join(folder, file));
  return folder;
};
const imported = (...paths: readonly string[]) => call(['import', ...paths], { disk: true });
const disk = { openBytes: byteStream, filesIn };
const quiet = () => ({ tick() {}, end() {} });

test('what is no trace is skipped, and named in one line', async () => {
  const folder = withTraces(folderWith('LICENSE', 'README.md', 'meta.json', 'notes/log.txt', 'src.tar.gz', 'empty'));
  writeFileSync(path.join(folder, 'empty'), '');
  const { status, out, err } = await imported(folder);
  expect(status).toBe(0);
  expect(out).toContain('2 ranks (0, 1)');
  expect(err.split('\n').filter((line) => line.startsWith('Skipped'))).toEqual([
    'Skipped, because they are no traces of a run: LICENSE, README.md, empty, meta.json, notes/log.txt and src.tar.gz.',
  ]);
  writeFileSync(path.join(folder, 'plan.pipe'), '');
  expect((await imported(folder)).err).toContain('LICENSE, README.md, empty, meta.json, notes/log.txt and 2 more.');
  const summary = await readRunSummary({ paths: [folder], skip: 1, partial: false }, () => {});
  expect('remarks' in summary ? summary.remarks : []).toEqual([expect.stringMatching(/^Skipped, because/)]);
  expect(await readDigest(folder, [], disk, quiet)).toMatchObject({ runs: [{ ranks: [0, 1] }] });
});

test('nothing is said of a folder that has traces only', async () => {
  expect((await imported(withTraces(folderWith()))).err).not.toContain('Skipped');
  const one = await imported(withTraces(folderWith('LICENSE')));
  expect(one.err).toContain('Skipped, because it is no trace of a run: LICENSE.');
});

test('damage in a folder is still damage', async () => {
  const folder = withTraces(folderWith());
  writeFileSync(path.join(folder, 'rank7.json'), '{"traceEvents": [{"ph": "X", "name": "PP:0F0", "ts": 1}]}');
  const { status, out, err } = await imported(folder);
  expect({ status, out }).toEqual({ status: 1, out: '' });
  expect(err).toContain(`${path.join(folder, 'rank7.json')}:1:18: This event has no "dur"`);
  expect(err).not.toContain('Skipped');
});

test('what is no trace is named also where the rest is refused', async () => {
  const folder = withTraces(folderWith());
  writeFileSync(path.join(folder, 'empty.json'), '');
  copyFileSync(path.join(folder, 'mlp_1f1b_p2.rank0.json.gz'), path.join(folder, 'twice.rank0.json.gz'));
  const { status, err } = await imported(folder);
  expect(status).toBe(1);
  expect(err).toContain('both ran at the same time');
  expect(err).toContain('Skipped, because it is no trace of a run: empty.json.');
});

test('a folder without any trace is refused, and so is a file that is named', async () => {
  const none = folderWith('LICENSE', 'meta.json');
  expect((await imported(none)).err).toContain(
    `${none} has no trace of a run: none of its 2 files has the events of a profiler, a timeline, a log of steps or the summary of a run.`,
  );
  // Also beside a folder that has some.
  expect((await imported(withTraces(folderWith()), none)).err).toContain(`${none} has no trace of a run`);
  expect((await imported(folderWith('LICENSE'))).err).toContain('its only file does not have the events');
  const empty = folderWith();
  expect((await imported(empty)).err).toContain(`${empty} is a folder without files.`);
  const file = path.join(none, 'LICENSE');
  const { status, err } = await imported(...filesOf('mlp_1f1b_p2').map((name) => path.join(recorded, name)), file);
  expect(status).toBe(1);
  expect(err).toContain(`${file}:1:1: This is no trace of a run: it does not have`);
});
