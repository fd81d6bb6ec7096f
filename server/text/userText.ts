/**
 * Text of a file, in Markdown that an editor renders. Files come from other people. Their text may have emphasis, lists,
 * headings, code and links to web pages. It may have no image, no HTML, and no link that runs a command or opens a file.
 *
 * What is allowed is found first and written in one fixed form. Everything else that Markdown or HTML could read is escaped.
 */
import { printable } from './printable.ts';

const fence = /^ {0,3}(`{3,})([^`]*)$/;
const fenceEnd = /^\s*`{3,}\s*$/;
/**
 * Code on one line, a link to a web page, or its address alone. Code must be without bars, which split the cells of a table even
 * inside code.
 */
const allowed =
  /(?<code>(?<!`)`(?!`)[^`|]+`(?!`))|\[(?<words>[^[\]`<>\\|]*)\]\((?<target>https?:\/\/[\w.~:/?#@!$&'*+,;=%-]+)\)|(?<address>https?:\/\/[\w.~/?#&+=%-]*[\w/#])/gu;

/** A doc comment, as Markdown. */
export function userMarkdown(text: string): string {
  const lines: string[] = [];
  let inCode = false;
  for (const line of text.split(/\r\n|\r|\n/).map(printable)) {
    const opens = inCode ? null : fence.exec(line);
    if (opens !== null) lines.push(`\`\`\`${/^\w*/.exec(opens[2].trim())?.[0] ?? ''}`);
    else if (inCode && fenceEnd.test(line)) lines.push('```');
    else lines.push(inCode ? line : lineOf(line));
    if (opens !== null) inCode = true;
    else if (fenceEnd.test(line)) inCode = false;
  }
  if (inCode) lines.push('```');
  return lines.join('\n');
}

function lineOf(line: string): string {
  let from = 0;
  let out = '';
  for (const found of line.matchAll(allowed)) {
    const { code, address = '', words = address, target = address } = found.groups ?? {};
    out += escaped(line.slice(from, found.index)) + (code ?? `[${escaped(words)}](${target})`);
    from = found.index + found[0].length;
  }
  return out + escaped(line.slice(from));
}

/**
 * What could begin a link, an image, HTML, an entity, code or a table. An address that a renderer finds by itself would swallow the
 * escapes behind it, so none is left.
 */
const escaped = (text: string): string =>
  text.replaceAll(/[\\`[\]<>&|~!@]|:(?=\/\/)|(?<=www)\./gi, (character) => `\\${character}`);

/** A text of a file inside a paragraph, unchanged: no part of it is read as Markdown. */
export const plainMarkdown = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => printable(line).replaceAll(/[\\`*_{}[\]()#+\-.:!=|<>&~]/g, (character) => `\\${character}`))
    .join('\n');

/** A text of a file in a cell of a table, in one line: no part of it is read as Markdown. Figures in words stay as they are. */
export const cellMarkdown = (text: string): string =>
  escaped(printable(text.replaceAll(/\s+/g, ' ').trim())).replaceAll(/[*_]/g, (character) => `\\${character}`);

/** A text of a file as code in a line. */
export function inlineCode(text: string): string {
  const line = printable(text.replaceAll(/\s+/g, ' ').trim());
  const ticks = '`'.repeat(longestTicks(line) + 1);
  const space = /^`|`$/.test(line) ? ' ' : '';
  return line === '' ? '' : `${ticks}${space}${line}${space}${ticks}`;
}

/** Backticks of the longest run in a text. */
export const longestTicks = (text: string): number =>
  [...text.matchAll(/`+/g)].reduce((longest, [run]) => Math.max(longest, run.length), 0);
