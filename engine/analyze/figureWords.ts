/** Main figures of a report in words, as texts, captions and tables write them. */
import { bytes, count, excludesSome, iterationTime, list, share } from '../basics/quantities.ts';
import { fullest } from '../basics/fullest.ts';
import type { MeasuredReport } from '../values/measured.ts';
import type { JitterReport, PipelineReport } from '../values/report.ts';
import { exposedParts } from './shares.ts';
import { communicationWords } from './traffic.ts';
import { memoryAmount } from './unitWords.ts';

/** `30.29 samples/s`. */
export const throughputWords = ({ throughput }: PipelineReport): string =>
  `${Number(throughput.toPrecision(4))} samples/s`;

/** `5 GiB of 16 GiB on gpu[0]`; undefined without devices. Devices of a schedule without a pipeline have no limit. */
export function peakWords(report: PipelineReport): string | undefined {
  const device = fullest(report);
  if (device === undefined) return undefined;
  if (report.unit_times === true) return `${memoryAmount(device.peak, true)} on ${device.name}`;
  const over = device.peak > device.capacity ? ' (out of memory)' : '';
  return `${bytes(device.peak)} of ${bytes(device.capacity)} on ${device.name}${over}`;
}

/** What devices wait for communication, by kind: `transfers 3.1 %, tensor ranks 12 %`. Shares that round to nothing are left out. */
export const exposedWords = (report: PipelineReport): string =>
  exposedParts(report)
    .filter((part) => excludesSome(part.share))
    .map((part) => `${communicationWords[part.kind]} ${share(part.share)}`)
    .join(', ');

/** `p50 264 ms, p99 301 ms of 1,000 draws`. */
export const drawWords = ({ p50, p99, draws }: JitterReport): string =>
  `p50 ${iterationTime(p50)}, p99 ${iterationTime(p99)} of ${count(draws, 'draw', 'draws')}`;

/** `measured 431 ms, +2.4 %`: of several pipelines that ran, the one that is farthest from the simulation. */
export function measuredWords({ runs, drift }: MeasuredReport): string {
  const farthest = runs.find((run) => run.drift === drift) ?? runs[0];
  return `measured ${iterationTime(farthest.iteration)}, ${share(drift, true)}`;
}

/** Of what that is a mean, and what it is compared with. */
export function measuredNote({ runs, drift, simulated, whole }: MeasuredReport): string {
  const { ranks, steps } = runs.find((run) => run.drift === drift) ?? runs[0];
  const which =
    runs.length === 1 ? '' : `, ${list(ranks.map(String))} of ${count(runs.length, 'pipeline', 'pipelines')}`;
  return `mean of ${count(steps, 'step', 'steps')}${which}; simulated ${iterationTime(simulated)}${whole === true ? '' : ' without the optimizer’s step'}`;
}

/** Whether the time of the report is from one iteration to the next, and not from the start to the end of one. */
export const isPeriod = ({ asynchronous, exchange }: PipelineReport): boolean =>
  asynchronous !== undefined || exchange?.barrier === false;
