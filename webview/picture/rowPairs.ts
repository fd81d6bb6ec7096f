/** A device of two timelines: its row in each, −1 where there is none. */
export interface RowPair {
  readonly name: string;
  readonly upper: number;
  readonly lower: number;
}

export interface RowPairs {
  /** In the order of the upper timeline; devices of the lower one alone come last. */
  readonly rows: readonly RowPair[];
  /** No device has the same name in both, so they are paired by their place. */
  readonly byPlace: boolean;
}

/** Pairs devices by name. If no name is the same and there are as many of both, by place. */
export function rowPairs(upper: readonly string[], lower: readonly string[]): RowPairs {
  const places = new Map(lower.map((name, index) => [name, index]));
  const byPlace = upper.length === lower.length && !upper.some((name) => places.has(name));
  if (byPlace) {
    const rows = upper.map((name, index) => ({ name: `${name} / ${lower[index]}`, upper: index, lower: index }));
    return { rows, byPlace };
  }
  const known = new Set(upper);
  const alone = lower.flatMap((name, index) => (known.has(name) ? [] : [{ name, upper: -1, lower: index }]));
  return {
    rows: [...upper.map((name, index) => ({ name, upper: index, lower: places.get(name) ?? -1 })), ...alone],
    byPlace,
  };
}
