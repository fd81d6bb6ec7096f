/** Links to views, in windows that are trusted and in others. */
import { expect, test } from 'vitest';
import { type LinkWindow, linkTarget } from '../../../client/linkTarget.ts';

/** A window with two folders; `asked`: what it was asked about. */
function windowWith(isTrusted: boolean, ...files: readonly string[]) {
  const asked: string[] = [];
  const window: LinkWindow<string> = {
    isTrusted,
    folders: ['models', 'plans'].map((name) => ({ name, uri: `/${name}` })),
    join: (folder, ...path) => [folder, ...path].join('/'),
    isFile(uri) {
      asked.push(uri);
      return Promise.resolve(files.includes(uri));
    },
  };
  return { asked, window };
}
const link = (path: string, query = '') => ({ path: `/view/${path}`, query });

test('a window that is not trusted refuses every link, and looks for no file', async () => {
  const { asked, window } = windowWith(false, '/plans/train.pipe', '/models/train.pipe');
  for (const path of ['train.pipe', 'plans/train.pipe'])
    expect(await linkTarget(link(path, 'pipeline=train'), window)).toEqual({
      problem: `Trust this workspace, then open the link to "${path}" again.`,
    });
  expect(asked).toEqual([]);
  // What is wrong in the link itself is said first.
  expect(await linkTarget(link('../secret.pipe'), window)).not.toEqual(await linkTarget(link('secret.pipe'), window));
});

test('a trusted window opens the file of the folder that the link names, otherwise of the first folder that has it', async () => {
  const { window } = windowWith(true, '/plans/train.pipe', '/models/train.pipe', '/models/plans/other.pipe');
  expect(await linkTarget(link('plans/train.pipe', 'pipeline=train'), window)).toMatchObject({
    uri: '/plans/train.pipe',
    view: { pipeline: 'train' },
  });
  expect(await linkTarget(link('train.pipe'), window)).toMatchObject({ uri: '/models/train.pipe' });
  expect(await linkTarget(link('plans/other.pipe'), window)).toMatchObject({ uri: '/models/plans/other.pipe' });
  expect(await linkTarget(link('none.pipe'), window)).toEqual({
    problem: 'Open the folder that has "none.pipe", then open the link again.',
  });
});
