import { expect, test } from 'vitest';
import { optimizers } from '../../../engine/plan/costs/optimizer.ts';
import { shapes } from '../../../engine/plan/costs/shapes.ts';
import { textOf } from './pages.ts';

const page = textOf('docs/costs.md');

test('the costs page names every shape with every argument', () => {
  for (const { name, parameters } of shapes) {
    const row = new RegExp(`^\\| \`${name}\` \\| (.+) \\|$`, 'm').exec(page)?.[1] ?? '';
    for (const parameter of parameters) expect(row, name).toContain(`\`${parameter.name}\``);
  }
});

test('the bytes of each recipe on the costs page are those that the engine counts', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+) \| (\d+) \| (\d+) \|( (\d+) \+ (\d+) \/ n)? \|$/gm)];
  const all = optimizers.filter((one) => one.name !== 'none');
  expect(rows.map(([, name]) => name).toSorted()).toEqual(all.map((one) => one.name).toSorted());
  for (const [, name, weights, gradients, state, sharded, kept, split] of rows) {
    const recipe = all.find((one) => one.name === name);
    const request = { local: 1000, data: 8, precision: 'bf16' } as const;
    expect(recipe?.bytes(request)).toEqual({
      weights: 1000 * Number(weights),
      gradients: 1000 * Number(gradients),
      optimizer: 1000 * Number(state),
    });
    if (sharded === undefined) continue;
    const {
      weights: w,
      gradients: g,
      optimizer: o,
    } = recipe?.bytes({ ...request, shard: 'distributed' }) ?? { weights: 0, gradients: 0, optimizer: 0 };
    expect(w + g + o).toBeCloseTo(1000 * (Number(kept) + Number(split) / 8), 9);
  }
});
