/** What holds for the analysis of any text; each breach is one sentence. */
import { isDeepStrictEqual } from 'node:util';
import { bubbleCauses, type PipelineReport } from '../../../engine/values/report.ts';
import { reportOf } from '../../../engine/flow/reportOf.ts';
import type { Analysis } from '../../../engine/flow/check.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { fixesFor, refactorings } from '../../../engine/fixes/fix.ts';
import { apply } from '../../../engine/fixes/proposal.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { analyse, checkedOnce } from '../../support/analyse.ts';
import type { Files } from '../../support/host.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { bytes, share } from '../../../engine/basics/quantities.ts';
import { standardText } from '../../../engine/std/index.ts';
import { format, parse } from '../../../grammar/index.ts';

/**
 * Findings whose fixes are tried, as each simulates many texts. `in turn`: one, and another one for another text. A set: one of each code
 * that is not in the set, which then has it.
 */
type Tried = 'all' | 'first' | 'in turn' | Set<string>;

/** All breaches that `text` brings to light. `files`: what it reads, by address. */
export const breaches = (text: string, fixed: Tried = 'all', files: Files = {}): readonly string[] =>
  breachesOf(analyse(text, { files }), fixed, files);

/** The same of a text that is checked already. */
export function breachesOf(analysis: Analysis, fixed: Tried, files: Files): readonly string[] {
  const { text } = analysis.syntax;
  return [
    ...findingBreaches(analysis),
    ...numberBreaches(reportOf(analysis, 'a.pipe'), 'report'),
    ...analysis.pipelines.flatMap(({ run }) =>
      run === undefined ? [] : reportBreaches(run.report, run.program.overlap),
    ),
    ...silence(analysis),
    ...roundTrips(analysis),
    ...fixBreaches(analysis, fixed, files),
    ...formatBreaches(text),
  ];
}

const odd = /NaN|undefined|Infinity|\[object|null|−0 |-0 /;

function findingBreaches({ uri, syntax, findings }: Analysis): readonly string[] {
  /** What relates to a finding may be in the text of a built-in schedule. */
  const length = (of: string): number => (of === uri ? syntax.text : (standardText(of) ?? '')).length;
  return findings.flatMap(({ place: { start, end }, message, code, related }) => [
    ...(start >= 0 && start <= end && end <= syntax.text.length ? [] : [`${code} lies at ${start} to ${end}`]),
    ...related.flatMap(({ place }) => (place.end <= length(place.uri) ? [] : [`${code} relates to ${place.end}`])),
    ...(odd.test(message) ? [`${code} says: ${message}`] : []),
    ...(/\b1 (?:stages|devices|microbatches|layers|operations|replicas|workers|transfers|minibatches)\b/.test(message)
      ? [`plural: ${message}`]
      : []),
  ]);
}

/** Every number in the data is finite and at least 0, rounding aside. */
function numberBreaches(value: unknown, path: string): readonly string[] {
  // A tensor that arrives too late has a slack below 0.
  const least = /\.exchange\.tensors\.\d+\.slack$/.test(path) ? -Infinity : -1e-9;
  if (typeof value === 'number') return Number.isFinite(value) && value >= least ? [] : [`${path} is ${value}`];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => numberBreaches(inner, `${path}.${key}`));
}

const near = (a: number, b: number, size = Math.max(Math.abs(a), Math.abs(b))): boolean =>
  Math.abs(a - b) <= 1e-6 * size + 1e-12;

function reportBreaches(report: PipelineReport, overlap = 0): readonly string[] {
  const { bubble, devices, iteration, links } = report;
  const out: string[] = [];
  const causes = bubbleCauses.reduce((sum, cause) => sum + (bubble.causes[cause] ?? 0), 0);
  if (!near(causes, bubble.makespan, 1)) out.push(`causes add up to ${causes}, bubble is ${bubble.makespan}`);
  if (bubble.bound > bubble.makespan + 1e-6) out.push(`bound ${bubble.bound} exceeds bubble ${bubble.makespan}`);
  if (bubble.makespan > 1 + 1e-9 || bubble.span > 1 + 1e-9) out.push(`bubble ${bubble.makespan}, ${bubble.span}`);
  const busy = devices.reduce((sum, device) => sum + device.busy, 0);
  if (iteration > 0 && !near(bubble.makespan, 1 - busy / (devices.length * iteration), 1))
    out.push(`bubble ${bubble.makespan}, busy ${busy}, iteration ${iteration}`);
  const utilisation = report.model_flops?.utilisation ?? 0;
  // Of two operations that overlap, a share of the shorter one is taken to use what the other leaves.
  if (utilisation > 1 / (1 - overlap / 2) + 1e-9) out.push(`${utilisation} of the peak is used`);
  for (const device of devices) {
    const { reserved: _, ...kinds } = device.memory;
    const sum = Object.values(kinds).reduce((a, b) => a + b, 0);
    if (!near(sum, device.peak)) out.push(`memory of ${device.name} adds up to ${sum}, peak is ${device.peak}`);
    const items = device.memory_items.reduce((all, { bytes: size }) => all + size, 0);
    if (!near(items, device.peak)) out.push(`items of ${device.name} add up to ${items}, peak is ${device.peak}`);
    if (device.memory_items.some(({ bytes: size }) => !(size > 0))) out.push(`an item of ${device.name} is empty`);
    if (device.busy > iteration * (1 + 1e-6) + 1e-12) out.push(`${device.name} is busy ${device.busy} of ${iteration}`);
    if (!near(device.busy + device.idle, iteration))
      out.push(`${device.name}: busy ${device.busy} + idle ${device.idle} ≠ ${iteration}`);
    if (device.span > iteration * (1 + 1e-6) + 1e-12) out.push(`${device.name} spans ${device.span} of ${iteration}`);
  }
  for (const link of links) {
    // Where transfers block both devices, both count; periods of asynchronous runs may differ by a little.
    if (link.exposed > 2.01 * iteration + 1e-12) out.push(`link exposes ${link.exposed} of ${iteration}`);
    if (link.busy > iteration * (1 + 1e-6) + 1e-12 && report.asynchronous === undefined)
      out.push(`link is busy ${link.busy} of ${iteration}`);
  }
  // Tasks end within idle intervals, but for the rounding of times as large as the whole run.
  const rounding = 1e-11 * (report.asynchronous?.makespan ?? iteration);
  for (const device of report.fill?.devices ?? [])
    if (device.time > device.idle * (1 + 1e-9) + (device.intervals + 1) * rounding)
      out.push(`fill ${device.time} of ${device.idle}`);
  return out;
}

