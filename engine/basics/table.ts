/** A table that is looked up by words of a file: `constructor` and `__proto__` are in it only if a row says so. */
export const table = <V>(rows: Readonly<Record<string, V>>): Readonly<Record<string, V>> =>
  Object.assign(Object.create(null) as Record<string, V>, rows);
