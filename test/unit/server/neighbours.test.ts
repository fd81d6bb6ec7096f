/** Files that an import may name: those next to the file, without the file itself. */
import { expect, test } from 'vitest';
import { neighboursOf } from '../../../server/neighbours.ts';
import { hostOf, uri, noLines } from '../../support/host.ts';

const named = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}.pipe`, `let a${index} = 1\n`]));

/** Neighbours of `main.pipe` in a folder with these files, and what was read of them. */
function found(files: Readonly<Record<string, string>>) {
  const read: string[] = [];
  const host = hostOf(files, read);
  const list = () => Object.keys(files);
  const ask = neighboursOf({ uri, files: { ...host, list, ...noLines, all: () => [] } });
  return { ask, read };
}

test('are the other files of the folder with the ending .pipe', () => {
  const { ask } = found({ 'main.pipe': 'let me = 1\n', 'notes.txt': 'no', ...named(2) });
  expect(ask()).toEqual([
    { path: 'n0.pipe', text: 'let a0 = 1\n' },
    { path: 'n1.pipe', text: 'let a1 = 1\n' },
  ]);
});

test('are fifty at most, and read once, when they are first asked for', () => {
  const { ask, read } = found(named(60));
  expect(read).toEqual([]);
  expect(ask()).toHaveLength(50);
  expect(ask()).toHaveLength(50);
  expect(read).toHaveLength(50);
});
