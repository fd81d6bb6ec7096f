import { expect, test } from 'vitest';
import { isServed, mayCompare, mayPreview } from '../../../client/documentUris.ts';

const file = { scheme: 'file', authority: '', path: '/project/train.pipe' };
const nowhere = { isServed: true, isOpen: false, inWorkspace: false, hasFolders: true };
const inside = { ...nowhere, inWorkspace: true };
const alone = { ...nowhere, hasFolders: false };

test.each([
  ['a file of the workspace', file, inside, true],
  ['a file outside of it', file, nowhere, false],
  ['that file, open in the editor', file, { ...nowhere, isOpen: true }, true],
  ['a file where no folder is open', file, alone, true],
  ['a file of another machine', { ...file, authority: 'server' }, alone, false],
  ['a file with another ending', { ...file, path: '/project/secrets.txt' }, inside, false],
  ['a file with a control character in its name', { ...file, path: '/project/a\n.pipe' }, inside, false],
  [
    'an unsaved document that is open',
    { ...file, scheme: 'untitled', path: 'Untitled-1' },
    { ...alone, isOpen: true },
    true,
  ],
  ['an unsaved document that is not', { ...file, scheme: 'untitled', path: 'Untitled-1' }, alone, false],
  ['a file of a repository in the browser', { ...file, scheme: 'vscode-vfs', authority: 'github' }, inside, true],
  ['the same outside of the workspace', { ...file, scheme: 'vscode-vfs', authority: 'github' }, alone, false],
  [
    'a web page',
    { ...file, scheme: 'https', authority: 'example.org' },
    { ...inside, isServed: false, isOpen: true },
    false,
  ],
  ['a command', { scheme: 'command', authority: '', path: 'x.pipe' }, { ...inside, isServed: false }, false],
])('%s', (_, uri, around, allowed) => {
  expect(mayPreview(uri, around)).toBe(allowed);
});

test('files of every kind are served, and earlier versions of them are not', () => {
  const ofFiles = (scheme: string): boolean => ['file', 'memfs', 'git'].includes(scheme);
  const schemes = ['file', 'untitled', 'vscode-vfs', 'memfs', 'git', 'pipewright-policy', 'https'];
  expect(schemes.filter((scheme) => isServed(scheme, ofFiles))).toEqual(['file', 'untitled', 'vscode-vfs', 'memfs']);
});

test('in a workspace that is not trusted, only files of its folders come under a preview', () => {
  const trusted = { isTrusted: true, inWorkspace: false };
  expect(mayCompare(file, trusted)).toBe(true);
  expect(mayCompare(file, { isTrusted: false, inWorkspace: false })).toBe(false);
  expect(mayCompare(file, { isTrusted: false, inWorkspace: true })).toBe(true);
  expect(mayCompare({ scheme: 'https' }, trusted)).toBe(false);
});
