import { describe, expect, it, test } from 'vitest';
import { isAiconfigurator, readAiconfigurator } from '../../../../engine/formats/aiconfigurator/read.ts';
import { readYaml } from '../../../../engine/formats/yaml/read.ts';
import { checkDamaged } from './damage.ts';
import { gb300, h200 } from './files.ts';

const read = (text: string) => {
  const found = readAiconfigurator(text);
  if ('faults' in found) throw new Error(found.faults.map((fault) => fault.message).join('\n'));
  return found;
};
const faultsOf = (text: string) => {
  const found = readAiconfigurator(text);
  return 'faults' in found ? found.faults.map(({ start, end, message }) => [text.slice(start, end), message]) : [];
};

test('a system as aiconfigurator has it', () => {
  const { device, networks, notes, remarks } = read(h200);
  expect(device).toEqual({
    memory: 141 * 2 ** 30,
    reserved: 411_041_792 + 3_758_096_384,
    compute: { bf16: 989e12, fp16: 989e12, fp8: 1978e12 },
    efficiencyAt: {},
    bandwidth: 4.8e12,
    memoryEfficiency: [{ least: 0, share: 0.8 }],
    launch: 3e-6,
  });
  expect(networks).toEqual([
    { joins: 8, bandwidth: 450e9, latency: 1e-5 },
    { joins: { most: 512 }, bandwidth: 50e9, latency: 1e-5 },
  ]);
  expect(notes.reserved).toBe('nccl_mem of 8 ranks, 392 MiB; other_mem, 3.5 GiB');
  expect(remarks.join(' ')).toMatch(/efficiency.*int8/);
});

test('racks, and the older name of the 16-bit rate', () => {
  const { device, networks, remarks } = read(gb300);
  expect(device).toMatchObject({ reserved: 0, launch: 0, bandwidth: 8e12, compute: { bf16: 2.5e15, fp16: 2.5e15 } });
  expect(networks).toEqual([
    { joins: 4, bandwidth: 900e9, latency: 1e-5 },
    { joins: 18, bandwidth: 900e9, latency: 1e-5 },
    { joins: { most: 512 }, bandwidth: 25e9, latency: 5e-6 },
  ]);
  expect(remarks.join()).toContain('fp4');
  // Between racks as between nodes, where the file says no more.
  expect(read(gb300.replace(/ {2}inter_rack.*\n/g, '')).networks[2]).toMatchObject({ bandwidth: 900e9, latency: 1e-5 });
  expect(read(gb300.replace('inter_node_bw: 900000000000', 'inter_node_bw: 0')).networks).toHaveLength(1);
});

test('NCCL is counted at the most ranks, however the file orders them', () => {
  expect(read(h200.replace('    1: 0\n', '    16: 536870912\n')).device.reserved).toBe(2 ** 29 + 3_758_096_384);
  expect(read(h200.replace(/ {2}nccl_mem[^]*?(?= {2}other_mem)/, '')).device.reserved).toBe(3_758_096_384);
  expect(read(h200.replace(/misc[^]*/, '')).device.reserved).toBe(0);
});

describe('damaged systems', () => {
  it.each([
    [
      h200.replace('mem_bw: 4800000000000', 'mem_bw: fast'),
      'fast',
      '"gpu.mem_bw" must be a number over 0, found a text.',
    ],
    [h200.replace(/.*mem_capacity.*\n/, ''), 'm', '"gpu.mem_capacity" is missing.'],
    [h200.replace('factor: 0.8', 'factor: 1.2'), '1.2', 'must be at most 1.'],
    [h200.replace(/.*_tc_flops.*\n/g, ''), 'm', '"gpu.bfloat16_tc_flops" is missing.'],
    [h200.replace('    8: 411', '    many: 411'), '411041792', 'has a number of ranks as its keys.'],
    [h200.replace('other_mem: 3758096384', 'other_mem: 151397597184'), '151397597184', 'take all of it'],
    [h200.replace('num_gpus_per_node: 8', 'num_gpus_per_node: 0'), '0', 'a whole number from 1'],
    [gb300.replace('rack: 72', 'rack: 70'), '70', 'must be a multiple of "node.num_gpus_per_node".'],
    [h200.replace('node:', 'nodes:'), 'd', '"node" is missing.'],
    [h200.replace('gpu:', 'gpu: 3 #'), '', ''],
    ['gpu: 3\nnode: {mem_bw: 1}', '3', '"gpu" must be an object, found a number.'],
    ['- gpu:\n    mem_bw: 1', '- gpu:\n    mem_bw: 1', 'A system is a mapping, found a list.'],
  ])('%#', (text, place, message) => {
    const faults = faultsOf(text);
    expect(
      faults.some(([at, told]) => at.includes(place) && told.includes(message)),
      JSON.stringify(faults),
    ).toBe(true);
  });
});

describe('YAML with places', () => {
  const faultOf = (text: string) => {
    const found = readYaml(text);
    return 'fault' in found ? [text.slice(found.fault.start, found.fault.end), found.fault.message] : found;
  };
  test('values and where they stand', () => {
    const text = 'a: [1, {b: "c d"}] # note\n2: null\n';
    const found = readYaml(text);
    const members = 'kind' in found && found.kind === 'object' ? found.members : new Map<string, never>();
    expect([...members.keys()]).toEqual(['a', '2']);
    const list = members.get('a')?.value;
    expect(list === undefined ? '' : text.slice(list.start, list.end)).toBe('[1, {b: "c d"}]');
    expect(list).toMatchObject({ kind: 'array', items: [{ kind: 'number', value: 1 }, { kind: 'object' }] });
    expect(members.get('2')?.value.kind).toBe('null');
  });
  it.each([
    ['a: 1\na: 2', 'a', 'This key appears a second time here.'],
    ['a: &x [1]\nb: *x', '*x', 'Aliases cannot be read.'],
    ['a: 1\n---\nb: 2', '---', 'A second document starts here'],
    ['? [1]\n: 2', '[1]', 'A key must be a plain value.'],
    ['a: [1', '', 'Flow sequence'],
    ['['.repeat(20_000), '[', 'nested more than 50 deep'],
    [`a: ${'['.repeat(60)}${']'.repeat(60)}`, '[[', 'nested more than 50 deep'],
    [`a: ${'b'.repeat(200_000)}`, '', 'up to 200000 characters'],
  ])('%# is refused', (text, place, message) => {
    const [at, told] = faultOf(text) as readonly string[];
    expect(told).toContain(message);
    expect(at).toContain(place);
  });
});

test('any damage gives faults with places, or a system with figures', () => {
  expect(isAiconfigurator(h200)).toBe(true);
  for (const text of [h200, gb300])
    checkDamaged(
      text,
      readAiconfigurator,
      ['', '0', '-', '"', '{', ']', ':', '\n', ' ', '\t', '&a ', '*a', '\0'],
      1000,
    );
});
