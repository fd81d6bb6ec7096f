/** Pages of the standard library: each declaration with its figures, source and confidence, as the file has it. */
import { named } from '../../engine/language/declare.ts';
import { standardFiles } from '../../engine/std/index.ts';
import { parse } from '../../grammar/index.ts';
import type { Generated } from './generatedText.ts';
import { code, page } from './markdown.ts';

interface Kind {
  readonly file: string;
  readonly title: string;
  readonly words: string;
  readonly is: (kind: string) => boolean;
}

const kinds: Readonly<Record<string, Kind>> = {
  devices: {
    file: 'std:hardware',
    title: 'Devices',
    words: '`memory` is what a framework finds free. `compute` is the dense peak.',
    is: (kind) => kind === 'device',
  },
  links: {
    file: 'std:hardware',
    title: 'Links',
    words: 'Each is bandwidth + latency, one way.',
    is: (kind) => kind === 'let',
  },
  clusters: {
    file: 'std:clusters',
    title: 'Clusters',
    words: 'Rates are what transfers reach. `nodes` and `racks` are params of the file.',
    is: (kind) => kind === 'cluster' || kind === 'param',
  },
  models: {
    file: 'std:models',
    title: 'Models',
    words: '`sequence` is the length that pre-training used. `micro_batch` is 1 and `precision` is bf16.',
    is: (kind) => kind === 'model',
  },
};

export const standardPages = (): readonly Generated[] =>
  Object.entries(kinds).map(([name, kind]) => ({ page: `look-up/std/${name}.md`, text: textOf(kind) }));

function textOf({ file, title, words, is }: Kind): string {
  const text = standardFiles.get(file) ?? '';
  const entries = parse(text).declarations.flatMap((declaration) => {
    const found = named(declaration);
    if (found === undefined || declaration.kind === 'skipped' || declaration.kind === 'import') return [];
    if (!is(declaration.kind === 'block' ? declaration.keyword.text : declaration.kind)) return [];
    const source = text.slice(declaration.start, declaration.end);
    const doc = (declaration.doc ?? '').split(/\n(?=Sources?:)|(?<=\.)\s(?=Sources?:)/).join('\n\n');
    return [page(`## ${code(found.name.text)}`, doc, `\`\`\`pipe part\n${source}\n\`\`\``).trimEnd()];
  });
  return page(`# ${title} of ${file}`, `\`import { NAME } from "${file}"\`. ${words}`, ...entries);
}
