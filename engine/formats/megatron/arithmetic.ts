/** Arithmetic of a shell: `$((TP * 2))`, `$(($GPUS*$NODES))`. */

/** A whole number; undefined if a name has no number, or if the expression has other operators than + − * / % and parentheses. */
export function shellNumber(expression: string, values: ReadonlyMap<string, string>): number | undefined {
  const tokens = expression.match(/\d+|\$?\{?[A-Za-z_]\w*\}?|[-+*/%()]|\S/g) ?? [];
  let at = 0;
  const sum = (): number => {
    let value = product();
    while (tokens[at] === '+' || tokens[at] === '-') value += tokens[at++] === '+' ? product() : -product();
    return value;
  };
  const product = (): number => {
    let value = factor();
    while (tokens[at] === '*' || tokens[at] === '/' || tokens[at] === '%') {
      const operator = tokens[at++];
      const by = factor();
      // A shell divides whole numbers.
      value =
        operator === '*' ? value * by : by === 0 ? Number.NaN : operator === '/' ? Math.trunc(value / by) : value % by;
    }
    return value;
  };
  const factor = (): number => {
    const token = tokens[at++] ?? '';
    if (token === '-') return -factor();
    if (token === '(') {
      const inside = sum();
      return tokens[at++] === ')' ? inside : Number.NaN;
    }
    const written = /^\d/.test(token) ? token : (values.get(token.replace(/^\$?\{?|\}$/g, '')) ?? '');
    return /^-?\d{1,15}$/.test(written) ? Number(written) : Number.NaN;
  };
  // Parentheses are as deep as the call stack.
  const found = tokens.length > 100 ? Number.NaN : sum();
  return at === tokens.length && Number.isSafeInteger(found) ? found : undefined;
}
