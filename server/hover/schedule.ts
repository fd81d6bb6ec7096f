import type { TestedSchedule } from '../../engine/grid/testFindings.ts';
import { shapesWith, shapeText, testedShapes } from '../../engine/grid/testFindings.ts';
import type { SymbolInfo } from '../../engine/language/resolution.ts';
import { membersOf } from '../ownFunctions.ts';
import { printable } from '../printable.ts';
import { userMarkdown } from '../userText.ts';
import type { View } from '../view.ts';
import { columns, sections } from './markdown.ts';

/** Parameters of a schedule of a file, and what its tests found. */
export function scheduleText(view: View, { id, name }: SymbolInfo): string {
  const parameters = membersOf(view, id, ['param']).map((symbol) => [
    printable(`${symbol.name} = ${symbol.detail ?? ''}`),
    symbol.doc === undefined ? '' : userMarkdown(symbol.doc),
  ]);
  const tests = view.analysis.tests.filter(({ test }) => test.name === name).map(testText);
  return sections(parameters.length === 0 ? undefined : columns(parameters, ['left', 'left']), ...tests);
}

/** Failing shapes that are named. */
const mostNamed = 6;

function testText({ answer }: TestedSchedule): string {
  const { conditions } = answer;
  const failed = shapesWith(answer, 'failed');
  const more = failed.length > mostNamed ? `; and ${failed.length - mostNamed} more` : '';
  return sections(
    `Tested on ${testedShapes(answer)}.`,
    failed.length === 0 ? undefined : `Fails with ${failed.slice(0, mostNamed).map(shapeText).join('; ')}${more}.`,
    conditions === undefined
      ? undefined
      : `Refuse these with ${conditions.map((text) => `\`require ${text}\``).join(' and ')}.`,
  );
}
