const plain = /^[\w@%+=:,./-]+$/u;

/** A word of a POSIX shell that means this text, whatever is in it. */
export const shellWord = (text: string): string => (plain.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
