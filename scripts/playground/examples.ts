/** The examples of the playground: files of `examples/`, in the scripts that hold their texts. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { firstSentence } from '../../client/start/firstSentence.ts';

export interface ExampleScript {
  readonly script: string;
  readonly files: readonly { readonly name: string; readonly about: string; readonly text: string }[];
}

/** Those that stand first are loaded with the page, all others when one of them is chosen. */
export function exampleScripts(root: string): readonly ExampleScript[] {
  const folder = path.join(root, 'examples');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.(?:pipe|graph\.txt)$/.test(name))
    .toSorted()
    .map((name) => {
      const text = readFileSync(path.join(folder, name), 'utf8').replaceAll('\r\n', '\n');
      return { name, text, about: name.endsWith('.pipe') ? firstSentence(text) : '' };
    });
  const isFirst = ({ name }: { readonly name: string }): boolean => !name.includes('/');
  return [
    { script: 'examples.js', files: files.filter(isFirst) },
    { script: 'examples-more.js', files: files.filter((file) => !isFirst(file)) },
  ];
}
