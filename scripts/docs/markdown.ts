/** Pieces of generated pages. */

/** Paragraphs and lists with an empty line between them; empty ones are left out. */
export const page = (...parts: readonly string[]): string => `${parts.filter((part) => part !== '').join('\n\n')}\n`;

/** A fact of an entry, such as `- Default: …`; nothing if there is none. */
export const fact = (name: string, text: string | undefined): string =>
  text === undefined || text === '' ? '' : `- ${name}: ${text}`;

export const list = (items: readonly string[]): string => items.filter((item) => item !== '').join('\n');

export const code = (text: string): string => `\`${text}\``;

/** A text on one line. */
export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** A sentence: with a capital and a stop. */
export function sentence(text: string): string {
  const first = text.charAt(0);
  const stopped = /[.!?:…`)]$/.test(text) && !/[`)]$/.test(text) ? text : `${text}.`;
  return first === '`' ? stopped : first.toUpperCase() + stopped.slice(1);
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => oneLine(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** The path of a page below `docs/` as a page in `from`, also below `docs/`, links to it. */
export function relative(from: string, to: string): string {
  const folders = from.split('/').slice(0, -1);
  const parts = to.split('/');
  let same = 0;
  while (same < folders.length && same < parts.length - 1 && folders[same] === parts[same]) same += 1;
  return [...folders.slice(same).map(() => '..'), ...parts.slice(same)].join('/');
}
