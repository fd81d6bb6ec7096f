/** Files that showed a fault, each with what is right of it, derived by hand. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Analysis } from '../../../engine/flow/check.ts';
import { analyse, codesOf } from '../../support/analyse.ts';
import { diskHost } from '../../support/host.ts';

const folder = path.resolve(import.meta.dirname, '../../data/cases');
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.pipe'));

const known = new Map<string, Analysis>();
function analysisOf(name: string): Analysis {
  const file = path.join(folder, name);
  const found =
    known.get(name) ?? analyse(readFileSync(file, 'utf8'), { uri: pathToFileURL(file).href, host: diskHost });
  known.set(name, found);
  return found;
}
const iterationOf = (name: string, pipeline: string): number | undefined =>
  analysisOf(name).pipelines.find(({ plan }) => plan.name === pipeline)?.run?.report.iteration;

test('there are cases', () => expect(names.length).toBeGreaterThanOrEqual(27));

test.each(names)('%s: each pipeline that can run has finite figures, and each other one a finding', (name) => {
  const { findings, pipelines } = analysisOf(name);
  for (const { run } of pipelines)
    if (run !== undefined) expect(Number.isFinite(run.report.iteration) && run.report.iteration > 0).toBe(true);
  const broken = pipelines.filter(({ run }) => run === undefined);
  if (pipelines.length === 0 || broken.length > 0)
    expect(name.startsWith('authoring/ties') || name.startsWith('authoring/q3') || findings.length > 0).toBe(true);
  expect(JSON.stringify(findings)).not.toMatch(/Infinity|NaN|\[object/);
});

describe('schedules', () => {
  test('copies on other devices than the cut has stages: four microbatches on each pair, (4 + 1) (F + B)', () => {
    expect(iterationOf('authoring/dp.pipe', 't')).toBeCloseTo(15, 6);
  });

  test('names of what a pipeline has are not hidden', () => {
    const { findings } = analysisOf('authoring/q1.pipe');
    expect(findings.filter(({ severity }) => severity === 'error').map(({ code }) => code)).toEqual(['name/reserved']);
  });

  test.each(['authoring/q3.pipe', 'authoring/q3b.pipe'])('%s: its conditions rule out what it cannot run', (name) => {
    expect(codesOf(analysisOf(name))).toEqual([]);
  });

  // Two devices, F = 1 s and B = 2 s. The last B of the text has no R, and m = 1 has no other: 2 F + 2 B.
  test('rows with R recompute only where they say so, for one microbatch too', () => {
    expect(iterationOf('authoring/q4.pipe', 'one')).toBeCloseTo(6, 9);
    expect(codesOf(analysisOf('authoring/q4.pipe'))).not.toContain('expect/failed');
  });

  test('ties go by the stage of the cut: every shape is valid', () => {
    expect(codesOf(analysisOf('authoring/ties_on.pipe'))).toEqual([]);
  });
});

test('eleven lines that double are refused before they are built', () => {
  const { findings } = analysisOf('freeze/doubling-lets.pipe');
  expect(findings.map(({ code }) => code)).toEqual(['limit/too-large']);
});
