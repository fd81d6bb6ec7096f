/** All text of the documentation that is made from code: whole pages, and regions of pages that people write. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../build.ts';
import { blockPages } from './blocks.ts';
import { commandPages } from './commands.ts';
import { findingPages } from './findings.ts';
import type { Generated } from './generatedText.ts';
import { indexPage } from './lookUp.ts';
import { manifestPages } from './manifest.ts';
import { namePages } from './names.ts';
import { policyPages } from './policies.ts';
import { reportPages } from './report.ts';
import { standardPages } from './standard.ts';
import { termPages } from './terms.ts';

export const generated = (): readonly Generated[] => [
  indexPage(),
  ...blockPages(),
  ...namePages(),
  ...standardPages(),
  ...policyPages(),
  ...findingPages(),
  ...manifestPages(),
  ...commandPages(),
  ...reportPages(),
];

/** The end of pages that are made as a whole. */
export const note = '<!-- Made by "npm run docs". -->';
const end = '<!-- end -->';

/** Pages with the text that they must have, by path from the root. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>(termPages());
  for (const { page, region, text } of generated()) {
    const file = `docs/${page}`;
    if (region === undefined) files.set(file, `${text}\n${note}\n`);
    else
      files.set(file, withRegion(files.get(file) ?? readFileSync(path.join(root, file), 'utf8'), region, text, file));
  }
  return files;
}

/** The page with another text between `<!-- generated: NAME -->` and `<!-- end -->`. */
function withRegion(text: string, region: string, made: string, file: string): string {
  const start = `<!-- generated: ${region} -->`;
  const from = text.indexOf(start);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`${file} has no region "${region}".`);
  return `${text.slice(0, from)}${start}\n\n${made.trimEnd()}\n\n${text.slice(to)}`;
}
