import { describe, expect, it } from 'vitest';
import { shortDiff } from '../../../webview/view/panels/stall/diffLines.ts';

const row = (sign: string, items: readonly string[]): string => `${sign} row(2) = ${items.join(', ')}`;
const forwards = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, at) => `F[${from + at}]`);

describe('the lines of a fix in a narrow card', () => {
  it('are whole where they are short', () => {
    const lines = ['- row(0) = F[0], B[0], F[1], B[1]', '+ row(0) = F[0], F[1], B[0], B[1]'];
    expect(shortDiff(lines)).toEqual(lines);
  });

  it('show what changes with an operation on each side', () => {
    const before = [...forwards(0, 20), 'B[0]', ...forwards(20, 40)];
    const after = [...forwards(0, 19), 'B[0]', ...forwards(19, 40)];
    expect(shortDiff([row('-', before), row('+', after)])).toEqual([
      '- row(2) = …, F[18], F[19], B[0], F[20], …',
      '+ row(2) = …, F[18], B[0], F[19], F[20], …',
    ]);
  });

  it('show both ends of a long move', () => {
    const lines = [row('-', [...forwards(0, 90), 'B[0]']), row('+', ['B[0]', ...forwards(0, 90)])];
    expect(shortDiff(lines)).toEqual([
      '- row(2) = F[0], F[1], F[2], …, F[88], F[89], B[0]',
      '+ row(2) = B[0], F[0], F[1], …, F[87], F[88], F[89]',
    ]);
  });

  it('stay as they are where lines have no counterpart', () => {
    const lines = [row('-', forwards(0, 40)), row('-', forwards(0, 41)), row('+', forwards(0, 42))];
    expect(shortDiff(lines)).toEqual(lines);
  });
});
