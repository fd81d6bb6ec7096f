/** The Markdown that the server writes, as elements: no text of a file becomes markup, a link or a command. */
import { entities } from './entities.ts';

const element = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  ...content: readonly (Node | string)[]
): HTMLElementTagNameMap[K] => {
  const made = document.createElement(tag);
  made.append(...content);
  return made;
};

export function markdown(text: string): DocumentFragment {
  const all = document.createDocumentFragment();
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  let at = 0;
  const take = (fits: (line: string) => boolean): string[] => {
    const taken: string[] = [];
    while (at < lines.length && fits(lines[at])) taken.push(lines[at++]);
    return taken;
  };
  while (at < lines.length) {
    const line = lines[at];
    if (line.startsWith('```')) {
      at += 1;
      all.append(element('pre', take((each) => !each.startsWith('```')).join('\n')));
      at += 1;
    } else if (/^\s*\|/.test(line)) all.append(table(take((each) => /^\s*\|/.test(each))));
    else if (/^\s*[-*] /.test(line)) {
      const items = take((each) => /^\s*[-*] /.test(each)).map((each) =>
        element('li', ...inline(each.replace(/^\s*[-*] /, ''))),
      );
      all.append(element('ul', ...items));
    } else if (/^#+ /.test(line)) {
      at += 1;
      all.append(element('h4', ...inline(line.replace(/^#+ /, ''))));
    } else if (/^(?:---+|\*\*\*+)$/.test(line.trim())) {
      at += 1;
      all.append(element('hr'));
    } else if (line.trim() === '') at += 1;
    else {
      const words = take((each) => each.trim() !== '' && !/^(?:```|#+ |\s*\||\s*[-*] |---)/.test(each));
      if (words.length === 0) words.push(lines[at++]);
      all.append(element('p', ...lineBreaks(words)));
    }
  }
  return all;
}

const lineBreaks = (lines: readonly string[]): readonly (Node | string)[] =>
  lines.flatMap((line, index) => {
    const broken = / {2,}$|\\$/.test(line) && index < lines.length - 1;
    return [
      ...inline(line.replace(/ *\\?$/, '')),
      ...(broken ? [element('br')] : index < lines.length - 1 ? [' '] : []),
    ];
  });

function table(lines: readonly string[]): HTMLElement {
  const rows = lines
    .filter((line) => !/^\s*\|[\s:|-]+\|?\s*$/.test(line))
    .map((line) =>
      line
        .trim()
        .replace(/^\||\|$/g, '')
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
  return element(
    'table',
    ...rows.map((cells, row) =>
      element('tr', ...cells.map((cell) => element(row === 0 ? 'th' : 'td', ...inline(cell)))),
    ),
  );
}

/** Code, bold, slanted, a link or a picture, or an escaped sign. */
const marks = /(`+)(.+?)\1|\*\*(.+?)\*\*|(?<![\w*])[*_]([^*_]+)[*_](?!\w)|(!?)\[([^\]]*)\]\(([^)]*)\)|\\([^\w\s])/;

function inline(text: string): readonly (Node | string)[] {
  const match = marks.exec(text);
  if (match === null) return text === '' ? [] : [entities(text)];
  const [whole, ticks, code, bold, slanted, picture, words, target, escaped] = match;
  const made =
    ticks !== undefined
      ? element('code', code.trim())
      : bold !== undefined
        ? element('strong', ...inline(bold))
        : slanted !== undefined
          ? element('em', ...inline(slanted))
          : escaped !== undefined
            ? escaped
            : linked(picture, words, target);
  return [...inline(text.slice(0, match.index)), made, ...inline(text.slice(match.index + whole.length))];
}

/** Pictures that the server draws are in the text itself; links lead nowhere but out of the page. */
function linked(picture: string, words: string, target: string): Node | string {
  if (picture === '!') {
    if (!target.startsWith('data:image/svg+xml;base64,')) return '';
    const image = element('img');
    image.alt = words;
    image.src = target.split(/[\s|]/)[0];
    return image;
  }
  return words;
}
