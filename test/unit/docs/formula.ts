/**
 * A formula as the pages write it for KaTeX, `2 \cdot (a + 2 \cdot k) \cdot d / t`, for values of its symbols. `\cdot` and `/` are taken
 * from left to right. `\lfloor \log_2 q \rfloor` is one too. Symbols are letters, `d_q`, `\alpha`, or words in `\text{…}`. Throws on anything else.
 */
export function valueOf(formula: string, symbols: Readonly<Record<string, number>>): number {
  const tokens =
    formula
      .replaceAll(/\\(?:left|right)/g, '')
      .match(
        /\\text\{[^}]*\}|\\(?:cdot|frac|min|max|log_2|[lr]floor)|(?:\\[a-z]+|[A-Za-z])(?:_\w)?|\d+(?:\.\d+)?|\S/g,
      ) ?? [];
  let at = 0;
  const wanted = (what: string): never => {
    throw new Error(`${what} is wanted before "${tokens.slice(at).join(' ')}" in "${formula}"`);
  };
  const skip = (token: string): void => {
    if (tokens[at] !== token) wanted(`"${token}"`);
    at += 1;
  };
  /** What is between two tokens, such as brackets. */
  const inside = (open: string, close: string): number => {
    skip(open);
    const value = sum();
    skip(close);
    return value;
  };
  const base = (): number => {
    const token = tokens[at] ?? wanted('a value');
    if (token === '(') return inside('(', ')');
    at += 1;
    if (token === String.raw`\frac`) return inside('{', '}') / inside('{', '}');
    if (token === String.raw`\min` || token === String.raw`\max`) {
      const [first, second] = [inside('(', ','), sum()];
      skip(')');
      return token === String.raw`\min` ? Math.min(first, second) : Math.max(first, second);
    }
    if (token === String.raw`\log_2`) return Math.log2(base());
    if (token === String.raw`\lfloor`) {
      const value = sum();
      skip(String.raw`\rfloor`);
      return Math.floor(value);
    }
    if (/^\d/.test(token)) return Number(token);
    return symbols[token.replace(/^\\text\{(.*)\}$/, '$1')] ?? wanted(`a value for "${token}"`);
  };
  const factor = (): number => {
    const value = base();
    if (tokens[at] !== '^') return value;
    at += 2;
    return value ** Number(tokens[at - 1]);
  };
  const product = (): number => {
    let value = factor();
    for (; tokens[at] === String.raw`\cdot` || tokens[at] === '/';) {
      at += 1;
      value = tokens[at - 1] === '/' ? value / factor() : value * factor();
    }
    return value;
  };
  function sum(): number {
    let value = product();
    for (; tokens[at] === '+' || tokens[at] === '-';) {
      at += 1;
      value += tokens[at - 1] === '+' ? product() : -product();
    }
    return value;
  }
  const value = sum();
  return at === tokens.length ? value : wanted('the end');
}
