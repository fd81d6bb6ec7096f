/** The documentation as a site that needs no network. `npm run site` copies the pages to `site/pages` and builds `out/site`. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { katex } from '@mdit/plugin-katex';
import { defineConfig } from 'vitepress';

const site = path.resolve(import.meta.dirname, '..');
const pages = path.join(site, 'pages');
const grammar = JSON.parse(readFileSync(path.join(site, '../grammar/pipe.tmLanguage.json'), 'utf8'));

/** The anchor of a heading as editors and code hosts make it, so that links work everywhere. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

const titleOf = (file) =>
  /^# (.+)$/m.exec(readFileSync(path.join(pages, file), 'utf8'))?.[1].replaceAll('`', '') ?? file;

/** Pages that are read one after the other; all others are listed by their titles. */
const readingOrder = ['install', 'first-15-minutes', 'bubbles-in-10-minutes', 'llama3-70b'];
const folderTitles = { language: 'Language', std: 'Standard library' };

/** Pages of a folder and of the folders in it, the first page first. */
function itemsOf(folder) {
  const entries = readdirSync(path.join(pages, folder), { withFileTypes: true });
  // A page that only leads to another one is not listed.
  const leads = (name) => readFileSync(path.join(pages, folder, name), 'utf8').startsWith('---\nsearch: false');
  const files = entries.filter(({ name }) => name.endsWith('.md') && name !== 'index.md' && !leads(name));
  const folders = entries.filter((entry) => entry.isDirectory());
  return [
    ...files.map(({ name }) => ({
      text: titleOf(path.join(folder, name)),
      link: `/${path.posix.join(folder, name.slice(0, -3))}`,
    })),
    ...folders.map(({ name }) => groupOf(path.posix.join(folder, name), folderTitles[name] ?? name)),
  ].toSorted((a, b) => placeIn(folder, a) - placeIn(folder, b) || a.text.localeCompare(b.text));
}

const placeIn = (folder, { link }) => (folder === 'learn' ? readingOrder.indexOf(path.posix.basename(link ?? '')) : 0);

function groupOf(folder, text) {
  const hasIndex = readdirSync(path.join(pages, folder)).includes('index.md');
  return { text, collapsed: true, ...(hasIndex ? { link: `/${folder}/` } : {}), items: itemsOf(folder) };
}

/** Folders of pages in the order of the doors; those that there are. */
const sections = [
  ['learn', 'Learn'],
  ['do', 'Do'],
  ['understand', 'Understand'],
  ['look-up', 'Look up'],
  ['schedules', 'Schedules'],
  ['communication', 'Communication'],
  ['costs', 'Costs'],
  ['diagnostics', 'Findings'],
  ['formats', 'Formats'],
  ['engines', 'Engines'],
  ['examples', 'Examples'],
  ['contribute', 'Contribute'],
];
const top = readdirSync(pages, { withFileTypes: true });
const has = (folder) => top.some((entry) => entry.isDirectory() && entry.name === folder);
const single = top.filter(({ name }) => name.endsWith('.md') && name !== 'index.md').map(({ name }) => name);

const shown = sections.filter(([folder]) => has(folder));
const firstPage = (folder) =>
  readdirSync(path.join(pages, folder)).includes('index.md') ? `/${folder}/` : itemsOf(folder)[0].link;

/** All sections, with the pages of one: all pages on each page would be most of it. */
const sidebarOf = (open) => [
  ...shown.map(([folder, text]) =>
    folder === open ? { ...groupOf(folder, text), collapsed: false } : { text, link: firstPage(folder) },
  ),
  {
    text: 'More',
    collapsed: true,
    items: single.map((name) => ({ text: titleOf(name), link: `/${name.slice(0, -3)}` })),
  },
];

/** Other names of a term, `- Also: ZeRO-3, HSDP`, behind its heading: whoever looks one up finds the term first. */
const withOtherNames = (html) =>
  html.replaceAll(
    /( <a class="header-anchor"[^>]*>[^<]*<\/a><\/h2>)((?:(?!<h2)[^])*?<li>Also: ([^<]+)<\/li>)/g,
    ' ($3)$1$2',
  );

const base = process.env.SITE_BASE ?? '/';

export default defineConfig({
  title: 'Pipewright',
  description: 'Pipeline-parallel training schedules: what is wrong, what it costs, and the simulated timeline',
  srcDir: 'pages',
  outDir: '../out/site',
  cacheDir: '../out/site-cache',
  base,
  lang: 'en',
  head: [['link', { rel: 'icon', type: 'image/png', href: `${base}icon.png` }]],
  cleanUrls: false,
  lastUpdated: false,
  markdown: {
    languages: [{ ...grammar, name: 'pipe' }],
    anchor: { slugify },
    toc: { slugify },
    headers: { slugify },
    config: (md) => {
      md.use(katex, { throwOnError: true });
    },
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        _render: (text, env, md) => {
          const html = md.render(text, env);
          if (env.frontmatter?.search === false) return '';
          return env.relativePath === 'look-up/glossary.md' ? withOtherNames(html) : html;
        },
        miniSearch: {
          options: {
            // A name with a number also as one word: zero3 for ZeRO-3.
            tokenize: (text) => {
              const words = text.split(/[\n\r\p{Z}\p{P}]+/u);
              return [...words, ...(text.match(/\p{L}+-\p{N}+/gu) ?? []).map((word) => word.replace('-', ''))];
            },
          },
          searchOptions: {
            boost: { title: 8, titles: 2, text: 1 },
            prefix: true,
            // Of a short word another letter makes another name: zero3, zero1.
            fuzzy: (term) => (term.length > 6 ? 0.1 : false),
            // Whoever looks a name up wants its reference, not a file or a report that holds it.
            boostDocument: (id, term) => {
              if (id.includes('/examples/')) return 0.3;
              if (/\/look-up\/(?:report|language\/(?:search|stage))\b/.test(id)) return 0.6;
              // What has just this name, then what a term means.
              const named = id.endsWith(`#${term}`) ? 1.5 : 1;
              return named * (/\/look-up\/(?:glossary|std\/)/.test(id) ? 1.3 : 1);
            },
          },
        },
      },
    },
    outline: [2, 3],
    nav: sections
      .filter(([folder]) => ['learn', 'do', 'understand', 'look-up'].includes(folder) && has(folder))
      .map(([folder, text]) => ({ text, link: itemsOf(folder)[0].link, activeMatch: `^/${folder}/` })),
    sidebar: Object.fromEntries(
      [...shown, ['', '']].map(([folder]) => [`/${folder}${folder && '/'}`, sidebarOf(folder)]),
    ),
    docFooter: { prev: false, next: false },
  },
});
