import { behind, fitWords } from '../../engine/analyze/accuracyWords.ts';
import { bestWords } from '../../engine/analyze/boundWithin.ts';
import { exposedCommunication, exposedParts, shareOf } from '../../engine/analyze/shares.ts';
import { communicationWords } from '../../engine/analyze/traffic.ts';
import { memoryAmount } from '../../engine/analyze/unitWords.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import { amount, bytes, count, excludesSome, iterationTime, share, time } from '../../engine/basics/quantities.ts';
import { tokenRate, tokenWords } from '../../engine/analyze/tokenWords.ts';
import type { JitterReport, ReportWithoutCauses, TokensReport } from '../../engine/values/report.ts';
import { stageOf } from '../picture/blocks.ts';
import { criticalPathIsOnly, criticalPathWords } from '../picture/criticalPath.ts';
import { fullestHost, hostPeak } from '../picture/hostMemory.ts';
import { worstDevice } from '../picture/memoryLevel.ts';
import type { Picture } from '../picture/picture.ts';
import { secondsPerSample } from './perSample.ts';
import { smallShare } from './smallShare.ts';
import { boundsOf, percentilesText } from './violin.ts';

/** A figure of the iteration, just as the report has it. */
export interface Figure {
  readonly key:
    | 'iteration'
    | 'p95'
    | 'bubble'
    | 'peak'
    | 'staleness'
    | 'exposed'
    | 'mfu'
    | 'tokens'
    | 'critical'
    | 'host'
    | 'gradients';
  readonly name: string;
  readonly value: string;
  /** `± 8 %`: what published runs of the kind are within. Empty where none is like it. */
  readonly spread: string;
  /** What follows the value: `on gpu[0]`. */
  readonly unit: string;
  /** What it is compared with, or made of. */
  readonly note: string;
  /** In a line without room for more: `of 16`. */
  readonly shortNote: string;
  /** Part of what there could be. */
  readonly share: number;
  /** For comparing it with the same figure of another timeline; undefined where neither is better. */
  readonly amount: number | undefined;
  readonly moreIsBetter: boolean;
  /** Over the limit: it does not run. */
  readonly over: boolean;
}

const plain = { spread: '', unit: '', note: '', shortNote: '', moreIsBetter: false, over: false } as const;

/** What a narrow page keeps longest comes first. */
export function figuresOf(plan: PipelinePlan, picture: Picture): readonly Figure[] {
  const { report } = picture;
  return [
    iterationFigure(report),
    ...(report.jitter === undefined ? [] : [percentileFigure(plan, report.jitter, report)]),
    ...(plan.devices.length === 1 ? exchangeFigure(report) : []),
    ...(isDataParallel(plan, report) ? [] : [bubbleFigure(report)]),
    peakFigure(plan, report),
    ...(report.asynchronous === undefined ? [] : [stalenessFigure(report, report.asynchronous.weights)]),
    ...(isDataParallel(plan, report) ? [] : [exposedFigure(report)]),
    ...(plan.devices.length === 1 ? [] : exchangeFigure(report)),
    ...hostFigure(plan, picture),
    ...(report.model_flops === undefined ? [] : [flopsFigure(report.model_flops)]),
    ...(report.tokens === undefined ? [] : [tokensFigure(report.tokens)]),
    // The path of consecutive iterations says little.
    ...(report.asynchronous === undefined ? [criticalFigure(picture)] : []),
  ];
}

/** One stage whose replicas exchange gradients: there is no pipeline to fill or drain. */
const isDataParallel = ({ devices }: PipelinePlan, { exchange }: ReportWithoutCauses): boolean =>
  devices.length === 1 && exchange !== undefined;

/** How a wait for gradients is spent, longest first. */
const waitWords = {
  own: 'bytes of the layer itself',
  blocked: 'bytes of other layers',
  fused: 'the rest of its bucket',
  overhead: 'calls',
  credit: 'credit',
  barrier: 'the barrier',
  server: 'servers',
  shared: 'links that stages share',
} as const;

