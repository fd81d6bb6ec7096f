import { describe, expect, it } from 'vitest';
import { hardware } from '../../../engine/std/hardware.ts';
import { format } from '../../../grammar/printer.ts';
import { parse } from '../../../grammar/parse.ts';
import type { Expression } from '../../../grammar/syntax.ts';
import { dataFile } from '../support/data.ts';

const file = parse(hardware, { size: 1e6, faults: 10 });
const { declarations, errors } = file;
const blocks = declarations.flatMap((declaration) => (declaration.kind === 'block' ? [declaration] : []));
const lets = declarations.flatMap((declaration) => (declaration.kind === 'let' ? [declaration] : []));

/** Rows of a table by id, and by column; a field in quotes may hold commas. */
const tableOf = (name: string) => {
  const fields = (line: string) =>
    [...line.matchAll(/("[^"]*"|[^,]*)(?:,|$)/g)].map(([, one = '']) => one.replaceAll('"', ''));
  const [head = [], ...rows] = dataFile(name).trim().split('\n').map(fields);
  return rows.map((row) => new Map(head.map((column, at) => [column, row[at] ?? ''])));
};

/** Number of a key of a device, in the unit that it is written in; `compute(fp8)` is that of one number format. */
function figure(device: string, key: string): number | undefined {
  const block = blocks.find(({ name }) => name?.text === device);
  for (const entry of block?.body?.entries ?? []) {
    if (entry.kind !== 'entry') continue;
    const [parameter] = entry.parameters ?? [];
    const written = parameter?.kind === 'name' ? `${entry.key.text}(${parameter.text})` : entry.key.text;
    const value = written === key ? entry.values?.[0] : undefined;
    if (value?.kind === 'quantity') return value.value;
  }
  return undefined;
}

/** The link to the host that a device names. */
function hostOf(device: string): string | undefined {
  for (const entry of blocks.find(({ name }) => name?.text === device)?.body?.entries ?? []) {
    const value = entry.kind === 'entry' && entry.key.text === 'host' ? entry.values?.[0] : undefined;
    if (value?.kind === 'name') return value.text;
  }
  return undefined;
}

it('std:hardware is devices and links with documentation and sources, without a mistake, formatted', () => {
  expect(errors).toEqual([]);
  expect(blocks.map(({ keyword }) => keyword.text)).toEqual(blocks.map(() => 'device'));
  for (const { doc } of [...blocks, ...lets]) {
    expect(doc).toMatch(/Sources: \S/);
    expect(doc).toMatch(/Confidence: (high|medium|low) /);
  }
  expect(format(file)).toMatchObject({ text: hardware });
});

/** Names that are not the id of the table with `_` for `-`. */
const names: Readonly<Record<string, string>> = {
  'p100-pcie-16': 'p100_pcie',
  'p100-sxm2-16': 'p100',
  'v100-pcie-16': 'v100_pcie',
  'v100-sxm2-16': 'v100',
  'v100-sxm2-32': 'v100_32',
  'a100-sxm4-40': 'a100_40',
  'a100-sxm4-80': 'a100_80',
  'a100-pcie-40': 'a100_pcie_40',
  'a100-pcie-80': 'a100_pcie_80',
  'h100-pcie-80': 'h100_pcie',
  'h100-nvl-94': 'h100_nvl',
  'h100-sxm5-80': 'h100',
  'h800-sxm5-80': 'h800',
  'h200-sxm-141': 'h200',
  'b200-sxm-180': 'b200',
  'b300-sxm-270': 'b300',
  'gb200-186': 'gb200',
  'gb300-288': 'gb300',
  'quadro-p4000': 'p4000',
  'if-fdr-56': 'ib_fdr_56',
};
const nameOf = (id: string): string => names[id] ?? id.replaceAll('-', '_');
const words: Readonly<Record<string, string>> = { H: 'high', M: 'medium', L: 'low' };

describe('std:hardware has every device of devices.csv', () => {
  it.each(tableOf('devices.csv').map((row) => [row.get('id') ?? '', row] as const))('%s', (id, row) => {
    const name = nameOf(id);
    const read = (column: string) => (row.get(column) === '' ? undefined : Number(row.get(column)));
    const rate = (precision: string) => figure(name, `compute(${precision})`) ?? figure(name, 'compute');
    expect(figure(name, 'memory')).toBe(read('mem_usable_gib'));
    expect(figure(name, 'bandwidth')).toBe(read('mem_bw_gbs'));
    for (const precision of ['fp8', 'fp16', 'bf16', 'fp32']) {
      // The table repeats a TPU's bf16 rate as fp16, which its matrix unit does not take.
      const known = row.get('vendor') === 'google' && precision === 'fp16' ? undefined : read(`${precision}_tflops`);
      if (known !== undefined) expect([precision, rate(precision)]).toEqual([precision, known]);
    }
    // The table has one line for dies and chips that share their host's link.
    const shared =
      row.get('vendor') === 'google' || ['gb200', 'gb300', 'gh200', 'mi250x', 'b300', 'trainium2'].includes(name);
    expect(hostOf(name)).toBe(shared ? undefined : row.get('host_link'));
    // Without tensor cores that take it, tf32 is fp32.
    expect(rate('tf32')).toBe(read('tf32_tflops') ?? read('fp32_tflops'));
    // Nothing is said of number formats that a TPU is not known to multiply.
    if (row.get('vendor') === 'google') expect([rate('fp32'), rate('fp16')]).toEqual([undefined, undefined]);
    const { doc } = blocks.find((block) => block.name?.text === name) ?? {};
    expect(doc).toContain(`Confidence: ${words[row.get('confidence') ?? '']} `);
    // 40 % is what has no published run.
    expect(doc).toMatch(
      figure(name, 'efficiency') === 40
        ? /`efficiency` is a guess/
        : /(`efficiency` is judged by|by size of a kernel:) .*(arXiv|Megatron)/,
    );
  });
  it('and no other but one with another kernel of attention', () => {
    const variants = blocks.filter(({ name }) => name?.text.endsWith('_fa2'));
    expect(variants.map(({ name }) => name?.text)).toEqual(['h100_fa2']);
    expect(blocks.length - variants.length).toBe(tableOf('devices.csv').length);
  });
});

it('says of accelerators of 2024 and 2025 which figures were measured, printed by the vendor or inferred', () => {
  const looked = ['mi325x', 'mi355x', 'b300', 'gb300', 'rtx5090', 'h20', 'gh200', 'tpu_v5p', 'tpu_v6e', 'trainium2'];
  for (const name of looked)
    expect(blocks.find((block) => block.name?.text === name)?.doc).toMatch(/(^|\n)(Measured|Vendor): [^.]/);
  expect(blocks.find((block) => block.name?.text === 'b300')?.doc).toContain(
    'Measured: `memory`, as PyTorch reports it (267.69 GiB). Vendor: 16 bits, fp8, fp4, fp32, bandwidth. Inferred: tf32',
  );
});

describe('std:hardware has every link of links.csv', () => {
  const parts = (value: Expression | undefined): readonly (readonly [number, string])[] =>
    value?.kind === 'binary'
      ? [...parts(value.left), ...parts(value.right)]
      : value?.kind === 'quantity'
        ? [[value.value, value.unit]]
        : [];
  it.each(tableOf('links.csv').map((row) => [row.get('id') ?? '', row] as const))('%s', (id, row) => {
    const found = lets.find((letDeclaration) => letDeclaration.name?.text === nameOf(id));
    const [reached, line] = [row.get('eff_uni_gbs'), row.get('spec_uni_gbs')];
    expect(parts(found?.value)).toEqual([
      [Number(reached === '' ? line : reached), 'GB/s'],
      [Number(row.get('latency_us')), 'us'],
    ]);
    expect(found?.doc).toContain(`Confidence: ${words[row.get('confidence') ?? '']} `);
  });
  it('and no other', () => expect(lets).toHaveLength(tableOf('links.csv').length));
});
