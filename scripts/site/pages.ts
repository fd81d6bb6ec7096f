/** Pages as the site has them: files of the repository with their links led to pages of the site. */
import path from 'node:path';
import { addressOf, exampleAddress } from '../../platform/browser/playground/address.ts';
import { changed } from './lessonFile.ts';

type Read = (file: string) => string;

/** Where a file of the repository is on the site; `undefined` if it is not there. */
export function placeOf(file: string, files: ReadonlySet<string>): string | undefined {
  if (!files.has(file)) return undefined;
  if (file === 'docs/README.md' || (file === 'README.md' && !files.has('docs/README.md'))) return 'index.md';
  const inside = file.startsWith('docs/') ? file.slice('docs/'.length) : file.includes('/') ? file : `project/${file}`;
  return inside.replace(/\.pipe$/, '.md').replace(/(^|\/)README\.md$/, '$1index.md');
}

/** Code, which stays as it is, or a link or picture. */
const parts = /(^ *(`{3,})[^]*?^ *\2 *$|`[^`\n]*`)|(!?\[(?:[^[\]]|\[[^\]]*\])*\])\(([^)\s]+)\)/gm;

/** All pages by path in the site. */
export async function sitePages(read: Read, all: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const files = new Set(all);
  const pages = new Map<string, string>();
  for (const file of all) {
    const place = placeOf(file, files);
    if (place === undefined || pages.has(place)) continue;
    pages.set(
      place,
      file.endsWith('.pipe') ? examplePage(file, place, read(file)) : await pageText(file, place, read(file), files),
    );
  }
  return pages;
}

const examplePage = (file: string, place: string, text: string): string =>
  `# ${path.posix.basename(file)}\n\n${playgroundLink(file, place)}\n\n\`\`\`pipe\n${text.trimEnd()}\n\`\`\`\n`;

/** The playground lies in the site, and is none of its pages: the target keeps the site from looking for one. */
const playgroundLink = (file: string, place: string): string =>
  `<a href="${playground(place)}${exampleAddress(file.slice('examples/'.length))}" target="_self">Open it in the playground</a>`;
const playground = (place: string): string => relative(place, 'playground/index.html');

async function pageText(file: string, place: string, text: string, files: ReadonlySet<string>): Promise<string> {
  const linked = text
    .replaceAll('\r\n', '\n')
    .replace(parts, (_all, code: string | undefined, _ticks, words: string, target: string) => {
      if (code !== undefined) return code;
      return `${words}(${siteTarget(file, place, target, files)})`;
    });
  return (await withPlayground(linked, place)).replaceAll('{{', '&#123;&#123;');
}

/** Each fence with its language alone. Below those that are a whole file, a link opens it in the playground. */
async function withPlayground(text: string, place: string): Promise<string> {
  const written = new Map<string, string>();
  const own = `${path.posix.basename(place, '.md')}.pipe`;
  let page = '';
  let at = 0;
  for (const fence of text.matchAll(/^ *(`{3,})([^\n]*)\n([^]*?)^ *\1 *$/gm)) {
    page += `${text.slice(at, fence.index)}${plainFence(fence[0])}`;
    at = fence.index + fence[0].length;
    const file = /^pipe(?: (?:fixed|fails|([\w-]+\.pipe)( change)?))?$/.exec(fence[2]);
    if (file === null) continue;
    const [, name = own, change] = file;
    const whole = change === undefined ? fence[3] : changed(written.get(name), fence[3]);
    written.set(name, whole);
    // The playground has no other files than those of `std:`.
    if (/"(?!std:)[^"\n]+\.\w+"/.test(whole)) continue;
    const target = `${playground(place)}${await addressOf({ name, text: whole })}`;
    page += `\n\n<a class="try" href="${target}" target="_self" aria-label="Open it in the playground">Try it</a>`;
  }
  return page + text.slice(at);
}

/** A fence with its language alone: what else its first line says is for tests, and a digit there would mark a line. */
const plainFence = (fence: string): string => fence.replace(/^( *`{3,})([\w-]*)[^\n]*/, '$1$2');

function siteTarget(file: string, place: string, target: string, files: ReadonlySet<string>): string {
  if (/^(?:[a-z]+:|#)/.test(target)) return target;
  const [name, anchor] = target.split('#');
  const named = path.posix.normalize(path.posix.join(path.posix.dirname(file), name));
  const suffix = anchor === undefined ? '' : `#${anchor}`;
  const folder = [...files].some((each) => each.startsWith(`${named.replace(/\/$/, '')}/README.md`))
    ? `${named}/README.md`
    : named;
  const to = placeOf(path.posix.normalize(folder), files);
  if (to !== undefined) return `${relative(place, to)}${suffix}`;
  if (/^(?:docs\/)?images\//.test(named)) return relative(place, named.replace(/^docs\//, ''));
  // A file that is no page, such as a profile: the first page says where files are.
  return relative(place, 'index.md');
}

const relative = (from: string, to: string): string => {
  const found = path.posix.relative(path.posix.dirname(from), to);
  return found.startsWith('.') ? found : `./${found}`;
};

/** Pictures of `docs/` that a page links to instead of showing them: the site copies only pictures that it shows. */
export const linkedPictures = (texts: Iterable<string>): ReadonlySet<string> =>
  new Set(
    [...texts].flatMap((text) =>
      [...text.matchAll(/(?<!!)\[[^\]]*\]\((?:\.{1,2}\/)*(images\/[\w./-]+)\)/g)].map(([, picture]) => picture),
    ),
  );
