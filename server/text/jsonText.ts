/** Characters that a terminal obeys but `JSON.stringify` does not escape: controls over U+007E and controls of the writing direction. */
const obeyed = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/gu;
/** `##[…]` and `##vso[…]`, which a CI log takes for commands anywhere on a line. */
const logCommand = /##(?=(?:vso)?\[)/gi;

/** A value as indented JSON that is safe to print: the same value for every reader of JSON. */
export const jsonText = (value: unknown): string =>
  `${JSON.stringify(value, undefined, 2).replaceAll(obeyed, escaped).replaceAll(logCommand, '\\u0023#')}\n`;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
