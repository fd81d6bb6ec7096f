/** The examples of the playground: files of `examples/`, with what each shows. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { firstSentence } from '../../client/start/firstSentence.ts';

export interface Example {
  /** With its folder: `published/gpipe.pipe`. */
  readonly name: string;
  readonly about: string;
  readonly text: string;
}

/** Those that lie in no folder stand first. Profiles that they name come with them. */
export function examplesIn(root: string): readonly Example[] {
  const folder = path.join(root, 'examples');
  const depth = (name: string): number => name.split('/').length;
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.(?:pipe|graph\.txt)$/.test(name))
    .toSorted((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1))
    .map((name) => {
      const text = readFileSync(path.join(folder, name), 'utf8').replaceAll('\r\n', '\n');
      return { name, text, about: name.endsWith('.pipe') ? firstSentence(text) : '' };
    });
}
