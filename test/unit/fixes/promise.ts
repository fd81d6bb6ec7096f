/** What every fix promises, checked on the text that it makes: shared by the tests of all fixes. */
import { expect } from 'vitest';
import type { Analysis } from '../../../engine/flow/check.ts';
import { parametersOf } from '../../../engine/findings/finding.ts';
import type { Fix } from '../../../engine/fixes/fix.ts';
import { apply } from '../../../engine/fixes/proposal.ts';
import { trafficByDevice } from '../../../engine/analyze/traffic.ts';
import { roomOf } from '../../../engine/analyze/room.ts';
import { remains } from '../../../engine/fixes/remains.ts';
import { bytes, share, time } from '../../../engine/basics/quantities.ts';
import type { PipelineReport } from '../../../engine/values/report.ts';
import { analyse } from '../../support/analyse.ts';

export interface PromiseSetting {
  /** Checks a text afresh. Default: without other files. */
  readonly check?: (text: string) => Analysis;
  /** True for findings that lessen and stay, such as the share of idle time. */
  readonly lessens?: boolean;
}

/**
 * Applies the fix and checks the text again, from scratch. Its edits lie within the file and do not overlap; the finding is gone; no
 * code has more errors, but for expectations that the fix names; and every figure of the title is the figure of a fresh simulation. Returns the changed file.
 */
export function checkPromise(
  analysis: Analysis,
  fix: Fix,
  { check = analyse, lessens = false }: PromiseSetting = {},
): Analysis {
  const changed = applied(analysis, fix, check);
  const { code, hint } = fix.finding;
  const ofCode = ({ findings }: Analysis) => findings.filter((found) => found.code === code).length;
  // A finding that names no pipeline may be about another one too.
  const stays = remains(changed, fix.finding) && (hint !== undefined || ofCode(changed) >= ofCode(analysis));
  if (!lessens) expect(stays, `${fix.title}: the finding is still there`).toBe(false);
  const known = errors(analysis);
  for (const [code, count] of errors(changed))
    expect(count, `${fix.title}: ${code}`).toBeLessThanOrEqual(known.get(code) ?? 0);
  // A title names the first two expectations with `==` that it breaks.
  for (const text of fix.breaks?.slice(0, 2) ?? []) expect(fix.title).toContain(`"${text}"`);
  const [failed, fails] = [failing(analysis), failing(changed)];
  const broken = [...fails].filter(([text, count]) => count > (failed.get(text) ?? 0)).map(([text]) => text);
  expect(new Set(broken), `${fix.title}: expectations that it breaks`).toEqual(new Set(fix.breaks));
  const full = overfull(analysis);
  // A file without an optimizer says nothing of the room that its states take.
  // Nothing ran in a cluster that was too small: the title says by how much a device is over its memory.
  const ran = new Set(analysis.pipelines.filter(({ run }) => run !== undefined).map(({ plan }) => plan.name));
  const isSaid = fix.title.endsWith(' over') && !changed.pipelines.some(({ plan }) => ran.has(plan.name));
  if (code !== 'memory/no-optimizer' && !isSaid)
    for (const device of overfull(changed)) expect(full, fix.title).toContain(device);
  checkFigures(analysis, changed, fix.title);
  if (/: .*\bpeak\b/.test(fix.title) && littleLeft(changed) && !littleLeft(analysis))
    expect(fix.title, 'memory/headroom is new').toMatch(/, (?:only \S+ \w+|nothing) left/);
  return changed;
}

const littleLeft = ({ findings }: Analysis): boolean => findings.some(({ code }) => code === 'memory/headroom');

/** The file after a fix, checked from scratch. Its edits must lie within the file and not overlap. */
export function applied(
  { syntax: { text } }: Analysis,
  { title, edits }: Pick<Fix, 'title' | 'edits'>,
  check: (text: string) => Analysis,
): Analysis {
  let end = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    expect(edit.start, title).toBeGreaterThanOrEqual(end);
    expect(edit.end, title).toBeGreaterThanOrEqual(edit.start);
    ({ end } = edit);
  }
  expect(end, title).toBeLessThanOrEqual(text.length);
  return check(apply(text, edits));
}

/** Every figure that a title states is the figure of a fresh simulation. */
export function checkFigures(analysis: Analysis, changed: Analysis, title: string): void {
  for (const effect of promised(title))
    expect(
      changed.pipelines.some(({ plan, run }) => {
        const before = analysis.pipelines.find((pipeline) => pipeline.plan.name === plan.name)?.run?.report;
        return run !== undefined && effect.every((words) => holds(words, before, run.report));
      }),
      `${title}: not what a fresh simulation gives`,
    ).toBe(true);
}

