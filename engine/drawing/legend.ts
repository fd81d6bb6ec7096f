import { type Ink, inkLook } from './ink.ts';
import { fontSize, type Sheet } from './sheet.ts';
import { points, textWidth, xmlText } from './xml.ts';

const lineHeight = 11;
const swatch = 7;

/** Kinds of work that occur, in as many lines as they need, from y = 0 down. `declared`: names of the operations that the schedule declares. */
export function legendRows(
  shown: readonly Ink[],
  sheet: Sheet,
  declared: readonly string[],
): { readonly text: string; readonly height: number } {
  let x = sheet.left;
  let y = 0;
  const parts: string[] = [];
  for (const ink of shown) {
    const { colour, marks, name } = inkLook(ink, declared);
    const width = swatch + 3 + textWidth(name, fontSize) + 8;
    // The title of the axis is at the end of the first line.
    const room = y === 0 ? sheet.right - 42 : sheet.right;
    if (x > sheet.left && x + width - 8 > room) {
      x = sheet.left;
      y += lineHeight;
    }
    const fill = marks === undefined ? colour : `url(#${ink})`;
    parts.push(
      `<rect x="${points(x)}" y="${points(y)}" width="${swatch}" height="${swatch}" fill="${fill}"/><text x="${points(x + swatch + 3)}" y="${points(y + 6)}">${xmlText(name)}</text>\n`,
    );
    x += width;
  }
  return { text: parts.join(''), height: y + lineHeight };
}
