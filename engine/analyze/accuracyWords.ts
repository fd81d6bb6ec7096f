/** The spread of published runs in words. */
import type { AccuracyReport, DeviceFamily, RunKind, SpreadReport } from '../values/accuracy.ts';
import { count } from '../basics/quantities.ts';

const families: Readonly<Record<DeviceFamily, string>> = {
  ampere: 'A100',
  hopper: 'H100 and H200',
  blackwell: 'B200 and GB200',
};

const formats: Readonly<Record<RunKind['format'], string>> = {
  '16bit': '16 bits',
  fp8: 'fp8',
  fp4: 'fp4',
  other: 'another format',
};

/** `H100 and H200, fp8, dense, several nodes`. */
export function kindWords({ device, format, experts, nodes }: Partial<RunKind>): string {
  const parts = [
    device === undefined ? '' : families[device],
    format === undefined ? '' : formats[format],
    experts === undefined ? '' : experts ? 'mixtures' : 'dense',
    nodes === undefined ? '' : nodes === 'one' ? 'one node' : 'several nodes',
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'any model and device' : parts.join(', ');
}

/** `± 8 %`: whole percent, rounded up. */
export const spreadWords = ({ share }: Pick<SpreadReport, 'share'>): string => `± ${Math.ceil(100 * share - 1e-9)} %`;

/** ` ± 8 %`, or nothing: to put behind a figure. */
export const behind = (spread: Pick<SpreadReport, 'share'> | undefined): string =>
  spread === undefined ? '' : ` ${spreadWords(spread)}`;

/** `fits in 19 of 20 such runs`. */
export const fitWords = ({ fit, runs }: { readonly fit: number; readonly runs: number }): string =>
  `fits in ${fit} of ${count(runs, 'such run', 'such runs')}`;

/** What ± means, in one line. */
export function accuracyNote({ kind, time, memory }: AccuracyReport): string {
  if (kind.part === true) return 'No published run trains adapters or a part of the weights, so no ± is known.';
  const of = (what: string, spread: SpreadReport | undefined): string[] =>
    spread === undefined ? [] : [`${what}: ${count(spread.runs, 'run', 'runs')} (${kindWords(spread.of)})`];
  return `±: 4 of 5 published runs of the kind. ${[...of('Time', time), ...of('memory', memory)].join('; ')}`;
}
