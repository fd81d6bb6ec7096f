/** A `device` of `std:hardware` and its text. Adding one: `docs/contribute/adding-a-device.md`. */

import type { DeviceFamily } from '../values/accuracy.ts';

/** How far to trust figures; `reading` says what each word means. */
export type Confidence = 'high' | 'medium' | 'low';

export const reading: Readonly<Record<Confidence, string>> = {
  high: 'high (read in the source)',
  medium: 'medium (second hand, or not all of it compared with the source)',
  low: 'low (a specification that nothing confirms)',
};

export interface DeviceFigures {
  readonly name: string;
  readonly title: string;
  readonly note?: string;
  /** GiB that a framework finds free; GB/s. */
  readonly memory: number;
  readonly bandwidth: number;
  /** Dense TFLOPS, 0 for a format that the device does not have: of every number format that `computeAt` does not have. Absent where nothing is known of those. */
  readonly compute?: number;
  readonly computeAt: Readonly<Record<string, number>>;
  /** Percent of the peak; a guess where absent. */
  readonly efficiency?: number;
  /** Percent by key: shares by size, if they are known. `efficiency` then is for the smallest products. */
  readonly kernels?: readonly (readonly [key: string, percent: number])[];
  /** Devices whose shares were fitted to the same published runs. */
  readonly family?: DeviceFamily;
  /** Number formats whose shares are a guess, while others were fitted. */
  readonly unfitted?: readonly string[];
  /** What it was judged by. */
  readonly efficiencyFrom?: string;
  readonly efficiencyAt?: Readonly<Record<string, number>>;
  /** The link of `std:hardware` to its host, of the same sources; absent where none is published for one device. */
  readonly host?: 'pcie3x16' | 'pcie4x16' | 'pcie5x16';
  readonly confidence: Confidence;
  readonly sources: string;
  /** Which figures come from where, if each was looked up. */
  readonly basis?: Basis;
}

/** Names of figures by where they come from. */
export interface Basis {
  /** Reported by programs that ran on the device. */
  readonly measured?: string;
  /** Printed by its vendor. */
  readonly vendor?: string;
  /** Computed from other figures, or second hand. */
  readonly inferred?: string;
}

const basisText = ({ measured, vendor, inferred }: Basis): string =>
  [
    ['Measured', measured],
    ['Vendor', vendor],
    ['Inferred', inferred],
  ]
    .flatMap(([kind, figures]) => (figures === undefined ? [] : [`${kind}: ${figures}.`]))
    .join(' ');

/** Percent, where no published run gives one. */
const guess = 40;

export const isGuessed = ({ efficiency, efficiencyFrom }: DeviceFigures): boolean =>
  efficiency === undefined || efficiencyFrom === undefined;

/** The declaration with its documentation. */
export function deviceText(device: DeviceFigures): string {
  const { name, title, note, memory, bandwidth, compute, computeAt, efficiency, efficiencyAt = {} } = device;
  const { efficiencyFrom, kernels = [] } = device;
  const entries: [string, string][] = [
    ['memory', `${memory}GiB`],
    ['reserved', 'framework'],
    ...(compute === undefined ? [] : [['compute', `${compute}TFLOPS`] as [string, string]]),
    ...Object.entries(computeAt).map(([at, rate]): [string, string] => [
      `compute(${at})`,
      rate === 0 ? 'none' : `${rate}TFLOPS`,
    ]),
    ['bandwidth', `${bandwidth}GB/s`],
    ['efficiency', `${efficiency ?? guess}%`],
    ...kernels.map(([key, share]): [string, string] => [key, `${share}%`]),
    ...Object.entries(efficiencyAt).map(([at, share]): [string, string] => [`efficiency(${at})`, `${share}%`]),
    ...(device.host === undefined ? [] : [['host', device.host] as [string, string]]),
  ];
  const width = Math.max(...entries.map(([key]) => key.length));
  return [
    `/// ${title}.${note === undefined ? '' : ` ${note}`}`,
    `/// Sources: ${device.sources}. Confidence: ${reading[device.confidence]}.`,
    ...(device.basis === undefined ? [] : [`/// ${basisText(device.basis)}`]),
    isGuessed(device)
      ? '/// `efficiency` is a guess: no published run was fitted.'
      : kernels.length > 0
        ? `/// Shares of the peak are by size of a kernel: ${efficiencyFrom}.`
        : `/// \`efficiency\` is judged by ${efficiencyFrom}.`,
    `device ${name} {`,
    ...entries.map(([key, value]) => `  ${key.padEnd(width)} = ${value}`),
    '}',
  ].join('\n');
}
