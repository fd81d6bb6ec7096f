/** A field of RFC 4180. In quotes also what a CI log would take for a command at the start of a line. */
export const quoted = (text: string): string =>
  /[",\r\n]|^\s*::/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