/** Where something does not run, an error says why. */
function silence({ resolution, pipelines, jobs, findings, syntax }: Analysis): readonly string[] {
  const written = syntax.declarations.filter(
    (declaration) => declaration.kind === 'block' && ['pipeline', 'job'].includes(declaration.keyword.text),
  ).length;
  const running =
    pipelines.filter(({ run }) => run !== undefined).length + jobs.filter(({ report }) => report !== undefined).length;
  const told = findings.some(({ severity }) => severity === 'error');
  const planned = resolution.plan.pipelines.length + resolution.plan.jobs.length;
  return running < written && !told ? [`${running} of ${written} run (${planned} planned), and nothing says why`] : [];
}

/** A plan survives JSON and gives the same. */
function roundTrips({ pipelines }: Analysis): readonly string[] {
  return pipelines.flatMap(({ plan, run, findings }) => {
    const copy: PipelinePlan = JSON.parse(JSON.stringify(plan));
    const again = evaluate(copy, defaultOptions);
    return isDeepStrictEqual(again.run?.report, run?.report) &&
      JSON.stringify(again.findings) === JSON.stringify(findings)
      ? []
      : [`the plan of ${plan.name} does not survive JSON`];
  });
}

function triedOf(findings: Analysis['findings'], fixed: Tried, text: string): Analysis['findings'] {
  if (fixed === 'all') return findings;
  if (typeof fixed === 'string') {
    const first = fixed === 'in turn' ? text.length % Math.max(1, findings.length) : 0;
    return findings.slice(first, first + 1);
  }
  return findings.filter(({ code }) => {
    const isNew = !fixed.has(code);
    fixed.add(code);
    return isNew;
  });
}

function fixBreaches(analysis: Analysis, fixed: Tried, files: Files): readonly string[] {
  const { text } = analysis.syntax;
  const at = text.indexOf('stages = ') + 9;
  const again = checkedOnce((changed) => analyse(changed, { files, earlier: analysis }));
  const { findings } = analysis;
  const tried = triedOf(findings, fixed, text);
  const offered = [
    ...tried.flatMap((finding) => fixesFor(analysis, finding, again)),
    ...refactorings(analysis, at, again),
  ];
  return offered.flatMap(({ title, edits }) => {
    const out: string[] = [];
    if (odd.test(title)) out.push(`fix: ${title}`);
    const sorted = edits.toSorted((a, b) => a.start - b.start);
    if (
      sorted.some(
        (edit, index) => edit.start < (sorted[index - 1]?.end ?? 0) || edit.end < edit.start || edit.end > text.length,
      )
    )
      out.push(`edits of "${title}" overlap or lie outside`);
    const after = again(apply(text, edits));
    if (after.syntax.errors.length > analysis.syntax.errors.length) out.push(`"${title}" brings in a syntax error`);
    const runs = after.pipelines.flatMap(({ plan, run }) => {
      const before = analysis.pipelines.find((pipeline) => pipeline.plan.name === plan.name)?.run;
      return run === undefined || before === undefined ? [] : [{ before: before.report, after: run.report }];
    });
    const change = /iteration ([+−-][\d.]+ %)/.exec(title)?.[1];
    if (
      change !== undefined &&
      !runs.some((run) => share(run.after.iteration / run.before.iteration - 1, true) === change)
    )
      out.push(`"${title}" claims another change`);
    const size = /peak (\d[\d.]* [KMGTP]?i?B)\b/.exec(title)?.[1];
    const reports = after.pipelines.flatMap(({ run }) => run?.report ?? []);
    if (size !== undefined && !reports.some(({ devices }) => devices.some(({ peak }) => bytes(peak) === size)))
      out.push(`"${title}" claims another peak`);
    return out;
  });
}

function formatBreaches(text: string): readonly string[] {
  const once = format(parse(text));
  if (!once.ok) return [];
  const twice = format(parse(once.text));
  return twice.ok && twice.text === once.text ? [] : ['format is not idempotent'];
}
