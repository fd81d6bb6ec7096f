/** Pages of the documentation, examples, and whole answers, as resources. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { table } from '../../engine/basics/table.ts';
import type { Io } from '../io.ts';

export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
}

/** As the list has it: its path says the rest. */
type Listed = Pick<Resource, 'uri' | 'name'>;

const scheme = 'pipewright://';
/** Answers that are kept. */
const mostAnswers = 16;

const mimeTypes = table({
  md: 'text/markdown',
  pipe: 'text/plain',
  json: 'application/json',
  csv: 'text/csv',
  yaml: 'application/yaml',
  toml: 'application/toml',
});

/** Files of the package that are text for a reader. */
const folders = ['docs', 'examples'] as const;

const typeOf = (name: string): string | undefined => mimeTypes[/\.(\w+)$/u.exec(name)?.[1] ?? ''];

export function createResources(io: Pick<Io, 'packageRoot' | 'readText'>) {
  const answers = new Map<string, { readonly text: () => string; readonly mimeType: string }>();
  let made = 0;
  let pages: readonly Resource[] | undefined;
  const listed = (): readonly Resource[] =>
    (pages ??= folders.flatMap((folder) =>
      filesBelow(join(io.packageRoot, folder)).flatMap((name) => {
        const mimeType = typeOf(name);
        const path = `${folder}/${name.replaceAll('\\', '/')}`;
        return mimeType === undefined ? [] : [{ uri: `${scheme}${path}`, name: path, mimeType }];
      }),
    ));
  return {
    list: (): readonly Listed[] =>
      listed().map(({ uri, name }) => ({ uri, name: name.slice(name.lastIndexOf('/') + 1) })),
    /** Keeps an answer, and drops the oldest. Its name never has text of a file. */
    keep(text: () => string, mimeType: string): Resource {
      made += 1;
      const name = `answer/${made}`;
      answers.set(`${scheme}${name}`, { text, mimeType });
      const [oldest] = answers.keys();
      if (answers.size > mostAnswers && oldest !== undefined) answers.delete(oldest);
      return { uri: `${scheme}${name}`, name: 'the whole answer', mimeType };
    },
    /** Undefined if there is no such resource. */
    read(uri: string): { readonly text: string; readonly mimeType: string } | undefined {
      const answer = answers.get(uri);
      if (answer !== undefined) return { text: answer.text(), mimeType: answer.mimeType };
      const page = listed().find((each) => each.uri === uri);
      if (page === undefined) return undefined;
      const read = io.readText(join(io.packageRoot, ...page.name.split('/')));
      return 'text' in read ? { text: read.text, mimeType: page.mimeType } : undefined;
    },
  };
}

function filesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  } catch {
    return [];
  }
}
