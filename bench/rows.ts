/** One line of a table: a figure, and whether it meets its goal. */
export interface Row {
  readonly cells: readonly string[];
  /** Milliseconds of CPU behind the figure: how many calibration loops they are tells machines and busy hours apart. */
  readonly took?: number;
  /** Absent where there is no goal. */
  readonly goal?: { readonly text: string; readonly met: boolean };
}

export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly Row[];
}

/** A table as aligned columns. `loop`: milliseconds of the calibration loop. */
export function tableText({ title, head, rows }: Table, loop: number): string {
  const hasTimes = rows.some(({ took }) => took !== undefined);
  const loops = (took: number | undefined): readonly string[] =>
    hasTimes ? [took === undefined ? '' : (took / loop).toPrecision(3)] : [];
  const lines = [
    [...head, ...(hasTimes ? ['loops'] : []), 'goal', ''],
    ...rows.map(({ cells, took, goal }) => [
      ...cells,
      ...loops(took),
      goal?.text ?? '',
      goal === undefined ? '' : goal.met ? 'met' : 'MISSED',
    ]),
  ];
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const text = lines.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join('  ')
      .trimEnd(),
  );
  return `\n${title}\n${'─'.repeat(title.length)}\n${text.join('\n')}\n`;
}

export const ms = (value: number): string => `${value < 10 ? value.toFixed(2) : value.toFixed(1)} ms`;
export const rate = (perSecond: number): string =>
  perSecond >= 1e6 ? `${(perSecond / 1e6).toFixed(1)} M/s` : `${(perSecond / 1e3).toFixed(1)} k/s`;
