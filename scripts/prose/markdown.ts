import { codeWord, type Passage } from './passage.ts';

/** Markdown of one passage → its words: code and a formula become `codeWord`, a link its text, emphasis goes. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/<!--.*?-->/gu, '')
    .replaceAll(/(`+)(?:(?!\1).)+\1/gu, codeWord)
    .replaceAll(/\$\$?[^$]+\$\$?/gu, codeWord)
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/gu, '$1')
    .replaceAll(/https?:\S+/gu, codeWord)
    .replaceAll(/\*\*|\*(?=\S)|(?<=\S)\*/gu, '')
    .replaceAll(/\\(.)/gu, '$1')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}

const cellsOf = (row: string): readonly string[] =>
  row
    .trim()
    .replaceAll(/^\||\|$/gu, '')
    .split(/(?<!\\)\|/u);

/** Most columns of a table: more do not fit a phone, or a page next to an editor. */
const mostColumns = 4;

/** Lines of the rules of tables that have too many columns, on a page below docs/. */
export function wideTables(file: string, text: string): readonly number[] {
  if (!file.startsWith('docs/')) return [];
  return text
    .replaceAll(/^(`{3,})[^]*?^\1$/gmu, (fence) => fence.replaceAll(/[^\n]/gu, ''))
    .split('\n')
    .flatMap((row, index) => (/^\s*\|[\s|:-]+\|$/u.test(row) && cellsOf(row).length > mostColumns ? [index + 1] : []));
}

/** `search` as code without a noun: it is a policy, a block and a command. Names in a list need none. */
const namelessSearch = /(?<!(?:policy|command|block) )(?<!`,? (?:and |or )?)`search(?:\([^`]*\))?`(?! block|, `|: )/u;

/** Lines of a page below docs/ that do not say which `search` they mean. Headings and tables may list names. */
export function namelessSearches(file: string, text: string): readonly number[] {
  if (!file.startsWith('docs/')) return [];
  return text
    .replaceAll(/^ *(`{3,})[^]*?^ *\1$/gmu, (fence) => fence.replaceAll(/[^\n]/gu, ''))
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, '$1')
    .split('\n')
    .flatMap((line, index) => (!/^[#|]/u.test(line) && namelessSearch.test(line) ? [index + 1] : []));
}

/** Passages of a page. Fenced code, headings of sources and rules of tables hold no prose. */
export function passagesOfMarkdown(file: string, text: string): readonly Passage[] {
  const passages: Passage[] = [];
  let paragraph: string[] = [];
  let start = 0;
  const add = (line: number, markdown: string, cell?: true): void => {
    const words = plain(markdown);
    if (words !== '') passages.push({ file, line, text: words, ...(cell && { cell }) });
  };
  const flush = (): void => {
    add(start, paragraph.join(' '));
    paragraph = [];
  };
  let fence: string | undefined;
  for (const [index, row] of text.split('\n').entries()) {
    const mark = /^\s*(```+|~~~+)/u.exec(row)?.[1];
    if (mark !== undefined) {
      if (fence === undefined) fence = mark;
      else if (mark.startsWith(fence)) fence = undefined;
      flush();
    } else if (fence !== undefined) continue;
    else if (/^\s*\|/u.test(row)) {
      flush();
      if (!/^[\s|:-]+$/u.test(row)) for (const cell of cellsOf(row)) add(index + 1, cell, true);
    } else if (row.trim() === '' || /^#+ /u.test(row)) {
      flush();
      add(index + 1, row.replace(/^#+ /u, ''));
    } else {
      const item = /^\s*(?:[-*+]|\d+\.)\s+(.*)$/u.exec(row)?.[1];
      if (item !== undefined) flush();
      if (paragraph.length === 0) start = index + 1;
      paragraph.push(item ?? row.trim());
    }
  }
  flush();
  return passages;
}
