/**
 * Reads a system of Calculon: `systems/*.json` of github.com/calculon-ai/calculon. Its `system.py`, `processor.py`, `memory.py`
 * and `network.py` say what a field means.
 *
 * Sources: Isaev et al., "Calculon: a Methodology and Tool for High-Level Codesign of Systems and Large Language Models", SC
 * 2023.
 */
import { table } from '../../basics/table.ts';
import type { Precision, SizedShare } from '../../costs/types.ts';
import { largestQuantity } from '../../basics/largest.ts';
import type { TextFault } from '../fault.ts';
import { type Fields, fieldsOf } from '../json/fields.ts';
import { readJson } from '../json/read.ts';
import { describeJson } from '../json/value.ts';
import type { System, SystemDevice, SystemNetwork } from '../system/model.ts';

/** Whether a text looks like one, damaged or not. */
export const isCalculon = (text: string): boolean =>
  /^\uFEFF?\s*\{/.test(text) && /"(?:mem1|networks)"/.test(text) && /"matrix"/.test(text);

/** The system, or what is wrong with it, in order of position. Never throws. */
export function readCalculon(text: string): System | { readonly faults: readonly TextFault[] } {
  const json = readJson(text);
  if ('fault' in json) return { faults: [json.fault] };
  if (json.kind !== 'object')
    return { faults: [{ ...json, message: `A system is an object, found ${describeJson(json)}.` }] };
  return systemOf(fieldsOf(json));
}

function systemOf(fields: Fields): ReturnType<typeof readCalculon> {
  const matrix = fields.inner('matrix');
  const types = matrix === undefined ? undefined : readMatrix(matrix);
  const memory = fields.inner('mem1');
  const bytes = memory?.amount('GiB', { unit: 2 ** 30 }) ?? 1;
  const bandwidth = memory?.amount('GBps', { unit: 1e9 }) ?? 1;
  const memoryTable = memory === undefined ? [] : readTable(memory, 'MB_efficiency', 1e6);
  const { networks, remarks } = readNetworks(fields);
  if (types === undefined || fields.faults.length > 0)
    return { faults: fields.faults.toSorted((a, b) => a.start - b.start) };
  return {
    device: {
      memory: bytes,
      reserved: 0,
      ...types,
      bandwidth,
      memoryEfficiency: memoryTable,
      launch: 0,
      ...(fields.text('processing_mode') === 'no_overlap' ? { memoryOverlap: 0 } : {}),
    },
    networks,
    notes: {},
    remarks: leftOut(fields),
    networkRemarks: remarks,
  };
}

/** Number formats of Calculon. It has 16-bit figures once: tensor cores multiply both 16-bit formats at one rate. */
const formats: Readonly<Record<string, readonly Precision[]>> = table({
  float8: ['fp8'],
  float16: ['fp16'],
  bfloat16: ['bf16'],
  float32: ['fp32'],
});

/** Rates and tables of products: `{"float16": {"tflops": …}}`, or with one rate and a table for each number format. */
function readMatrix(matrix: Fields): Pick<SystemDevice, 'compute' | 'efficiency' | 'efficiencyAt'> {
  const compute: { [P in Precision]?: number } = {};
  const tables: { [P in Precision]?: readonly SizedShare[] } = {};
  const shared = matrix.has('tflops') ? matrix.amount('tflops', { unit: 1e12 }) : undefined;
  const byType = shared === undefined ? matrix : matrix.inner('gflops_efficiency');
  for (const name of byType?.names ?? []) {
    const targets = formats[name];
    if (targets === undefined || byType === undefined) {
      byType?.fault(name, `This is not a known number format. Known formats: ${Object.keys(formats).join(', ')}.`);
      continue;
    }
    const fieldsOfType = shared === undefined ? byType.inner(name) : byType;
    if (fieldsOfType === undefined) continue;
    const rate = shared ?? fieldsOfType.amount('tflops', { unit: 1e12 });
    const table = readTable(fieldsOfType, shared === undefined ? 'gflops_efficiency' : name, 1e9);
    for (const target of targets) [compute[target], tables[target]] = [rate, table];
  }
  // One 16-bit format stands for the other.
  for (const [field, other] of [
    ['fp16', 'bf16'],
    ['bf16', 'fp16'],
  ] as const) {
    compute[other] ??= compute[field];
    tables[other] ??= tables[field];
    if (compute[other] === undefined) delete compute[other];
    if (tables[other] === undefined) delete tables[other];
  }
  const all = Object.values(tables);
  if (all.length === 0 && byType?.names.length === 0)
    byType.fault('float16', 'This needs a number format, such as "float16".');
  const alike = all.every((candidate) => JSON.stringify(candidate) === JSON.stringify(all[0]));
  return alike ? { compute, efficiency: all[0], efficiencyAt: {} } : { compute, efficiencyAt: tables };
}

/** Smaller shares, and greater factors, are mistakes of digits. */
const leastShare = 1e-6;

/** `[[128, 0.95], [0, 0.1]]`: from 128 units on 95 %. The last entry is for 0, so that every size has a share. */
function readTable(fields: Fields, name: string, unit: number): readonly SizedShare[] {
  if (!fields.has(name)) fields.fault(name, `"${name}" is missing.`);
  const table: SizedShare[] = [];
  for (const item of fields.items(name)) {
    const [size, share] = item.kind === 'array' && item.items.length === 2 ? item.items : [];
    if (size?.kind !== 'number' || share?.kind !== 'number')
      fields.faultAt(item, `An entry of "${name}" is a pair of numbers, found ${describeJson(item)}.`);
    else if (!(share.value >= leastShare && share.value <= 1))
      fields.faultAt(share, `A share of "${name}" must be from ${leastShare} to 1.`);
    else if (
      !(size.value === 0 || (size.value >= 1e-6 && size.value <= 1e12)) ||
      size.value >= (table.at(-1)?.least ?? Infinity) / unit
    )
      fields.faultAt(size, `Sizes of "${name}" must fall, to 0 at the end.`);
    else if (size.value * unit > largestQuantity)
      fields.faultAt(size, `A size of "${name}" must be at most ${largestQuantity / unit}.`);
    else table.push({ least: size.value * unit, share: share.value });
  }
  const last = fields.items(name).at(-1);
  if (fields.faults.length === 0 && table.at(-1)?.least !== 0) {
    const message = `"${name}" needs a last entry for the size 0, such as [0, 0.1].`;
    if (last === undefined) fields.fault(name, message);
    else fields.faultAt(last, message);
  }
  return table.toReversed();
}

function readNetworks(fields: Fields): { networks: readonly SystemNetwork[]; remarks: readonly string[] } {
  const remarks = new Set<string>();
  const networks: SystemNetwork[] = [];
  const items = fields.items('networks');
  if (items.length === 0 && fields.faults.length === 0)
    fields.fault('networks', '"networks" needs at least one network.');
  let inside = 1;
  for (const [index, item] of items.entries()) {
    const part = fields.within(item, `networks[${index}]`);
    if (part === undefined) continue;
    const size = part.whole('size');
    const { pair, ring } = readFactors(part);
    const network = {
      bandwidth:
        (part.amount('bandwidth', { unit: 1e9 }) * part.amount('efficiency', { least: leastShare, most: 1 })) / pair,
      latency: part.amount('latency', { zero: true, least: 1e-12 }),
    };
    if (size <= inside || size % inside !== 0) {
      part.fault(
        'size',
        `"networks[${index}].size" must be ${index === 0 ? 'over 1' : 'a multiple of the size of the network inside it, and larger'}.`,
      );
      continue;
    }
    const joins = size / inside;
    networks.push({ ...network, joins: index === items.length - 1 ? { most: joins } : joins });
    inside = size;
    if (!ring) remarks.add('All-reduces are rings over these links; factors of `ops` for collectives are left out.');
    if (part.amount('processor_usage', { otherwise: 0, zero: true, least: 0 }) > 0)
      remarks.add('`processor_usage`, the share of the processor that a transfer takes, is left out.');
  }
  return { networks, remarks: [...remarks] };
}

/** A factor of `ops`: a number, or the first of a list with what is added for each rank. */
function factorOf(ops: Fields, name: string): { readonly factor: number; readonly added: number } | undefined {
  const value = ops.value(name);
  const [factor, added] = value?.kind === 'array' ? value.items : [value];
  if (factor?.kind === 'number' && factor.value >= leastShare && factor.value <= 1 / leastShare)
    return { factor: factor.value, added: added?.kind === 'number' ? added.value : 0 };
  ops.fault(name, `"${name}" must be a factor over 0${value === undefined ? '; it is missing' : ''}.`);
  return undefined;
}

/** Bytes that a transfer between two devices moves for each byte of its message; with what the engine counts differently. */
function readFactors(network: Fields): { readonly pair: number; readonly ring: boolean } {
  const ops = network.inner('ops');
  const pair = ops === undefined ? undefined : factorOf(ops, 'p2p');
  const all = ops === undefined ? undefined : factorOf(ops, 'all_reduce');
  const less = network.flag('collective_minus1_scalar', false) ? -1 : (all?.added ?? 0);
  return { pair: pair?.factor ?? 1, ring: all?.factor === 2 && less === -1 };
}

/** What this engine counts differently. */
function leftOut(fields: Fields): readonly string[] {
  return [
    ...(fields.has('vector') ? ['`vector` is left out: work other than products takes the time of its bytes.'] : []),
    ...(fields.has('mem2') ? ['`mem2`, the offloading memory, is left out.'] : []),
  ];
}
