/** Characters that a terminal obeys but `JSON.stringify` does not escape: controls over U+007E and controls of the writing direction. */
const obeyed = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** A value as indented JSON that is safe to print: the same value for every reader of JSON. */
export const jsonText = (value: unknown): string =>
  `${JSON.stringify(value, undefined, 2).replaceAll(obeyed, escaped)}\n`;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
