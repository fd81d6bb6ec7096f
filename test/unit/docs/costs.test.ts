import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { findOptimizer, optimizers } from '../../../engine/costs/optimizer.ts';
import { shapes } from '../../../engine/costs/shapes.ts';
import { geforce } from '../../../engine/std/geforce.ts';
import { nvidia } from '../../../engine/std/nvidia.ts';
import { otherDevices } from '../../../engine/std/otherDevices.ts';
import { pages, repository, textOf } from './pages.ts';

const [shapesPage, timePage, statePage] = ['parameters-and-flops', 'time', 'state'].map((name) =>
  textOf(`docs/costs/${name}.md`).replaceAll('$', ''),
);
const costPages = pages.filter((page) => page.startsWith('docs/costs/'));

test('the page of costs lists its pages', () => {
  const rows = [...textOf('docs/costs/README.md').matchAll(/^\| \[.+?\]\((.+\.md)\) \| .+ \|$/gm)];
  expect(rows.map(([, name]) => `docs/costs/${name}`).toSorted()).toEqual(
    costPages.filter((page) => !page.endsWith('README.md')).toSorted(),
  );
});

test('every paper that the code of costs and of collectives names is on the pages of costs', () => {
  const folders = ['engine/costs', 'engine/costs/optimizer', 'engine/network', 'engine/network/collectives'];
  const files = [
    'engine/planning/cost/gradientBuckets.ts',
    'engine/planning/cost/gradientExchange.ts',
    'engine/analyze/modelFlops.ts',
    ...folders.flatMap((folder) =>
      readdirSync(join(repository, folder))
        .filter((name) => name.endsWith('.ts'))
        .map((name) => join(folder, name)),
    ),
  ];
  const named = new Set(files.flatMap((file) => textOf(file).match(/arXiv:\d{4}\.\d{5}/g) ?? []));
  const known = costPages.map(textOf).join('');
  expect(named.size).toBeGreaterThan(10);
  expect([...named].filter((paper) => !known.includes(paper))).toEqual([]);
});

test('the page of shapes names every shape with every argument', () => {
  for (const { name, parameters } of shapes) {
    const row = new RegExp(`^- \`${name}\`:([^]+?)\n(?:- |\n)`, 'm').exec(shapesPage)?.[1] ?? '';
    for (const parameter of parameters) expect(row, name).toContain(`\`${parameter.name}\``);
  }
});

test('the bytes of each recipe on the page of state are those that the engine counts', () => {
  const held = [...statePage.matchAll(/^\| `(\w+)` \| ([\d.]+) \| (\d+) \| (\d+) \|$/gm)];
  const sharded = [...statePage.matchAll(/^\| `(\w+)` \| ([\d.].*) \| (.+) \| (.+ \/ n) \|$/gm)];
  expect(sharded.map(([, name]) => name)).toEqual(held.map(([, name]) => name));
  const rows = held.map((row, index) => [...row, ...(sharded[index] ?? []).slice(2)]);
  const all = optimizers.filter((optimizer) => optimizer.name !== 'none' && optimizer.name !== 'custom');
  expect(rows.map(([, name]) => name)).toEqual(all.map((optimizerRecipe) => optimizerRecipe.name));
  for (const [, name, weights, gradients, state, ...split] of rows) {
    const recipe = findOptimizer(name);
    const request = { local: 1000, experts: 0, ranks: 8, expertRanks: 8, precision: 'bf16' } as const;
    expect(recipe?.bytes(request), name).toMatchObject({
      weights: 1000 * Number(weights),
      gradients: 1000 * Number(gradients),
      optimizer: 1000 * Number(state),
    });
    for (const [index, shard] of (['distributed', 'zero2', 'fsdp'] as const).entries()) {
      const bytes = recipe?.bytes({ ...request, shard }) ?? { weights: 0, gradients: 0, optimizer: 0 };
      const written = split[index].split(' + ').map((part) => {
        const [whole, ranks] = part.split(' / ');
        return Number(whole) / (ranks === 'n' ? 8 : 1);
      });
      expect(bytes.weights + bytes.gradients + bytes.optimizer, `${name} ${shard}`).toBeCloseTo(
        1000 * written.reduce((sum, value) => sum + value, 0),
        9,
      );
    }
  }
});

