/** What every fix of a mistake promises, checked on the text that it makes. */
import { expect } from 'vitest';
import type { Analysis } from '../../../../engine/flow/check.ts';
import type { Code } from '../../../../engine/findings/catalogue.ts';
import type { Finding } from '../../../../engine/findings/finding.ts';
import { type Fix, fixesFor } from '../../../../engine/fixes/fix.ts';
import { apply } from '../../../../engine/fixes/proposal.ts';
import type { Neighbour } from '../../../../engine/fixes/repairs/repair.ts';
import type { PipelineReport } from '../../../../engine/values/report.ts';
import { analyse } from '../../../support/analyse.ts';
import { applied, checkFigures } from '../promise.ts';

export interface Case {
  readonly code: Code;
  readonly text: string;
  /** Titles without their effect that must be among the fixes; the first of them is the first fix. */
  readonly titles: readonly string[];
  /** Other files, by name: fixes may import them. */
  readonly files?: Readonly<Record<string, string>>;
  /** Part of the text after the first fix. */
  readonly makes?: string;
  /** The first fix competes with what the file says: a person chooses, and no fix is preferred. */
  readonly contested?: boolean;
}

/** The title without its simulated effect. */
export const bare = ({ title }: Pick<Fix, 'title'>): string =>
  title.replace(/: (?:\w+ )?(?:runs, |(?:same )?(?:iteration|throughput)\b).*$/, '');

const checker =
  (files: Case['files']) =>
  (text: string): Analysis =>
    analyse(text, { files });

/** Fixes of each finding with the code; each is checked against a fresh check of its text. */
export function repairsOf({
  code,
  text,
  files = {},
  contested = false,
}: Pick<Case, 'code' | 'text' | 'files' | 'contested'>): readonly Fix[] {
  const again = checker(files);
  const analysis = again(text);
  const found = analysis.findings.filter((finding) => finding.code === code);
  expect(found.length, `${code} in ${text}: ${analysis.findings.map((each) => each.code).join(', ')}`).toBeGreaterThan(
    0,
  );
  const neighbours = (): readonly Neighbour[] =>
    Object.entries(files).map(([path, neighbour]) => ({ path, text: neighbour }));
  return found.flatMap((finding) => {
    const fixes = fixesFor(analysis, finding, again, neighbours);
    for (const [index, fix] of fixes.entries()) {
      expect(fix.preferred === true, fix.title).toBe(index === 0 && !contested);
      if (contested) expect(fix.unambiguous, fix.title).not.toBe(true);
      checkRepair(analysis, finding, fix, again);
    }
    expect(new Set(fixes.map(({ title }) => title)).size, 'two fixes with one title').toBe(fixes.length);
    return fixes;
  });
}

/** Applies a fix of a mistake: the finding is gone, there are no more mistakes than before, and comments and line breaks stay. */
export function checkRepair(analysis: Analysis, finding: Finding, fix: Fix, again: (text: string) => Analysis): void {
  const { text, comments } = analysis.syntax;
  const changed = applied(analysis, fix, again);
  const same = (all: readonly Finding[]) =>
    all.filter((other) => other.code === finding.code && other.message === finding.message).length;
  expect(same(changed.findings), `${fix.title}: the finding is still there`).toBeLessThan(same(analysis.findings));
  // What cannot be read hides mistakes that come to light with it.
  if (!finding.code.startsWith('syntax/')) expect(errorsOf(changed), fix.title).toBeLessThanOrEqual(errorsOf(analysis));
  // Comments go only with the lines that are removed.
  if (!/^(?:Remove|Move|Use|Close|Insert|Exchange)/.test(fix.title))
    for (const comment of comments) expect(changed.syntax.text, fix.title).toContain(comment.text);
  expect(changed.syntax.text.includes('\r\n'), fix.title).toBe(text.includes('\r\n'));
  if (text.includes('\r\n')) expect(changed.syntax.text.replaceAll('\r\n', ''), fix.title).not.toMatch(/[\r\n]/);
  checkEffect(analysis, changed, fix);
}

const ofFigures: readonly string[] = ['memory/out-of-memory', 'expect/failed', 'schedule/missing-version'];
const errorsOf = ({ findings }: Analysis): number =>
  findings.filter(({ severity, code }) => severity === 'error' && !ofFigures.includes(code)).length;

/** The figures in the title are those of a fresh simulation, and every plan that newly runs or moves is told. */
function checkEffect(before: Analysis, after: Analysis, fix: Fix): void {
  const reportIn = ({ pipelines }: Analysis, name: string) =>
    pipelines.find(({ plan }) => plan.name === name)?.run?.report;
  const moved = after.pipelines.flatMap(({ plan }) => {
    const [old, now] = [reportIn(before, plan.name), reportIn(after, plan.name)];
    return now === undefined || (old !== undefined && sameFigures(old, now)) ? [] : [{ old, now }];
  });
  const told = /: (?:\w+ )?(?:runs, |(?:same )?(?:iteration|throughput)\b)/.test(fix.title);
  expect(told, `${fix.title}: figures are shown where they move, and only there`).toBe(moved.length > 0);
  expect(fix.effect !== undefined, fix.title).toBe(moved.length > 0);
  const [first] = moved.filter(({ old }) => old === undefined);
  if (first !== undefined) expect(fix.title).toContain('runs, iteration ');
  checkFigures(before, after, fix.title);
}

const sameFigures = (a: PipelineReport, b: PipelineReport): boolean =>
  near(a.iteration, b.iteration) && near(peakOf(a), peakOf(b)) && fits(a) === fits(b);
/** Zero is near zero: a model may hold no bytes. */
const near = (a: number, b: number): boolean => a === b || Math.abs(b / a - 1) < 0.0005;
const fits = ({ devices }: PipelineReport): boolean => devices.every(({ peak, capacity }) => peak <= capacity);
const peakOf = ({ devices }: PipelineReport): number => Math.max(...devices.map(({ peak }) => peak));

/** The file, and the same file with Windows line ends or with characters outside the basic plane before everything: cases take turns. */
const variants = (text: string): readonly string[] => [
  text,
  text.length % 2 === 0 ? text.replaceAll('\n', '\r\n') : `// 😀 𝒳𝒴\n${text}`,
];

/** Checks a case in its variants: the titles, and what the first fix makes. */
export function checkCase({ titles, makes, ...rest }: Case): void {
  for (const text of variants(rest.text)) {
    const fixes = repairsOf({ ...rest, text });
    const found = fixes.map(bare);
    for (const title of titles) expect(found).toContain(title);
    expect(found[0]).toBe(titles[0]);
    if (makes !== undefined) expect(apply(text, fixes[0].edits).replaceAll('\r\n', '\n')).toContain(makes);
  }
}