/** What the device that waits longest for gradients waits for. */
function exchangeFigure({ exchange }: ReportWithoutCauses): readonly Figure[] {
  if (exchange === undefined) return [];
  const { exposed, period } = exchange;
  const causes = (Object.keys(waitWords) as (keyof typeof waitWords)[]).sort(
    (a, b) => (exposed[b] ?? 0) - (exposed[a] ?? 0),
  );
  return [
    {
      ...plain,
      key: 'gradients',
      name: 'Waits for gradients',
      value: smallShare(shareOf(exposed.total, period)),
      unit: exposed.total > 0 ? `mostly for ${waitWords[causes[0]]}` : '',
      note: `${time(Math.max(0, exposed.total))} on ${exposed.device}`,
      share: shareOf(exposed.total, period),
      amount: shareOf(exposed.total, period),
    },
  ];
}

function iterationFigure(report: ReportWithoutCauses): Figure {
  const { asynchronous, iteration, operations, exchange } = report;
  const spread = behind(report.accuracy?.time).trimStart();
  // A larger batch takes longer, and may be faster: what a sample takes compares.
  const amount = secondsPerSample(report);
  if (exchange?.barrier === false)
    return {
      ...plain,
      key: 'iteration',
      name: 'Period',
      value: iterationTime(iteration),
      spread,
      note: `${exchange.steady ? '' : 'not steady, '}bound ${iterationTime(exchange.bound)}`,
      share: 1,
      amount,
    };
  return {
    ...plain,
    key: 'iteration',
    name: asynchronous === undefined ? 'Iteration' : 'Period',
    value: iterationTime(iteration),
    spread,
    note:
      asynchronous === undefined
        ? count(operations, 'operation', 'operations')
        : `${asynchronous.steady ? 'steady,' : 'mean of'} ${count(asynchronous.iterations, 'iteration', 'iterations')}`,
    share: 1,
    amount,
  };
}

function percentileFigure(plan: PipelinePlan, jitter: JitterReport, report: ReportWithoutCauses): Figure {
  const bounds = boundsOf(plan, report);
  const expected = bounds.map(({ text, isMet }) => `; ${text}: ${isMet ? 'holds' : 'fails'}`);
  return {
    ...plain,
    key: 'p95',
    name: 'Iteration, 95th percentile',
    value: iterationTime(jitter.p95),
    note: `${percentilesText(jitter)}${expected.join('')}`,
    share: 1,
    amount: (jitter.p95 / report.iteration) * secondsPerSample(report),
    over: bounds.some(({ isMet }) => !isMet),
  };
}

function bubbleFigure(report: ReportWithoutCauses): Figure {
  const { bubble, fill } = report;
  return {
    ...plain,
    key: 'bubble',
    name: 'Bubble',
    value: smallShare(bubble.makespan),
    unit: fill === undefined ? '' : `${share(fill.recovered)} filled`,
    note: excludesSome(bubble.bound) ? `best possible${bestWords(report)} ${share(bubble.bound)}` : '',
    share: bubble.makespan,
    amount: bubble.makespan,
  };
}

function peakFigure(plan: PipelinePlan, report: ReportWithoutCauses): Figure {
  const worst = worstDevice(report);
  const device = report.devices[worst];
  if (device === undefined) return { ...plain, key: 'peak', name: 'Peak memory', value: '0 B', share: 0, amount: 0 };
  const { peak, capacity } = device;
  return {
    key: 'peak',
    name: 'Peak memory',
    value: memoryAmount(peak, plan.unitTimes),
    spread: behind(report.accuracy?.memory).trimStart(),
    unit: `on ${plan.devices[worst].name}`,
    note: `limit ${memoryAmount(capacity, plan.unitTimes)}${report.accuracy?.memory === undefined ? '' : `, ${fitWords(report.accuracy.memory)}`}`,
    shortNote: `of ${withoutUnit(memoryAmount(capacity, plan.unitTimes), memoryAmount(peak, plan.unitTimes))}`,
    share: shareOf(peak, capacity),
    amount: peak,
    moreIsBetter: false,
    over: peak > capacity,
  };
}

