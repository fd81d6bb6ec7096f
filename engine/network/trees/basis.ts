/** The basis of a linear program max Σy, A·y + s = b, y, s ≥ 0: its inverse, its values and its prices. */

export interface Basis {
  /** z of each row: what a unit more of b brings. */
  readonly prices: Float64Array;
  /** Column of each row: a number given by `enter`, or −1 − r for the slack of row r. */
  readonly columns: Int32Array;
  readonly values: Float64Array;
  /** Sum of the values of columns: what the basis gives. */
  total(): number;
  /** Takes in a column with a positive reduced cost. False if nothing limits it. */
  enter(column: number, entries: Float64Array, gain: number): boolean;
  /** Takes in the slack of a row. */
  enterSlack(row: number): boolean;
}

const tiny = 1e-11;

/**
 * Starts with slacks only: b is positive. Rows that limit alike are decided by the lexicographic rule (Dantzig, Orden and Wolfe, 1955),
 * so that no basis comes back.
 */
export function basisOf(right: readonly number[]): Basis {
  const rows = right.length;
  const inverse = new Float64Array(rows * rows);
  for (let row = 0; row < rows; row += 1) inverse[row * rows + row] = 1;
  const values = Float64Array.from(right);
  const prices = new Float64Array(rows);
  const columns = Int32Array.from({ length: rows }, (_, row) => -1 - row);
  const direction = new Float64Array(rows);
  /** Places that are not zero: a tree takes few of the resources. */
  const filled = new Int32Array(rows);

  /** Negative if row a of the inverse, divided by its direction, comes before row b's. */
  const lexicographic = (a: number, b: number): number => {
    for (let at = 0; at < rows; at += 1) {
      const less = inverse[a * rows + at] / direction[a] - inverse[b * rows + at] / direction[b];
      if (Math.abs(less) > tiny) return less;
    }
    return 0;
  };

  const pivot = (column: number, gain: number): boolean => {
    let [leaving, least] = [-1, Infinity];
    for (let row = 0; row < rows; row += 1) {
      if (direction[row] <= tiny) continue;
      const ratio = Math.max(0, values[row]) / direction[row];
      const same = leaving >= 0 && Math.abs(ratio - least) <= tiny * Math.max(1, least);
      if (same ? lexicographic(row, leaving) < 0 : ratio < least) [leaving, least] = [row, ratio];
    }
    if (leaving < 0) return false;
    const by = direction[leaving];
    const base = leaving * rows;
    let count = 0;
    for (let at = 0; at < rows; at += 1) {
      const entry = inverse[base + at];
      if (entry === 0) continue;
      inverse[base + at] = entry / by;
      filled[count] = at;
      count += 1;
    }
    values[leaving] /= by;
    for (let row = 0; row < rows; row += 1) {
      const factor = direction[row];
      if (row === leaving || factor === 0) continue;
      const start = row * rows;
      for (let index = 0; index < count; index += 1) {
        const at = filled[index];
        inverse[start + at] -= factor * inverse[base + at];
      }
      values[row] -= factor * values[leaving];
    }
    for (let at = 0; at < rows; at += 1) prices[at] += gain * inverse[base + at];
    columns[leaving] = column;
    return true;
  };

  return {
    prices,
    columns,
    values,
    total() {
      let sum = 0;
      for (let row = 0; row < rows; row += 1) if (columns[row] >= 0) sum += values[row];
      return sum;
    },
    enter(column, entries, gain) {
      let count = 0;
      for (let at = 0; at < rows; at += 1) if (entries[at] !== 0) filled[count++] = at;
      for (let row = 0; row < rows; row += 1) {
        let sum = 0;
        for (let index = 0; index < count; index += 1)
          sum += inverse[row * rows + filled[index]] * entries[filled[index]];
        direction[row] = sum;
      }
      return pivot(column, gain);
    },
    enterSlack(slack) {
      for (let row = 0; row < rows; row += 1) direction[row] = inverse[row * rows + slack];
      return pivot(-1 - slack, -prices[slack]);
    },
  };
}
