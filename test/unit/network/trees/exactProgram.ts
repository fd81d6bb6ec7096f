/** max Σ y with A·y ≤ b and y ≥ 0, in fractions: a reference for small cases, by Bland's rule. Columns and b are whole numbers. */

interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b));
function fraction(over: bigint, under: bigint): Fraction {
  const common = gcd(over, under) || 1n;
  const sign = under < 0n ? -1n : 1n;
  return { over: (sign * over) / common, under: (sign * under) / common };
}
const minus = (a: Fraction, b: Fraction): Fraction => fraction(a.over * b.under - b.over * a.under, a.under * b.under);
const times = (a: Fraction, b: Fraction): Fraction => fraction(a.over * b.over, a.under * b.under);
const divided = (a: Fraction, b: Fraction): Fraction => fraction(a.over * b.under, a.under * b.over);
const whole = (value: number): Fraction => fraction(BigInt(value), 1n);

export function exactMaximum(columns: readonly (readonly number[])[], right: readonly number[]): number {
  const rows = right.length;
  const width = columns.length + rows;
  const table = right.map((value, row) => [
    ...columns.map((column) => whole(column[row])),
    ...right.map((_, other) => whole(other === row ? 1 : 0)),
    whole(value),
  ]);
  const goal = [...columns.map(() => whole(-1)), ...right.map(() => whole(0)), whole(0)];
  const basic = right.map((_, row) => columns.length + row);
  for (;;) {
    const entering = goal.findIndex(({ over }, column) => column < width && over < 0n);
    if (entering < 0) break;
    let leaving = -1;
    let least = whole(0);
    for (let row = 0; row < rows; row += 1) {
      if (table[row][entering].over <= 0n) continue;
      const ratio = divided(table[row][width], table[row][entering]);
      const less = minus(ratio, least).over;
      if (leaving < 0 || less < 0n || (less === 0n && basic[row] < basic[leaving])) [leaving, least] = [row, ratio];
    }
    if (leaving < 0) return Infinity;
    const by = table[leaving][entering];
    table[leaving] = table[leaving].map((value) => divided(value, by));
    for (const line of [...table.filter((_, row) => row !== leaving), goal]) {
      const factor = line[entering];
      if (factor.over === 0n) continue;
      for (let column = 0; column <= width; column += 1)
        line[column] = minus(line[column], times(factor, table[leaving][column]));
    }
    basic[leaving] = entering;
  }
  const { over, under } = goal[width];
  return Number(over) / Number(under);
}
