/** Licences of the packages whose code is shipped, as one text: bundling strips them from the code. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly repository?: string | { readonly url: string };
}

/** Texts for packages that come without one. */
const missingTexts: Readonly<Record<string, string>> = {
  '@microsoft/fast-element': 'fast.txt',
  '@microsoft/fast-foundation': 'fast.txt',
  '@microsoft/fast-web-utilities': 'fast.txt',
  '@resvg/resvg-wasm': 'resvg.txt',
};

/** The folder of the package that a file belongs to; undefined for a file of this project. */
export const packageFolder = (file: string): string | undefined =>
  /^.*[\\/]?node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0];

/** Throws for a package that says nowhere under which licence it is: it cannot be shipped. Packages with one text share it. */
export function noticesOf(folders: Iterable<string>): string {
  const byText = new Map<string, string[]>();
  for (const { title, text } of [...folders].map(noticeOf).toSorted((a, b) => (a.title < b.title ? -1 : 1)))
    byText.set(text, [...(byText.get(text) ?? []), title]);
  const line = '='.repeat(80);
  const notices = [...byText].map(([text, titles]) => `${line}\n${titles.join('\n')}\n${line}\n\n${text}\n`);
  return ['Pipewright contains code of the packages below. Each has its licence below its name.\n', ...notices].join(
    '\n',
  );
}

function noticeOf(folder: string): { readonly title: string; readonly text: string } {
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;
  const { name, version, license } = manifest;
  const missing = missingTexts[name];
  const files =
    missing === undefined
      ? readdirSync(folder)
          .filter((file) => /^(licen[cs]e|notice|copyright|copying|third-?party)/i.test(file))
          .map((file) => path.join(folder, file))
      : [path.join(import.meta.dirname, 'licences', missing)];
  if (license === undefined || files.length === 0) throw new Error(`${name} has no licence that could be shipped.`);
  const texts = files.toSorted().map((file) => readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim());
  return { title: `${name} ${version} (${license}): ${sourceOf(manifest)}`, text: texts.join('\n\n') };
}

/** Where the source is. npm takes addresses of git and `OWNER/NAME` for GitHub's. */
function sourceOf({ name, repository }: Manifest): string {
  const written = typeof repository === 'string' ? repository : (repository?.url ?? '');
  const [, project] = /^(?:.*github(?:\.com)?[/:])?([\w-]+\/[\w.-]+?)(?:\.git)?$/.exec(written) ?? [];
  return project === undefined ? `https://www.npmjs.com/package/${name}` : `https://github.com/${project}`;
}
