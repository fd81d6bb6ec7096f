/** Text of files in XML. Files come from other people: no character of theirs may end an element or steer a reader. */
import { table } from '../basics/table.ts';

/** Characters that XML 1.0 forbids, controls of the writing direction, and halves of surrogate pairs. */
const unprintable = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/gu;

/** A text for an element or an attribute in double quotes. */
export const xmlText = (text: string): string =>
  text
    .replaceAll(unprintable, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** A length in points, at a thousandth: finer than any printer. */
export const points = (value: number): string => String(Math.round(value * 1000) / 1000);

/**
 * About how wide a text is, in points. DejaVu Sans is the widest of the fonts that a reader may have; ideographs are as wide as the
 * font is high.
 */
export function textWidth(text: string, size: number): number {
  let width = 0;
  for (const character of text) width += character > '\u2e7f' ? 1 : (narrow[character] ?? 0.61);
  return width * size;
}

const narrow: Readonly<Record<string, number>> = table({
  ...Object.fromEntries([...' .,:;|!ijl()[]'].map((character) => [character, 0.39])),
  ...Object.fromEntries([...'mwMW%@'].map((character) => [character, 0.99])),
});

/** The text, cut to a width with an ellipsis at its end. */
export function fitted(text: string, size: number, width: number): string {
  if (textWidth(text, size) <= width) return text;
  const characters = [...text];
  while (characters.length > 1 && textWidth(`${characters.join('')}…`, size) > width) characters.pop();
  return `${characters.join('')}…`;
}
