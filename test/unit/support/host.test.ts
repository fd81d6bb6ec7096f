import { expect, test } from 'vitest';
import { exampleText, exampleUri } from '../../support/example.ts';
import { diskHost, folder, hostOf, refusedFiles, uri } from '../../support/host.ts';

test('a host reads its files by their path from the folder, and nothing else', () => {
  const read: string[] = [];
  const host = hostOf({ 'a.pipe': 'let a = 1', ...refusedFiles }, read);
  const addressOf = (name: string) => host.resolve(name, uri);
  expect(host.read(addressOf('a.pipe'))).toEqual({ text: 'let a = 1' });
  expect(host.read(addressOf('b.pipe'))).toEqual({ problem: 'not-found' });
  expect(host.read(addressOf('toString'))).toEqual({ problem: 'not-found' });
  expect(host.read('file:///other/a.pipe')).toEqual({ problem: 'not-found' });
  expect(host.read(addressOf('outside.pipe'))).toEqual({ problem: 'outside' });
  expect(host.read(addressOf('locked.pipe'))).toEqual({ problem: 'unreadable', detail: 'permission denied' });
  expect(read).toEqual([
    ...['a.pipe', 'b.pipe', 'toString'].map((name) => folder + name),
    'file:///other/a.pipe',
    ...['outside.pipe', 'locked.pipe'].map((name) => folder + name),
  ]);
});

test('the disk has the examples', () => {
  expect(diskHost.read(exampleUri('quickstart.pipe'))).toEqual({ text: exampleText('quickstart.pipe') });
  expect(diskHost.read(exampleUri('no-such-file.pipe'))).toEqual({ problem: 'not-found' });
});
