/** What the extension's package holds. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { extensionFiles } from '../../../scripts/package.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const inFolder = (folder: string): readonly string[] =>
  readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'));

test('every example and every page for users comes with the extension, and no source', () => {
  const packed = new Set(extensionFiles(root));
  const wanted = [
    ...inFolder('examples'),
    ...inFolder('docs').filter((name) => name.endsWith('.md') && !name.startsWith('docs/contribute/')),
  ];
  expect(wanted.length).toBeGreaterThan(100);
  // The preview offers these by name.
  expect(wanted).toEqual(expect.arrayContaining(['examples/quickstart.pipe', 'docs/language.md', 'docs/preview.md']));
  expect(wanted.filter((name) => !packed.has(name))).toEqual([]);
  expect(
    [...packed].filter((name) => name.endsWith('.ts') || /^(?:node_modules|docs\/contribute)\//.test(name)),
  ).toEqual([]);
});
