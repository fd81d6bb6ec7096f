/** Every field of the report, from its types. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../build.ts';
import type { Generated } from './generatedText.ts';
import { code, oneLine, page } from './markdown.ts';

const files = ['report', 'exchangeReport', 'fillReport', 'jobReport', 'searchReport', 'accuracy', 'measured'];

const comment = (text: string | undefined): string =>
  oneLine((text ?? '').replaceAll(/^\s*\/\*\*|\*\/\s*$/g, '').replaceAll(/^\s*\* ?/gm, ''));

export function reportPages(): readonly Generated[] {
  const parts = files.flatMap((file) =>
    interfacesOf(readFileSync(path.join(root, 'engine', 'values', `${file}.ts`), 'utf8')),
  );
  return [{ page: 'look-up/report.md', region: 'fields', text: page(...parts) }];
}

const declaration =
  /((?:\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)?)export interface (\w+)(?: extends ([^{]+?))? \{\n([^]*?)\n\}\n/g;
const field =
  /((?:^ {2}\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)?)^ {2}readonly (\w+)(\??): ([^]*?);\n(?= {2}(?:readonly|\/\*\*)|$)/gm;

const interfacesOf = (text: string): readonly string[] =>
  [...text.replaceAll('\r\n', '\n').matchAll(declaration)].map(([, doc, name, base, body]) =>
    page(
      `### ${name}`,
      comment(doc),
      base === undefined ? '' : `It also has the fields of ${code(oneLine(base))}.`,
      ...[...`${body}\n`.matchAll(field)].map(([, about, key, optional, type]) => {
        const meaning = comment(about);
        const written = code(`${key}${optional}: ${oneLine(type.replaceAll('readonly ', ''))}`);
        return `#### ${code(key)}\n\n${written}${meaning === '' ? '' : `. ${meaning}`}`;
      }),
    ).trimEnd(),
  );
