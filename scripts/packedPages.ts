/** Pages as a package has them: without pictures that it leaves out, and without links that lead nowhere in it. */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Code, which stays as it is, or a link or picture: `![alt](target)`. */
const parts = /(^ *(`{3,})[^]*?^ *\2 *$|`[^`\n]*`)|(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/gm;

/** Mends every page below the folder, which holds a whole package. Links between packed files, and to the web, stay. */
export function mendPages(folder: string): void {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  for (const page of pages) {
    const file = path.join(folder, page);
    const text = readFileSync(file, 'utf8');
    const mended = mendedPage(text, (target) => existsSync(path.join(path.dirname(file), target)));
    if (mended !== text) writeFileSync(file, mended);
  }
}

/** `has`: whether the package has what a relative target names. */
export function mendedPage(text: string, has: (target: string) => boolean): string {
  const leads = (target: string): boolean => /^(?:[a-z]+:|#)/.test(target) || has(target.replace(/#.*$/, ''));
  const mended = text.replace(
    parts,
    (whole, code: string | undefined, _, picture: string, words: string, target: string) => {
      if (code !== undefined || leads(target)) return whole;
      return picture === '' ? words : '';
    },
  );
  // A paragraph that was a picture is gone.
  return mended === text ? text : mended.replace(/\n{3,}/g, '\n\n');
}

/** The extension's page shows no files of the package: its pictures, which are in `folder`, are put into its text. */
export function inlinePictures(file: string, folder: string): void {
  const text = readFileSync(file, 'utf8');
  const inlined = text.replace(/(!\[[^\]]*\]\()([\w./-]+\.png)\)/g, (_, before: string, target: string) => {
    const picture = readFileSync(path.join(folder, target));
    return `${before}data:image/png;base64,${picture.toString('base64')})`;
  });
  writeFileSync(file, inlined);
}

/** The editor shows a page only pictures below its folder: those of `images` are copied into `pictures` next to each page. */
export function picturesNextToPages(docs: string): void {
  for (const page of readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))) {
    const file = path.join(docs, page);
    const folder = path.dirname(file);
    if (folder === docs) continue;
    const text = readFileSync(file, 'utf8');
    const moved = text.replace(
      /(!\[[^\]]*\]\()((?:\.\.\/)+images\/([\w./-]+))\)/g,
      (_, before: string, target: string, name: string) => {
        cpSync(path.join(folder, target), path.join(folder, 'pictures', name));
        return `${before}pictures/${name})`;
      },
    );
    if (moved !== text) writeFileSync(file, moved);
  }
}
