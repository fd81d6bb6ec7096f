/** Figures of pipelines as a table in Markdown, for an issue or a README. */
import { figureNames, type FigureRows } from '../../engine/drawing/figureRows.ts';
import { cellMarkdown } from './userText.ts';

interface Column {
  readonly name: string;
  readonly rows: FigureRows;
}

/** One column for each pipeline. A row that no pipeline has is left out. `notes`: sentences below the table. */
export function figuresMarkdown(file: string, columns: readonly Column[], notes: readonly string[] = []): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cellMarkdown).join(' | ')} |\n`;
  const body = figureNames
    .filter((name) => columns.some(({ rows }) => rows[name] !== undefined))
    .map((name) => line([name, ...columns.map(({ rows }) => rows[name] ?? '–')]));
  const head = line([file, ...columns.map(({ name }) => name)]);
  return `${head}|${' --- |'.repeat(columns.length + 1)}\n${body.join('')}${notes.map((note) => `\n${note}\n`).join('')}`;
}
