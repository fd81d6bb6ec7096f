/** Paragraphs, without those that are empty. */
export const sections = (...parts: readonly (string | undefined)[]): string =>
  parts.filter((one) => one !== undefined && one !== '').join('\n\n');

export const code = (text: string): string => `\`\`\`pipe\n${text}\n\`\`\``;

/** A table without a head: name and value. Rows without a value are left out. */
export function table(rows: readonly (readonly [string, string | undefined])[]): string {
  const shown = rows.filter((row) => row[1] !== undefined);
  if (shown.length === 0) return '';
  return [
    '| | |',
    '| --- | ---: |',
    ...shown.map(([name, value]) => `| ${escape(name)} | ${escape(value ?? '')} |`),
  ].join('\n');
}

const escape = (text: string): string => text.replace(/[|\\]/g, (one) => `\\${one}`).replace(/\n/g, ' ');
