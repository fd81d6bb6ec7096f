import { expect, test } from 'vitest';
import { createExamples } from '../../../../platform/browser/playground/examples.ts';
import { createFiles, nameOf, uriOf } from '../../../../platform/browser/playground/files.ts';

function files() {
  let loads = 0;
  globalThis.pipewrightExamples = undefined;
  const names = ['quickstart.pipe', 'cluster.pipe', 'published/gpipe.pipe'];
  const examples = createExamples({ files: names.map((name) => ({ name, about: '' })), first: 'first' }, async () => {
    loads += 1;
    globalThis.pipewrightExamples = { 'cluster.pipe': 'cluster', 'published/gpipe.pipe': 'gpipe' };
    await Promise.resolve();
  });
  return { all: createFiles(examples), loads: () => loads };
}

test('the first example needs no script, and the script of the others is loaded once', async () => {
  const { all, loads } = files();
  expect(await all.read('quickstart.pipe')).toBe('first');
  expect(loads()).toBe(0);
  expect(await Promise.all([all.read('cluster.pipe'), all.read('published/gpipe.pipe')])).toEqual(['cluster', 'gpipe']);
  expect(loads()).toBe(1);
  expect(await all.read('toString')).toBeUndefined();
});

test('folders list what is in them, and nothing lies elsewhere', () => {
  const { all } = files();
  expect(all.list('playground:/examples')).toEqual(['quickstart.pipe', 'cluster.pipe', 'published/']);
  expect(all.list('playground:/examples/published/')).toEqual(['gpipe.pipe']);
  expect(all.list('file:///etc')).toEqual([]);
});

test('a file of the reader is found by its name, and names with signs come back', async () => {
  const { all } = files();
  all.add('my #1 file.pipe', 'mine');
  expect(await all.read(nameOf(uriOf('my #1 file.pipe')))).toBe('mine');
  expect(nameOf('std:hardware')).toBe('std:hardware');
});
