/** Results that are longer than a string can be, or than there is memory for: written part by part. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { joined, writeResult } from '../../../cli/writeResult.ts';
import type { Io } from '../../../cli/io.ts';
import { traceParts } from '../../../engine/drawing/trace.ts';
import { exportTorch } from '../../../engine/formats/torchCsv/export.ts';
import { cellText } from '../../../engine/formats/torchCsv/table.ts';
import { torchCsvParts } from '../../../engine/formats/torchCsv/write.ts';
import { writeFile } from '../../../platform/node/regularFile.ts';
import { runOf } from '../../support/analyse.ts';

const text = `model m { layer block[4] { forward = 4ms  backward = 8ms } }
device d { memory = 1TiB }
cluster c { gpu[4] = d  link = 100GB/s }
pipeline p { model = m  devices = c  microbatches = 5000  stages = balance(4)  schedule = 1f1b }
`;

test('a trace reads the operations as it is written', () => {
  const { plan, run } = runOf(text);
  let reads = 0;
  const order = new Proxy(run.program.order, {
    get(target, key) {
      reads += 1;
      const found: unknown = Reflect.get(target, key);
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
  const program = { ...run.program, order };
  const counted = { ...run, program, timeline: { ...run.timeline, program } };
  const parts = traceParts(plan, counted, { file: 'a.pipe', version: '1' });
  for (let part = 0; part < 100; part += 1) parts.next();
  expect(run.program.order.length).toBe(40_000);
  expect(reads).toBeGreaterThan(50);
  expect(reads).toBeLessThan(10_000);
  parts.return(undefined);
});

/** Parts that say how many of them have been asked for. */
function counted(): { readonly parts: Iterable<string>; made(): number } {
  let made = 0;
  const parts = (function* () {
    for (; made < 1_000; made += 1) yield 'x'.repeat(1_000);
  })();
  return { parts, made: () => made };
}

test('parts are joined to larger ones, and none is lost', () => {
  const { parts, made } = counted();
  const [first, ...rest] = joined(parts);
  expect(first.length).toBe(66_000);
  expect(rest.join('').length + first.length).toBe(1_000_000);
  expect(made()).toBe(1_000);
  expect([...joined(['', 'a', '', 'b'])]).toEqual(['ab']);
});

test.each([undefined, 'out.txt'])('output to %s begins before the last part is made', async (output) => {
  const { parts, made } = counted();
  const seen: number[] = [];
  const io = {
    out: async () => void seen.push(made()),
    writeText(_: string, given: Iterable<string>) {
      for (const _ of given) seen.push(made());
      return undefined;
    },
    cwd: '/nowhere',
  } as unknown as Io;
  await writeResult(io, 'simulate', { operands: ['in.pipe'], value: () => output }, parts);
  expect(seen[0]).toBeLessThan(100);
  expect(seen.length).toBeGreaterThan(10);
});

test('a file is written from its parts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parts-'));
  const path = join(folder, 'a.txt');
  expect(writeFile(path, ['a', 'é', '', 'c'])).toBeUndefined();
  expect(readFileSync(path, 'utf8')).toBe('aéc');
  rmSync(folder, { recursive: true });
});

test('a table of PyTorch is written in parts of a row, and blanks are made only where they are shown', () => {
  const { plan, run } = runOf(text);
  const made = exportTorch(plan, run.program, true);
  if ('problem' in made) throw new Error(made.problem);
  const parts = [...torchCsvParts(made.table)];
  expect(made.table.rows.map(({ length }) => length).every((length) => length > 10_000)).toBe(true);
  expect(parts.length).toBeGreaterThan(8);
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(100_000);
  expect(parts.join('')).toBe(`${made.table.rows.map((row) => row.map(cellText).join(',')).join('\r\n')}\r\n`);
});
