/** Links from the first use of each term of the glossary on a page that people read from top to bottom. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../build.ts';
import { relative } from './markdown.ts';

const folders = ['learn', 'do', 'understand'];
const glossary = 'look-up/glossary.md';

interface Term {
  readonly anchor: string;
  /** Pages that the entry refers to: they explain the term. */
  readonly page: string;
  readonly forms: readonly string[];
}

/** Other names that are everyday words too. They are not linked. */
const everyday: ReadonlySet<string> = new Set([
  ...['step', 'slots', 'flash', 'moments', 'balance', 'partition', 'adapter', 'gb/s', 'pipedream'],
]);
/** Nouns that are verbs or adjectives too: they are linked behind an article or the like. */
const alsoVerbs: ReadonlySet<string> = new Set([
  ...['cut', 'overlap', 'forward', 'backward', 'offload', 'recompute', 'ring', 'shape', 'flush', 'schedule', 'rank'],
]);
const article = '(?:a|an|the|this|each|every|its|one|another|no|first|last|next|second|whole|your) ';

/** Terms of the glossary, by what its page says. */
export function termsOf(text: string): readonly Term[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map((entry) => {
      const [name = ''] = entry.split('\n');
      const also = /^- Also: (.+)$/m.exec(entry)?.[1].split(', ') ?? [];
      return {
        anchor: name.toLowerCase().replaceAll(' ', '-'),
        page: path.posix.join('look-up', /^- See: \[.+?\]\(([^)#]+)/m.exec(entry)?.[1] ?? ''),
        forms: [name, ...also].filter((form) => !everyday.has(form.toLowerCase())),
      };
    });
}

const isAcronym = (form: string): boolean => /[A-Z].*[A-Z]/.test(form);
const escaped = (form: string): string => form.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);

/** What a form looks like in a text: with or without a capital, and in the plural. */
function patternOf(form: string): string {
  if (isAcronym(form)) return `${escaped(form)}s?`;
  const first = form.charAt(0);
  const word = `[${first.toLowerCase()}${first.toUpperCase()}]${escaped(form.slice(1))}`;
  if (alsoVerbs.has(form.toLowerCase())) return `(?<=\\b${article})${word}`;
  return `${word.replace(/(?<=[^aeiou])y$/, '(?:y|ies)')}(?:s|es)?`;
}

/** Pages whose words have another meaning than in the glossary, such as a shape of devices and microbatches. */
const otherMeanings: Readonly<Record<string, readonly string[]>> = {
  'do/write-a-schedule.md': ['parameter', 'shape', 'sequence'],
};

/** Pieces of a line that hold no term: code, names of commands, formulas, comments, addresses, and links, whose text may. A link may go on in the next line. */
const pieces =
  /(`+)(?:(?!\1).)+\1|\$[^$]+\$|<!--.*?-->|!?\[(?<link>[^\]]*)\]\([^)]*\)|^[^[\]]*\]\([^)]*\)|\[[^[\]]*$|\*Pipewright:[^*]+\*|https?:\S+/gu;

/** The page with a link to the glossary at the first use of each term, and no other link to an entry. */
export function withTerms(page: string, text: string, terms: readonly Term[]): string {
  const address = relative(page, glossary);
  const unlinked = text.replaceAll(new RegExp(`\\[([^\\]]+)\\]\\(${escaped(address)}#[^)]+\\)`, 'g'), '$1');
  const seen = new Set(
    terms.filter((term) => term.page === page || otherMeanings[page]?.includes(term.anchor) === true),
  );
  const forms = terms
    .flatMap((term) => term.forms.map((form) => ({ term, form })))
    .toSorted((a, b) => b.form.length - a.form.length);
  const words = new RegExp(
    `(?<![\\w$/.-])(?:${forms.map(({ form }) => `(${patternOf(form)})`).join('|')})(?![\\w$/-])`,
    'gu',
  );
  /** Which term a match is: its group says so. */
  const termAt = (groups: readonly unknown[]): Term | undefined =>
    forms[groups.findIndex((group) => group !== undefined)]?.term;
  const linked = (prose: string): string =>
    prose.replaceAll(words, (found: string, ...groups: unknown[]) => {
      const term = termAt(groups.slice(0, forms.length));
      if (term === undefined || seen.has(term)) return found;
      seen.add(term);
      return `[${found}](${address}#${term.anchor})`;
    });
  const note = (prose: string): void => void linked(prose);
  let fence: string | undefined;
  let inRegion = false;
  const isRule = (line: string): boolean => /^\|[\s|:-]+\|$/.test(line);
  const lineOf = (line: string, index: number, lines: readonly string[]): string => {
    const mark = /^\s*(```+)/.exec(line)?.[1];
    if (mark !== undefined) fence = fence === undefined ? mark : mark.startsWith(fence) ? undefined : fence;
    if (/^<!-- (?:generated|runs|end)/.test(line)) inRegion = !line.startsWith('<!-- end');
    if (fence !== undefined || mark !== undefined || inRegion || /^(?:#|Sources?:)/.test(line)) return line;
    if (isRule(line) || isRule(lines[index + 1] ?? '')) return line;
    let done = '';
    let from = 0;
    for (const piece of line.matchAll(pieces)) {
      done += linked(line.slice(from, piece.index)) + piece[0];
      // The text of another link is a use of the term, and leads to more than the glossary does.
      note(piece.groups?.['link'] ?? '');
      from = piece.index + piece[0].length;
    }
    return done + linked(line.slice(from));
  };
  return unlinked.split('\n').map(lineOf).join('\n');
}

/** The pages with their links, by path from the root. */
export function termPages(): ReadonlyMap<string, string> {
  const read = (page: string): string => readFileSync(path.join(root, 'docs', page), 'utf8').replaceAll('\r\n', '\n');
  const terms = termsOf(read(glossary));
  const pages = folders.flatMap((folder) =>
    readdirSync(path.join(root, 'docs', folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  );
  return new Map(pages.map((page) => [`docs/${page}`, withTerms(page, read(page), terms)]));
}
