/**
 * Quick fixes and refactorings. Each is tried on the file before it is offered: one whose result does not help is left out,
 * and titles say what the simulation of the result gives.
 */
import type { Analysis } from '../flow/check.ts';
import type { Code } from '../findings/catalogue.ts';
import type { Finding, FixHint } from '../findings/finding.ts';
import { advised, advisedSteps, type SlowAdvice } from '../basics/advice.ts';
import { toEnd } from '../basics/steps.ts';
import { balanceRefactorings } from './balance.ts';
import { bubbleFixes } from './bubble.ts';
import { exposedFixes, linkFixes } from './communication.ts';
import { conditionFixes } from './condition.ts';
import { deviceFixes } from './devices.ts';
import { engineFixes } from './engine.ts';
import { exchangeFixes } from './exchange.ts';
import { expectationFixes } from './expectation.ts';
import { hostMemoryFixes } from './hostMemory.ts';
import { idleDeviceFixes } from './idleDevices.ts';
import { imbalanceFixes } from './imbalance.ts';
import { limitFixes } from './limit.ts';
import { memoryFixes } from './memory.ts';
import { numberFormatFixes } from './numberFormat.ts';
import { optimizerFixes } from './optimizer.ts';
import type { Again, Fix, FixSteps, FoundSoFar, Proposal } from './proposal.ts';
import { type Neighbour, repaired } from './repairs/repair.ts';
import { repairers } from './repairs/repairers.ts';
import { orderFixes } from './keepOrder.ts';
import { placeRefactorings, slowHopFixes } from './place.ts';
import { transferFixes } from './transfer.ts';
import { weightFixes } from './weights.ts';
import { writeOutRefactorings } from './writeOut.ts';

export type { Again, Edit, Fix, Proposal } from './proposal.ts';

type Fixer<H> = (analysis: Analysis, finding: Finding, hint: H, again: Again) => readonly Proposal[] | FixSteps;

/** Fixes by what the finding hints at. */
const byHint: { readonly [K in FixHint['kind']]?: Fixer<Extract<FixHint, { readonly kind: K }>> } = {
  transfer: (analysis, _, hint, again) => transferFixes(analysis, hint, again),
  balance: (analysis, finding, { pipeline }, again) => imbalanceFixes(analysis, finding, pipeline, again),
  recompute: (analysis, finding, hint, again) => memoryFixes(analysis, finding, hint, again),
  order: (analysis, _, hint, again) => orderFixes(analysis, hint, again),
  engine: (analysis, finding, hint, again) => engineFixes(analysis, finding, hint, again),
  tune: (analysis, _, { pipeline, warmup }, again) => bubbleFixes(analysis, pipeline, again, warmup),
};

/** Fixes of codes that need no hint, or other fixes than the hint's. */
const byCode: { readonly [C in Code]?: Fixer<FixHint | undefined> } = {
  'comm/exposed': tuned(exposedFixes),
  'comm/fifo-blocks-front-layer': tuned(exchangeFixes),
  'comm/barrier': tuned(exchangeFixes),
  'comm/bucket-too-small': tuned(exchangeFixes),
  'comm/bucket-too-large': tuned(exchangeFixes),
  'comm/credit-too-large': tuned(exchangeFixes),
  'comm/credit-too-small': tuned(exchangeFixes),
  'comm/server-bottleneck': tuned(exchangeFixes),
  'comm/slow-fabric': tuned(exchangeFixes),
  'comm/bottleneck-link': tuned(linkFixes),
  'place/slow-hop': tuned(slowHopFixes),
  'expect/failed': tuned(expectationFixes),
  'memory/no-optimizer': tuned(optimizerFixes),
  'device/number-format': tuned(numberFormatFixes),
  'device/idle': tuned(idleDeviceFixes),
  'schedule/stale-weights': tuned(weightFixes),
  'schedule/missing-version': tuned(weightFixes),
  'stage/device-count': (analysis, finding, _, again) => deviceFixes(analysis, finding, again),
  'memory/host': (analysis, finding, hint, again) =>
    hint?.kind === 'value' ? hostMemoryFixes(analysis, finding, hint, again) : [],
  'limit/too-large': limitFixes,
  'device/apart': (analysis, finding, _, again) => deviceFixes(analysis, finding, again),
  'device/oversubscribed': (analysis, finding, _, again) => deviceFixes(analysis, finding, again),
};

function tuned(fixer: Fixer<Extract<FixHint, { readonly kind: 'tune' }>>): Fixer<FixHint | undefined> {
  return (analysis, finding, hint, again) => (hint?.kind === 'tune' ? fixer(analysis, finding, hint, again) : []);
}

/** Fixes of `finding`, best first; empty if none is known. `again` is called a few times for each fix. */
export const fixesFor = (
  analysis: Analysis,
  finding: Finding,
  again: Again,
  neighbours?: () => readonly Neighbour[],
): readonly Fix[] => toEnd(fixSteps(analysis, finding, again, neighbours));

/** The same in steps. `neighbours`: files that an import may name. */
export function* fixSteps(
  analysis: Analysis,
  finding: Finding,
  again: Again,
  neighbours: () => readonly Neighbour[] = () => [],
): FixSteps<Fix> {
  if (finding.place.uri !== analysis.uri) return [];
  const settled = yield* advisedSteps(fixAdvice, analysis, finding, again, neighbours);
  return settled.map((proposal) => ({ ...proposal, finding }));
}

type FixRequest = [Analysis, Finding, Again, () => readonly Neighbour[]];

const fixAdvice: SlowAdvice<FixRequest, FoundSoFar | undefined, readonly Proposal[]> = {
  name: 'quick fixes',
  *steps(...request) {
    const found = proposals(...request);
    return Array.isArray(found) ? found : yield* found as FixSteps;
  },
  otherwise: [],
};

/** What may be rewritten at `offset` without changing what the file means. */
export const refactorings = (analysis: Analysis, offset: number, again: Again): readonly Proposal[] =>
  [balanceRefactorings, placeRefactorings, writeOutRefactorings].flatMap((find) =>
    advised({ name: 'refactorings', find, otherwise: [] }, analysis, offset, again),
  );

function proposals(
  analysis: Analysis,
  finding: Finding,
  again: Again,
  neighbours: () => readonly Neighbour[],
): readonly Proposal[] | FixSteps {
  const { hint, code } = finding;
  if (hint?.kind === 'condition') return conditionFixes(analysis, finding, hint.schedule, again);
  // The table's type ties each kind to its fixer.
  const fixer = byCode[code] ?? (hint === undefined ? undefined : (byHint[hint.kind] as Fixer<FixHint> | undefined));
  if (fixer !== undefined) return fixer(analysis, finding, hint as FixHint, again);
  const repairer = repairers[code];
  return repairer === undefined ? [] : repaired(repairer, { analysis, finding, again, neighbours });
}
