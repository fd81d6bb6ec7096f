import type { SizedShares } from '../../costs/types.ts';
import type { SystemRead } from '../system.ts';
import { bytesLiteral } from '../../basics/quantities.ts';
import { laidOut, plain } from '../toPipe.ts';
import type { SystemDevice, SystemNetwork } from './model.ts';

/** A `.pipe` file with the device of a system, and a cluster of its networks. */
export function pipeOfSystem(system: SystemRead): string {
  const { format, networks, remarks, networkRemarks } = system;
  return laidOut(`/// The device of a ${format}.
${lines(remarks)}${deviceText(system)}
${clusterText(networks, networkRemarks)}`);
}

const name = 'accelerator';

/** The `device` of a system, laid out. */
export function deviceText({ device, notes }: Pick<SystemRead, 'device' | 'notes'>): string {
  const comment = (key: keyof SystemDevice): string => (notes[key] === undefined ? '' : ` // ${notes[key]}`);
  const written = entries(device).map(({ key, text: entry }) => `  ${entry}${comment(key)}\n`);
  return laidOut(`device ${name} {\n${written.join('')}}\n`);
}

const lines = (remarks: readonly string[]): string => remarks.map((remark) => `/// ${remark}\n`).join('');

/** Entries of a `device` block, with the figure that each is about. */
function entries(device: SystemDevice): readonly { readonly key: keyof SystemDevice; readonly text: string }[] {
  const { memory, reserved, compute, efficiency, efficiencyAt, bandwidth, memoryEfficiency, launch, memoryOverlap } =
    device;
  return [
    { key: 'memory', text: `memory = ${bytesLiteral(memory)}` },
    ...(reserved > 0 ? [{ key: 'reserved' as const, text: `reserved = ${bytesLiteral(reserved)}` }] : []),
    ...Object.entries(compute).map(([precision, rate]) => ({
      key: 'compute' as const,
      text: `compute(${precision}) = ${rate < 1e9 ? amount(rate, 1, 'FLOPS') : amount(rate, 1e12, 'TFLOPS')}`,
    })),
    ...shares('efficiency', [], efficiency ?? [], 1e9, 'GFLOP'),
    ...Object.entries(efficiencyAt).flatMap(([precision, table]) =>
      shares('efficiency', [precision], table, 1e9, 'GFLOP'),
    ),
    { key: 'bandwidth', text: `bandwidth = ${perSecond(bandwidth)}` },
    ...shares('memoryEfficiency', [], memoryEfficiency ?? [], 1e6, 'MB'),
    ...(memoryOverlap === undefined
      ? []
      : [{ key: 'memoryOverlap' as const, text: `memory_overlap = ${amount(memoryOverlap, 0.01, '%')}` }]),
    ...(launch > 0 ? [{ key: 'launch' as const, text: `launch = ${amount(launch, 1e-6, 'us')}` }] : []),
  ];
}

/** `efficiency = 10%`, `efficiency(fp16, 16GFLOP) = 90%`. */
const shares = (
  key: 'efficiency' | 'memoryEfficiency',
  before: readonly string[],
  table: SizedShares,
  scale: number,
  unit: string,
) =>
  table.map(({ least, share }) => {
    const args = [...before, ...(least === 0 ? [] : [amount(least, scale, unit)])];
    const name = key === 'efficiency' ? key : 'memory_efficiency';
    return { key, text: `${name}${args.length === 0 ? '' : `(${args.join(', ')})`} = ${amount(share, 0.01, '%')}` };
  });

/** What the outermost network joins, by the number of networks. */
const outermost = ['gpus', 'nodes', 'racks'];

function clusterText(networks: readonly SystemNetwork[], remarks: readonly string[]): string {
  const last = networks.at(-1)?.joins;
  const param = typeof last === 'object' ? (outermost[networks.length - 1] ?? 'groups') : undefined;
  const most = typeof last === 'object' ? last.most : 0;
  const body = networks.reduce((inner, { joins, bandwidth, latency }, index) => {
    const number = typeof joins === 'number' ? joins : param;
    const joined = index === 0 ? `gpu[${number}] = ${name}` : `node[${number}] {\n${inner}\n}`;
    const delay = latency === 0 ? '' : ` + ${amount(latency, 1e-6, 'us')}`;
    return `${joined}\nlink = ${perSecond(bandwidth)}${delay}`;
  }, '');
  const slider =
    param === undefined
      ? ''
      : `/// How many ${param} there are.\nparam ${param} = ${Math.min(networks.length === 1 ? 8 : 2, most)} in 1..${most}\n\n`;
  return `${slider}/// Bandwidths are per device and direction.\n${lines(remarks)}cluster machines {\n${body}\n}\n`;
}

const perSecond = (value: number): string => (value < 1e6 ? amount(value, 1, 'B/s') : amount(value, 1e9, 'GB/s'));

/** A figure in a unit, without the noise of binary fractions: fifteen digits are more than a file has. */
const amount = (value: number, scale: number, unit: string): string =>
  `${plain(Number((value / scale).toPrecision(14)))}${unit}`;
