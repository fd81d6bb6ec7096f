/**
 * Reads a system of NVIDIA's aiconfigurator: `systems/*.yaml` of github.com/ai-dynamo/aiconfigurator. Its figures are in bytes,
 * seconds and FLOP/s; bandwidths are for one device in one direction.
 */
import type { Precision } from '../../costs/types.ts';
import { bytes } from '../../basics/quantities.ts';
import type { TextFault } from '../fault.ts';
import { type Fields, fieldsOf } from '../json/fields.ts';
import { describeJson, type JsonValue } from '../json/value.ts';
import type { System, SystemNetwork } from '../system/model.ts';
import { readYaml } from '../yaml/read.ts';

/** Whether a text looks like one, damaged or not. */
export const isAiconfigurator = (text: string): boolean =>
  /^\s*(?:gpu|node)\s*:/m.test(text) && /\b(?:mem_bw|mem_capacity|num_gpus_per_node)\s*:/.test(text);

/** The system, or what is wrong with it, in order of position. Never throws. */
export function readAiconfigurator(text: string): System | { readonly faults: readonly TextFault[] } {
  const yaml = readYaml(text);
  if ('fault' in yaml) return { faults: [yaml.fault] };
  if (yaml.kind !== 'object')
    return { faults: [{ ...yaml, message: `A system is a mapping, found ${describeJson(yaml)}.` }] };
  return systemOf(fieldsOf(yaml));
}

function systemOf(fields: Fields): ReturnType<typeof readAiconfigurator> {
  const gpu = fields.inner('gpu');
  const node = fields.inner('node');
  const compute = gpu === undefined ? {} : readCompute(gpu);
  const memory = gpu?.amount('mem_capacity') ?? 1;
  const peak = gpu?.amount('mem_bw') ?? 1;
  const scaling = gpu?.amount('mem_bw_empirical_scaling_factor', { otherwise: 1, least: 1e-6, most: 1 }) ?? 1;
  const launch = gpu?.amount('mem_empirical_constant_latency', { otherwise: 0, ...time }) ?? 0;
  const reserved = readReserved(fields);
  const networks = node === undefined ? [] : readNetworks(node);
  if (gpu !== undefined && fields.faults.length === 0 && reserved.size >= memory)
    gpu.fault('mem_capacity', '"nccl_mem" and "other_mem" take all of it.');
  if (gpu === undefined || fields.faults.length > 0)
    return { faults: fields.faults.toSorted((a, b) => a.start - b.start) };
  const share = scaling === 1 ? {} : { memoryEfficiency: [{ least: 0, share: scaling }] };
  const absent = ['int8', 'fp4'].filter((name) => gpu.has(`${name}_tc_flops`));
  return {
    device: { memory, reserved: reserved.size, compute, efficiencyAt: {}, bandwidth: peak, ...share, launch },
    networks,
    notes: {
      ...(reserved.note === '' ? {} : { reserved: reserved.note }),
      memoryEfficiency: 'mem_bw_empirical_scaling_factor',
      launch: 'mem_empirical_constant_latency',
    },
    remarks: [
      'The file measures products one by one and has no overall share of the peak: set an `efficiency`.',
      ...(absent.length === 0 ? [] : [`Rates of ${absent.join(' and ')} are left out.`]),
    ],
    networkRemarks: [],
  };
}

/** Fields with rates, and their number formats: tensor cores multiply both 16-bit formats at one rate. */
const rates: readonly (readonly [field: string, formats: readonly Precision[]])[] = [
  ['float16_tc_flops', ['fp16', 'bf16']],
  ['bfloat16_tc_flops', ['bf16', 'fp16']],
  ['fp8_tc_flops', ['fp8']],
  ['float32_tc_flops', ['fp32']],
];

function readCompute(gpu: Fields): System['device']['compute'] {
  const compute: { [P in Precision]?: number } = {};
  for (const [field, [precision, alike]] of rates) {
    if (!gpu.has(field)) continue;
    const rate = gpu.amount(field);
    compute[precision] = rate;
    if (alike !== undefined) compute[alike] ??= rate;
  }
  if (Object.keys(compute).length === 0) gpu.fault('bfloat16_tc_flops', '"gpu.bfloat16_tc_flops" is missing.');
  return compute;
}

/** NCCL's memory at the most ranks that the file knows, and what else the framework holds. */
function readReserved(fields: Fields): { readonly size: number; readonly note: string } {
  const misc = fields.has('misc') ? fields.inner('misc') : undefined;
  const nccl = misc?.has('nccl_mem') === true ? misc.inner('nccl_mem') : undefined;
  const ranks = (nccl?.names ?? []).map(Number).filter((value) => Number.isInteger(value) && value > 0);
  for (const name of nccl?.names ?? []) {
    if (!/^[1-9]\d{0,8}$/.test(name)) nccl?.fault(name, `"misc.nccl_mem" has a number of ranks as its keys.`);
    else if (!isBytes(nccl?.value(name))) nccl?.fault(name, '"misc.nccl_mem" has bytes as its values.');
  }
  const most = ranks.length === 0 ? undefined : Math.max(...ranks);
  const ofNccl = most === undefined ? 0 : (nccl?.amount(String(most), { zero: true }) ?? 0);
  const other = misc?.amount('other_mem', { otherwise: 0, zero: true }) ?? 0;
  const parts = [
    ...(most === undefined ? [] : [`nccl_mem of ${most} ranks, ${bytes(ofNccl)}`]),
    ...(other === 0 ? [] : [`other_mem, ${bytes(other)}`]),
  ];
  return { size: ofNccl + other, note: parts.join('; ') };
}

/** Whether a value is a number that is no mistake of digits. */
const isBytes = (value: JsonValue | undefined): boolean =>
  value?.kind === 'number' && (value.value === 0 || (value.value >= 1 && value.value <= 1e18));

/** Nodes, racks where the file has them, and what joins these. A bandwidth of 0 between nodes: there is one node. */
function readNetworks(node: Fields): readonly SystemNetwork[] {
  const devices = node.whole('num_gpus_per_node');
  const latency = node.amount('p2p_latency', { otherwise: 0, ...time });
  const inside: SystemNetwork = { joins: devices, bandwidth: node.amount('intra_node_bw'), latency };
  const between = node.amount('inter_node_bw', { zero: true });
  if (between === 0) return [inside];
  if (!node.has('num_gpus_per_rack')) return [inside, { joins: { most: mostNodes }, bandwidth: between, latency }];
  const rack = node.whole('num_gpus_per_rack');
  if (rack % devices !== 0)
    node.fault('num_gpus_per_rack', '"node.num_gpus_per_rack" must be a multiple of "node.num_gpus_per_node".');
  return [
    inside,
    { joins: rack / devices, bandwidth: between, latency },
    {
      joins: { most: mostNodes },
      bandwidth: node.amount('inter_rack_bw', { otherwise: between }),
      latency: node.amount('inter_rack_latency', { otherwise: latency, ...time }),
    },
  ];
}

/** What a time may be: none, or a picosecond and more. */
const time = { zero: true, least: 1e-12 } as const;

/** The file has no number of nodes; a slider needs an end. */
const mostNodes = 512;