function errors({ findings }: Analysis): ReadonlyMap<string, number> {
  const out = new Map<string, number>();
  for (const { severity, code } of findings)
    if (severity === 'error' && code !== 'memory/out-of-memory' && code !== 'expect/failed')
      out.set(code, (out.get(code) ?? 0) + 1);
  return out;
}

/** Expectations that fail, as they are written, and how often each does. */
function failing({ findings }: Analysis): ReadonlyMap<string, number> {
  const out = new Map<string, number>();
  for (const finding of findings) {
    const text = parametersOf(finding, 'expect/failed')?.text;
    if (text !== undefined) out.set(text, (out.get(text) ?? 0) + 1);
  }
  return out;
}

const overfull = ({ pipelines }: Analysis): readonly string[] =>
  pipelines.flatMap(({ plan, run }) =>
    (run?.report.devices ?? [])
      .filter(({ peak, capacity }) => peak > capacity)
      .map(({ name }) => `${name} of ${plan.name}`),
  );

const effectIn = /: ((?:\w+ )?(?:runs, )?(?:(?:same )?(?:iteration|throughput)|peak)\b.*)$/;

/** The parts of a title's effect, for each pipeline that it speaks of; empty for a fix that changes no figure. */
function promised(title: string): readonly (readonly string[])[] {
  const effects = (effectIn.exec(title)?.[1] ?? '').split('; ').filter((words) => !/^$| more pipelines?$/.test(words));
  return effects.map((words) =>
    words
      .replace(/^(?:\w+ )?runs, /, '')
      .replace(/^(?!same |peak )\w+ (?=(?:same )?(?:iteration|throughput)|peak )/, '')
      .split(', '),
  );
}

/** Whether one part of an effect is true of these reports, digit for digit. */
function holds(words: string, before: PipelineReport | undefined, after: PipelineReport): boolean {
  const samples = (report: PipelineReport) => String(Number((report.iteration * report.throughput).toPrecision(6)));
  const ratio = (figure: (report: PipelineReport) => number) =>
    before === undefined ? NaN : figure(after) / figure(before) - 1;
  const peakRatio = ratio((report) => fullest(report).peak);
  switch (words) {
    case 'same iteration':
      return Math.abs(ratio(({ iteration }) => iteration)) < 0.0005;
    case 'same throughput':
      return Math.abs(ratio(({ throughput }) => throughput)) < 0.0005;
    case 'peak unchanged':
      return Math.abs(peakRatio) < 0.0005;
  }
  const [, figure, said] = /^(iteration|throughput|peak|bubble|batch|exposed) (.+)$/.exec(words) ?? [];
  switch (figure) {
    case 'iteration':
      return (
        said === time(after.iteration, 4) ||
        said ===
          share(
            ratio(({ iteration }) => iteration),
            true,
          )
      );
    case 'throughput':
      return (
        said ===
        share(
          ratio(({ throughput }) => throughput),
          true,
        )
      );
    case 'bubble':
      return said === share(after.bubble.makespan);
    case 'batch':
      return before !== undefined && said === `${samples(before)} → ${samples(after)}`;
    case 'exposed':
      return before !== undefined && said === `${share(exposedShare(before))} → ${share(exposedShare(after))}`;
    case 'peak':
      return said === bytes(fullest(after).peak) || said === share(peakRatio, true);
    case undefined:
      // Of another device than the fullest, or of what is beyond its memory.
      if (words === 'nothing left') return roomOf(fullest(after)).left === 0;
      if (words.startsWith('only ')) return words === `only ${bytes(roomOf(fullest(after)).left)} left`;
      return after.devices.some(({ name, peak, capacity }) =>
        [bytes(peak - capacity), `${name} ${bytes(peak - capacity)}`, `${name} ${bytes(peak)}`].includes(
          words.replace('still ', '').replace(/ over$/, ''),
        ),
      );
    default:
      return false;
  }
}

/** Of transfers between stages and of all that ranks exchange, as `comm/exposed` adds them up. */
const exposedShare = (report: PipelineReport): number =>
  (report.links.reduce((sum, { exposed }) => sum + exposed, 0) +
    trafficByDevice(report).reduce((sum, { devices }) => devices.reduce((all, { exposed }) => all + exposed, sum), 0)) /
  (report.devices.length * report.iteration);

/** The device with the least share of its memory left: a title promises no other peak without its name. */
const fullest = ({ devices }: PipelineReport) =>
  devices.reduce((most, device) => (roomOf(device).share < roomOf(most).share ? device : most));