function stalenessFigure({ stages }: ReportWithoutCauses, weights: string): Figure {
  const most = Math.max(0, ...stages.map((stage) => stage.staleness));
  const versions = Math.max(0, ...stages.map((stage) => stage.versions));
  return {
    ...plain,
    key: 'staleness',
    name: 'Staleness',
    value: String(most),
    unit: most === 1 ? 'update' : 'updates',
    note: `${weights}, ${count(versions, 'version', 'versions')}`,
    share: 1,
    amount: undefined,
  };
}

/** Seconds and share are both means over the devices. */
function exposedFigure(report: ReportWithoutCauses): Figure {
  const waited = exposedCommunication(report);
  const [most, other] = exposedParts(report).toSorted((a, b) => b.seconds - a.seconds);
  const isOne = other === undefined || other.share < 0.0005;
  return {
    ...plain,
    key: 'exposed',
    name: 'Exposed communication',
    value: smallShare(waited),
    unit: waited > 1e-9 ? `${isOne ? '' : 'mostly '}${communicationWords[most.kind]}` : '',
    note: `${time(waited * report.iteration)} per device`,
    share: waited,
    amount: waited,
  };
}

/** The fullest host, and the mean wait of devices for theirs; nothing where no device has activations there. */
function hostFigure(plan: PipelinePlan, picture: Picture): readonly Figure[] {
  const fullest = fullestHost(picture);
  if (fullest < 0) return [];
  const { devices, iteration } = picture.report;
  const waited = devices.reduce((sum, { host }) => sum + (host?.exposed ?? 0), 0) / devices.length;
  const peak = hostPeak(picture);
  return [
    {
      ...plain,
      key: 'host',
      name: 'Host memory',
      value: bytes(peak),
      unit: `on the host of ${plan.devices[fullest].name}`,
      note: `exposed copies ${time(waited)} per device`,
      share: shareOf(waited, iteration),
      amount: peak,
    },
  ];
}

function flopsFigure({ utilisation, rate }: NonNullable<ReportWithoutCauses['model_flops']>): Figure {
  return {
    ...plain,
    key: 'mfu',
    name: 'MFU',
    value: share(utilisation),
    unit: 'of the peak rate',
    note: `${amount(rate)}FLOP/s per device`,
    share: utilisation,
    amount: utilisation,
    moreIsBetter: true,
  };
}

function tokensFigure(tokens: TokensReport): Figure {
  const { all, total } = tokenWords(tokens);
  return {
    ...plain,
    key: 'tokens',
    name: 'Tokens',
    value: tokenRate(tokens.per_second_per_gpu),
    unit: 'tokens/s per GPU',
    note: total === undefined ? all : `${all}; ${total}`,
    shortNote: total ?? all,
    share: 1,
    amount: tokens.per_second_per_gpu,
    moreIsBetter: true,
  };
}

function criticalFigure(picture: Picture): Figure {
  const { critical, placement } = picture;
  const devices = new Set(Array.from(critical, (block) => placement[stageOf(picture, block)])).size;
  return {
    ...plain,
    key: 'critical',
    name: 'Critical path',
    value: critical.length.toLocaleString('en-US'),
    unit: `${critical.length === 1 ? 'block' : 'blocks'} on ${count(devices, 'device', 'devices')}`,
    note: criticalPathIsOnly(picture) === undefined ? '' : criticalPathWords(picture).toLowerCase(),
    share: 1,
    amount: undefined,
  };
}

/** `264` of `264 ms` where the other has the same unit. */
export function withoutUnit(text: string, other: string): string {
  const unit = / \S+$/.exec(text)?.[0];
  return unit !== undefined && other.endsWith(unit) ? text.slice(0, -unit.length) : text;
}

/** `4.2–6.1 GiB`: from the least to the most; one figure where the two read the same. */
export const rangeText = (least: string, most: string): string =>
  least === most ? most : `${withoutUnit(least, most)}–${most}`;

export type Change = 'better' | 'worse' | 'same';
const least = 0.005;

/** Of a figure against what it was. Under half a percent nothing has changed. */
export function changeOf(now: Figure, before: Figure | undefined): Change {
  if (before?.amount === undefined || now.amount === undefined) return 'same';
  const difference = now.amount - before.amount;
  if (Math.abs(difference) < least * Math.abs(before.amount) || difference === 0) return 'same';
  return difference > 0 === now.moreIsBetter ? 'better' : 'worse';
}
