/** Expectations that are marks in the text. */
import { expect } from 'vitest';
import type { Analysis } from '../../engine/flow/check.ts';
import { type Fix, fixesFor } from '../../engine/fixes/fix.ts';
import type { Resolution } from '../../engine/language/resolution.ts';
import { after, analyse, checkedAfter, codesOf } from './analyse.ts';
import { marks } from './marks.ts';
import { type Setting, resolveText } from './resolve.ts';

/**
 * Resolves a text with marks and expects its findings, no others, at these places, hints included.
 * `messages` are parts of the messages, in order of the findings. An empty part matches every message.
 */
export function checkFindings(source: string, messages: readonly string[] = [], setting: Setting = {}): Resolution {
  const { text, findings: expected, files } = marks(source);
  const resolution = resolveText(text, { ...setting, files: { ...files, ...setting.files } });
  const found = resolution.findings.map(({ code, severity, place: { start, end } }, index) => [
    expected[index]?.severity === undefined ? code : `${severity} ${code}`,
    start,
    text.slice(start, end),
  ]);
  expect(found, resolution.findings.map((finding) => finding.message).join('\n')).toEqual(
    expected.map(({ code, severity, start, end }) => [
      severity === undefined ? code : `${severity} ${code}`,
      start,
      text.slice(start, end),
    ]),
  );
  for (const [index, part] of messages.entries()) expect(resolution.findings[index].message).toContain(part);
  return resolution;
}

/**
 * Expects the one marked finding, and that its first fix, or the fix with this title (before its effect), makes the text that the arrows say:
 * `schedule = ⟦name/unknown:1f1bb→1f1b⟧`. The finding must be gone after the fix.
 */
export function checkFix(source: string, title?: string): Fix {
  const { text, findings, fixed } = marks(source);
  const [expected] = findings;
  if (findings.length !== 1 || fixed === text)
    throw new Error('Mark one finding and what its fix changes: ⟦code:old→new⟧.');
  const analysis = analyse(text);
  const isExpected = ({ findings: found }: Analysis) =>
    found.find(({ code, place }) => code === expected.code && place.start === expected.start);
  const finding = isExpected(analysis);
  expect(finding, `found ${codesOf(analysis).join(', ')}`).toBeDefined();
  expect(finding?.place.end).toBe(expected.end);
  if (expected.severity !== undefined) expect(finding?.severity).toBe(expected.severity);
  const fixes = finding === undefined ? [] : fixesFor(analysis, finding, checkedAfter(analysis));
  const fix =
    title === undefined
      ? fixes.at(0)
      : fixes.find((each) => each.title === title || each.title.startsWith(`${title}: `));
  if (fix === undefined)
    throw new Error(`There is no such fix, only: ${fixes.map((each) => each.title).join(', ') || 'none'}`);
  const changed = after(analysis, fix);
  expect(changed.syntax.text).toBe(fixed);
  expect(isExpected(changed)).toBeUndefined();
  return fix;
}
