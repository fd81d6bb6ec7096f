/** Findings in order of their weight. */
import type { Severity } from '../../engine/findings/catalogue.ts';
import type { Finding } from '../../engine/findings/finding.ts';
import type { Fix } from '../../engine/fixes/fix.ts';
import { shownTitle } from '../../engine/fixes/proposal.ts';
import type { Analysed } from '../analyse.ts';
import { sourceOf } from '../output/findingText.ts';
import type { SummaryList } from './summary.ts';

const order: readonly Severity[] = ['error', 'warning', 'information', 'hint'];

/** Fixes of one finding that are named. */
const mostFixes = 2;

/** `error 12:5 memory/out-of-memory: …`, with the best fixes below it. */
export function findingItems(
  files: readonly Analysed[],
  findings: (file: Analysed) => readonly Finding[],
  fixes?: ReadonlyMap<Finding, readonly Fix[]>,
): SummaryList {
  const all = files.flatMap((file) => {
    const source = sourceOf(file.path, file.text);
    return findings(file).map((found) => ({ found, file, at: source.lines.positionAt(found.place.start) }));
  });
  const sorted = all.toSorted((a, b) => order.indexOf(a.found.severity) - order.indexOf(b.found.severity));
  const items = sorted.map(({ found, file, at }) => {
    const [line, column] = [at.line + 1, at.character + 1];
    const { severity, code, message } = found;
    const titles = (fixes?.get(found) ?? []).slice(0, mostFixes).map(shownTitle);
    const place = `${files.length === 1 ? '' : `${file.name}:`}${line}:${column}`;
    return {
      line: [`${severity} ${place} ${code}: ${message}`, ...titles.map((title) => `  fix: ${title}`)].join('\n'),
      data: {
        ...(files.length === 1 ? {} : { file: file.path }),
        severity,
        line,
        column,
        code,
        message,
        ...(titles.length === 0 ? {} : { fixes: titles }),
      },
    };
  });
  return { name: 'findings', singular: 'finding', plural: 'findings', items };
}

/** How many there are of each severity. */
export const findingCounts = (
  findings: readonly { readonly severity: Severity }[],
): Readonly<Record<string, number>> => {
  const of = (severity: Severity): number => findings.filter((found) => found.severity === severity).length;
  return { errors: of('error'), warnings: of('warning'), remarks: of('information'), hints: of('hint') };
};
