/** Entries of pages that people look up: terms, settings, colours, options, fields of the report. `explain` prints them as the pages have them. */
import { join } from 'node:path';
import { table } from '../engine/basics/table.ts';
import type { Io } from './io.ts';

export interface PageEntry {
  readonly name: string;
  /** `term`, `setting`. */
  readonly what: string;
  readonly text: string;
}

/** Pages with an entry under each heading, and what an entry is. */
const pages: readonly (readonly [page: string, what: string])[] = [
  ['glossary', 'term'],
  ['settings', 'setting'],
  ['colours', 'colour'],
  ['options', 'command'],
  ['report', 'part of the report'],
];

/** Level of the headings of options and fields, which are below a command or a part of the report. */
const innerLevel = table({ options: 3, report: 4 });

/** How a name is compared: `micro-batch`, `Micro batch` and `microbatch` are one. */
export const plainName = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/^-+/g, '')
    .replaceAll(/[\s_.-]/g, '');

/** All entries, by what `plainName` makes of their names and other names. */
export function pageEntries(io: Io): ReadonlyMap<string, readonly PageEntry[]> {
  const found = new Map<string, PageEntry[]>();
  const add = (name: string, entry: PageEntry): void => {
    const same = found.get(plainName(name));
    if (same === undefined) found.set(plainName(name), [entry]);
    else if (!same.some(({ text }) => text === entry.text)) same.push(entry);
  };
  for (const [page, what] of pages) {
    const read = io.readText(join(io.packageRoot, 'docs', 'look-up', `${page}.md`));
    if (!('text' in read)) continue;
    const inner = innerLevel[page];
    let outer = '';
    for (const { heading, level, text } of sectionsOf(read.text)) {
      const isInner = level === inner;
      if (!isInner) outer = heading;
      const of = page === 'options' ? 'option' : 'field';
      const entry = { name: heading, what: isInner ? `${of} of ${outer}` : what, text };
      add(heading, entry);
      const also = /^- Also: (.+)$/m.exec(text)?.[1].split(', ') ?? [];
      for (const name of also) add(name, entry);
      // The last part of a setting or a colour: `bubble` for `pipewright.diagnostics.bubble`.
      if (heading.includes('.')) add(heading.split('.').at(-1) ?? '', entry);
    }
  }
  return found;
}

interface Section {
  readonly heading: string;
  readonly level: number;
  readonly text: string;
}

function sectionsOf(text: string): readonly Section[] {
  return [...text.matchAll(/^(#{2,4}) (.+)\n([^]*?)(?=^#{2,4} |$(?![^]))/gm)].map(([, marks, heading, body]) => ({
    heading: heading.replaceAll('`', ''),
    level: marks.length,
    text: body.replaceAll(/<!--[^]*?-->/g, '').trim(),
  }));
}
