/** Tokens of Python that configurations need: names, numbers, plain texts, marks, and ends of statements. */
export interface PythonToken {
  readonly kind: 'name' | 'number' | 'string' | 'mark';
  /** As it is written; an end of a statement is a line break. */
  readonly text: string;
  /** Of a text without its quotes; absent for a text that Python computes. */
  readonly value?: string;
  readonly start: number;
  readonly end: number;
}

const pattern =
  /(?<space>[ \t\f\r\uFEFF]+|\\\r?\n|#[^\n]*)|(?<string>(?<prefix>[A-Za-z]{0,2})(?:"""(?:[^\\"]|\\[^]|"(?!""))*"""|'''(?:[^\\']|\\[^]|'(?!''))*'''|"(?:[^\\"\n]|\\[^])*"|'(?:[^\\'\n]|\\[^])*'))|(?<name>[A-Za-z_]\w*)|(?<number>(?:\d[\d_]*\.?[\d_]*|\.\d+)(?:[eE][-+]?\d+)?)|(?<mark>\n|\*\*|\/\/|->|[-+*/%=<>!]=|[^])/gy;

/** The tokens of a text; line breaks inside brackets are none. */
export function tokensOf(text: string): readonly PythonToken[] {
  const tokens: PythonToken[] = [];
  let depth = 0;
  for (const match of text.matchAll(pattern)) {
    const { space, string, prefix = '', name, number, mark } = match.groups ?? {};
    if (space !== undefined) continue;
    const place = { start: match.index, end: match.index + match[0].length };
    if (string !== undefined) {
      // Only a text without a prefix or escapes is its characters.
      const isPlain = prefix === '' && !string.includes('\\');
      const quotes = /^(?:"""|''')/.test(string) ? 3 : 1;
      if (isPlain) tokens.push({ kind: 'string', text: string, value: string.slice(quotes, -quotes), ...place });
      else tokens.push({ kind: 'mark', text: string, ...place });
    } else if (name !== undefined) tokens.push({ kind: 'name', text: name, ...place });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, ...place });
    else if (mark !== undefined) {
      if (/^[([{]$/.test(mark)) depth += 1;
      if (/^[)\]}]$/.test(mark)) depth = Math.max(0, depth - 1);
      if (mark !== '\n' || depth === 0) tokens.push({ kind: 'mark', text: mark, ...place });
    }
  }
  return tokens;
}
