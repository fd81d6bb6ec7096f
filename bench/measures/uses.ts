import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { defaultOptions as options } from '../../engine/basics/host.ts';
import { check } from '../../engine/flow/check.ts';
import { LineIndex } from '../../grammar/index.ts';
import { createNameIndex } from '../../server/names/fileNames.ts';
import { usesOf } from '../../server/names/uses.ts';
import type { View } from '../../server/view.ts';
import { createDisk } from '../../platform/node/disk.ts';
import { createWorkspace } from '../../server/workspace.ts';
import { ms, type Row, type Table } from '../rows.ts';
import { pipelineFile } from '../workloads/files.ts';

const library = 'param batches = 8 in 1..64\n';
const file = (count: string) =>
  pipelineFile({ devices: 8, microbatches: 8, schedule: '1f1b' }).replace(
    'microbatches = 8',
    `microbatches = ${count}`,
  );

/**
 * Uses of a name over the files of a folder on disk: of one that is used in its file alone though every file spells it, and of one that every file
 * imports.
 */
export function usesTable(): Table {
  const rows: Row[] = [];
  for (const [count, goal] of [
    [100, 50],
    [2_000, 300],
  ] as const)
    for (const name of ['own', 'imported'] as const) rows.push(row(count, name, goal));
  return {
    title: 'Uses of a name over files: server thread',
    head: ['files', 'name', 'uses', 'first', 'longest step', 'again', 'longest step'],
    rows,
  };
}

function row(count: number, name: 'own' | 'imported', goal: number): Row {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pipewright-uses-'));
  try {
    const text = name === 'own' ? `${library}${file('batches')}` : library;
    writeFileSync(path.join(folder, 'main.pipe'), text);
    for (let at = 1; at < count; at += 1) {
      const below = path.join(folder, `folder${at % 40}`);
      mkdirSync(below, { recursive: true });
      const other = name === 'own' ? text : `import "../main.pipe"\n${file('batches')}`;
      writeFileSync(path.join(below, `file${at}.pipe`), other);
    }
    const view = viewOf(folder, text);
    const symbol = view.analysis.resolution.symbols.symbols.get('param:batches');
    if (symbol === undefined) throw new Error('The param has no symbol.');
    const index = createNameIndex();
    const first = timed(() => usesOf(index, view, symbol));
    const again = Array.from({ length: 5 }, () => timed(() => usesOf(index, view, symbol)));
    const best = Math.min(...again.map(({ all }) => all));
    const longest = Math.min(...again.map((each) => each.longest));
    const uses = first.result.reduce((sum, { places }) => sum + places.length, 0);
    return {
      cells: [
        count.toLocaleString('en-US'),
        name,
        uses.toLocaleString('en-US'),
        ...[first.all, first.longest, best, longest].map(ms),
      ],
      goal: { text: `again ≤ ${goal} ms`, met: best <= goal },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function viewOf(folder: string, text: string): View {
  const uri = pathToFileURL(path.join(folder, 'main.pipe')).href;
  const around = { openUris: () => [uri], folders: () => [pathToFileURL(folder).href] };
  const disk = createDisk({ ...around, trusted: () => true, sizeLimit: () => options.limits.fileSize });
  const open = (wanted: string) => (wanted === uri ? text : undefined);
  const files = createWorkspace({ ...around, open, storeOf: () => disk });
  const analysis = check({ uri, text, host: files, options });
  return { uri, version: 1, syntax: analysis.syntax, lines: new LineIndex(text), analysis, files, options };
}

/** Milliseconds of this thread's CPU, in all and of the longest step. */
function timed<Result>(begin: () => Generator<void, Result, void>) {
  const steps = begin();
  let all = 0;
  let longest = 0;
  for (;;) {
    const before = process.threadCpuUsage();
    const step = steps.next();
    const { user, system } = process.threadCpuUsage(before);
    const took = (user + system) / 1000;
    all += took;
    longest = Math.max(longest, took);
    if (step.done) return { result: step.value, all, longest };
  }
}
