import { columns } from './pieces.ts';
import type { Pieces } from './pieces.ts';
import { indentWidth } from './measure.ts';
import type { Layout } from './layout.ts';

interface Line {
  readonly from: number;
  readonly to: number;
  readonly indent: number;
}

const linesOf = ({ indents }: Layout): Line[] => {
  const lines: Line[] = [];
  let from = 0;
  for (let i = 1; i <= indents.length; i++) {
    if (i < indents.length && (indents[i] ?? -1) < 0) continue;
    lines.push({ from, to: i - 1, indent: Math.max(indents[from] ?? 0, 0) });
    from = i;
  }
  return indents.length === 0 ? [] : lines;
};

/**
 * Widens gaps so that the `=` of entries on consecutive lines are below each other, and then the comments at the ends of
 * consecutive lines. A blank line or a line of another form ends such a run. A comment on a separate line does not separate the
 * `=` around it. An entry without a comment does not separate the comments around it.
 */
export const align = ({ all }: Pieces, layout: Layout, gaps: string[]): void => {
  const lines = linesOf(layout);
  const columnOf = ({ from, indent }: Line, piece: number): number => {
    let column = indent * indentWidth;
    for (let i = from; i < piece; i++) column += (i > from ? (gaps[i]?.length ?? 0) : 0) + columns(all[i]?.text ?? '');
    return column;
  };
  const alignRun = (run: readonly { readonly line: Line; readonly piece: number }[], least: number): void => {
    if (run.length < 2) return;
    const ends = run.map(({ line, piece }) => columnOf(line, piece));
    const target = ends.reduce((most, column) => Math.max(most, column), 0) + least;
    run.forEach(({ piece }, i) => (gaps[piece] = ' '.repeat(target - (ends[i] ?? 0))));
  };
  const alignAll = (pieceIn: (line: Line) => number | 'other' | 'neutral', least: number): void => {
    let run: { readonly line: Line; readonly piece: number }[] = [];
    const end = (): void => {
      alignRun(run, least);
      run = [];
    };
    for (const line of lines) {
      const piece = pieceIn(line);
      if (layout.blanks.has(line.from) || piece === 'other' || run[0]?.line.indent !== line.indent) end();
      if (typeof piece === 'number') run.push({ line, piece });
    }
    end();
  };

  alignAll(({ from, to }) => {
    const isComment = from === to && all[from]?.comment !== undefined;
    return isComment ? 'neutral' : (layout.assignments.get(from) ?? 'other');
  }, 1);
  alignAll(({ from, to }) => {
    if (to > from && all[to]?.comment === 'line') return to;
    return layout.assignments.has(from) ? 'neutral' : 'other';
  }, 2);
};
