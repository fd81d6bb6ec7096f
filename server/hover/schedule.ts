import type { TestedSchedule } from '../../engine/grid/testFindings.ts';
import { shapesWith, shapeText, testedShapes } from '../../engine/grid/testFindings.ts';
import { testedTable, verdictLetters, verdictSigns } from '../../engine/grid/testedTable.ts';
import type { SymbolInfo } from '../../engine/language/resolution.ts';
import { list } from '../../engine/basics/quantities.ts';
import { membersOf } from '../ownFunctions.ts';
import { printable } from '../text/printable.ts';
import { userMarkdown } from '../text/userText.ts';
import type { View } from '../view.ts';
import { columns, sections } from './markdown.ts';

/** Parameters of a schedule of a file, what it takes over, and what its tests found. */
export function scheduleText(view: View, { id, name }: SymbolInfo): string {
  const parameters = membersOf(view, id, ['param']).map((symbol) => [
    printable(`${symbol.name} = ${symbol.detail ?? ''}`),
    symbol.doc === undefined ? '' : userMarkdown(symbol.doc),
  ]);
  const tests = view.analysis.tests.filter(({ test }) => test.name === name).map(testText);
  return sections(
    takenOver(view, name),
    parameters.length === 0 ? undefined : columns(parameters, ['left', 'left']),
    ...tests,
  );
}

/** Entries that a hover names. */
const mostEntries = 8;

/** "Takes over `zb_h1`. It changes or adds `let warm(d)` and `row(devices - 1)`." */
function takenOver({ syntax }: View, name: string): string | undefined {
  const block = syntax.declarations.find(
    (declaration) =>
      declaration.kind === 'block' && declaration.keyword.text === 'schedule' && declaration.name?.text === name,
  );
  const entries = block?.kind === 'block' ? (block.body?.entries ?? []).filter((item) => item.kind === 'entry') : [];
  const from = entries.find(({ key }) => key.text === 'from')?.values?.[0];
  if (from === undefined || from.kind === 'missing') return undefined;
  const shown = (start: number, end: number) =>
    `\`${printable(syntax.text.slice(start, end).replace(/\s+/g, ' ').trim())}\``;
  const changed = entries.filter(({ key }) => key.text !== 'from');
  const names = changed
    .slice(0, mostEntries)
    .map(({ key, start, end, values, body }) =>
      key.text === 'require'
        ? shown(start, end)
        : shown(start, Math.max(key.end, lastBefore(syntax.text, values?.[0]?.start ?? body?.start ?? end))),
    );
  const more = changed.length > mostEntries ? [`${changed.length - mostEntries} more`] : [];
  const changes = names.length === 0 ? '' : ` It changes or adds ${list([...names, ...more])}.`;
  return `Takes over ${shown(from.start, from.end)}.${changes}`;
}

/** The end of what is before `=`. */
const lastBefore = (text: string, end: number): number => text.slice(0, end).replace(/\s*=?\s*$/, '').length;

/** Failing shapes that are named. */
const mostNamed = 6;

/** Larger tables show their first rows and columns. */
const mostCells = { rows: 12, columns: 24 };

/** A sign for each number of devices and microbatches; of several parameters the one that fails. */
function tableText({ test, answer }: TestedSchedule): string | undefined {
  const letters = answer.verdicts.map(({ verdict }) => verdictLetters[verdict]).join('');
  const table = testedTable({ axes: test.axes, verdicts: letters });
  if (table === undefined || answer.verdicts.length === 0) return undefined;
  const [devices, microbatches] = [
    table.devices.slice(0, mostCells.rows),
    table.microbatches.slice(0, mostCells.columns),
  ];
  const width = Math.max(...microbatches.map((m) => String(m).length)) + 1;
  const line = (head: string, cells: readonly string[]): string =>
    `${head.padStart(6)} ${cells.map((cell) => cell.padStart(width)).join('')}`.trimEnd();
  const lines = [
    line('p \\ m', microbatches.map(String)),
    ...devices.map((p, row) =>
      line(
        String(p),
        microbatches.map((_, column) => verdictSigns[table.verdict(row, column, {})]),
      ),
    ),
  ];
  const cut = devices.length < table.devices.length || microbatches.length < table.microbatches.length;
  return ['```text', ...lines, ...(cut ? ['and more'] : []), '```'].join('\n');
}

function testText(tested: TestedSchedule): string {
  const { answer } = tested;
  const { conditions } = answer;
  const failed = shapesWith(answer, 'failed');
  const more = failed.length > mostNamed ? `; and ${failed.length - mostNamed} more` : '';
  return sections(
    `Tested on ${testedShapes(answer)}.`,
    tableText(tested),
    failed.length === 0 ? undefined : `Fails with ${failed.slice(0, mostNamed).map(shapeText).join('; ')}${more}.`,
    conditions === undefined
      ? undefined
      : `Refuse these with ${conditions.map((text) => `\`require ${text}\``).join(' and ')}.`,
  );
}