test('the page of state names the recipes that copy gradients, with their bytes', () => {
  const section = statePage.split('## Copies of gradients')[1].split('\n## ')[0];
  for (const recipe of optimizers) {
    const { gradientCopies } = recipe.bytes({ local: 1, experts: 0, ranks: 1, expertRanks: 1, precision: 'bf16' });
    expect([recipe.name, new RegExp(`\`${recipe.name}\``).test(section)]).toEqual([
      recipe.name,
      gradientCopies !== undefined,
    ]);
    if (gradientCopies !== undefined) expect(section).toContain(`${gradientCopies} bytes per parameter`);
  }
});

test('the page of state names every argument of every recipe, and every shard', () => {
  for (const { parameters } of optimizers)
    for (const { name, words = [] } of parameters) {
      expect(statePage).toMatch(new RegExp(`\\b${name}\\b`));
      for (const word of words) expect(statePage, name).toMatch(new RegExp(`\\b${word}\\b`));
    }
});

test('the bytes in transit on the page of state are those that move', () => {
  const rows = statePage.split('## In transit')[1].split('\n## ')[0];
  const written = new Map(
    [...rows.matchAll(/^\| (`.+`) \| ([\d.]+)\b.* \| ([\d.]+)\b.* \| (\d)\b.* \|$/gm)].flatMap(([, names, ...bytes]) =>
      names.split(', ').map((name) => [name.replaceAll('`', ''), bytes.map(Number)] as const),
    ),
  );
  const fp8 = findOptimizer('megatron_fp8')?.with?.(new Map([['primary', 'fp8']]));
  expect([...written.keys()]).toContain('megatron_fp8(primary = fp8)');
  for (const recipe of [...optimizers, fp8]) {
    if (recipe === undefined || typeof recipe === 'string' || recipe.name === 'custom') continue;
    const { weight, gathered, gradient } = recipe.moved('bf16');
    const { gradients } = recipe.bytes({ local: 1, experts: 0, ranks: 1, expertRanks: 1, precision: 'bf16' });
    const name = recipe === fp8 ? 'megatron_fp8(primary = fp8)' : recipe.name;
    expect([weight, gathered, gradient], name).toEqual(written.get(name) ?? [2, 2, gradients]);
  }
});

test('what a framework holds is what the settings say', () => {
  const { context, communicator, reservedMost } = defaultOptions.memory;
  for (const [name, bytes] of Object.entries({ context, communicator, reservedMost }))
    expect(statePage).toContain(`| \`pipewright.memory.${name}\` | ${bytes / 2 ** 30} |`);
});

test('the efficiencies on the page of time are those of std:hardware', () => {
  const rows = [...timePage.split('### Efficiency')[1].matchAll(/^\| ([^|]+) \| (\d+) % \| .+ \|$/gm)];
  const shares = new Map(
    rows.flatMap(([, names, share]) => {
      const format = / with (\w+)$/.exec(names)?.[1] ?? '';
      return names
        .replace(/ with \w+$/, '')
        .split(', ')
        .map((name) => [`${name.replace(/s$/, '').toLowerCase()} ${format}`.trim(), Number(share)] as const);
    }),
  );
  for (const { name, efficiency, efficiencyAt = {}, kernels } of [...nvidia, ...geforce, ...otherDevices]) {
    // The others have shares by size, which no row gives.
    if (kernels !== undefined) {
      expect(shares.has(name.split('_')[0]), name).toBe(false);
      continue;
    }
    const kind = name.split('_')[0];
    expect(efficiency ?? shares.get('other'), name).toBe(shares.get(kind) ?? shares.get('other'));
    for (const format of ['fp8', 'bf16', 'fp16', 'fp32', 'tf32'])
      expect(efficiencyAt[format], `${name} ${format}`).toBe(shares.get(`${kind} ${format}`));
  }
});
