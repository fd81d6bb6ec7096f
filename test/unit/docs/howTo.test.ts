import { expect, test } from 'vitest';
import { blocks, textOf } from './pages.ts';

/** Members of an interface, as a file declares it. */
function membersOf(file: string, name: string): readonly string[] {
  const contract = new RegExp(`^export interface ${name} \\{$([^]*?)^\\}$`, 'm').exec(textOf(file))?.[1] ?? '';
  return [...contract.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, member]) => member);
}

test.each([
  ['adding-a-policy', 'engine/policies/policy.ts', 'Policy', 'weights'],
  ['adding-a-shape', 'engine/costs/shape.ts', 'ShapeSchema', 'check'],
  ['adding-a-shape', 'engine/costs/types.ts', 'ShapeCost', 'kernels'],
  ['adding-an-optimizer', 'engine/costs/optimizer/recipe.ts', 'OptimizerRecipe', 'with'],
  ['adding-an-optimizer', 'engine/costs/optimizer/recipe.ts', 'ParameterBytes', 'moved'],
  ['adding-an-optimizer', 'engine/costs/optimizer/recipe.ts', 'MovedBytes', 'gathered'],
  ['adding-a-device', 'engine/std/device.ts', 'DeviceFigures', 'computeAt'],
  ['adding-a-device', 'engine/std/link.ts', 'LinkFigures', 'reached'],
])('the guide %s names every member of %s: %s', (guide, file, name, one) => {
  const members = membersOf(file, name);
  expect(members).toContain(one);
  const text = textOf(`docs/how-to/${guide}.md`);
  expect(members.filter((member) => !new RegExp(`\\b${member}\\b`).test(text))).toEqual([]);
});

test.each([
  ['adding-a-shape', 'engine/costs/linear.ts'],
  ['adding-an-optimizer', 'engine/costs/optimizer.ts'],
  ['adding-a-device', 'engine/std/otherDevices.ts'],
])('the code in the guide %s is that of %s', (guide, file) => {
  const shown = blocks(textOf(`docs/how-to/${guide}.md`), 'ts').flatMap((block) => block.trim().split('\n'));
  const lines = new Set(
    textOf(file)
      .split('\n')
      .map((line) => line.trim().replace(/,$/, '')),
  );
  expect(shown).not.toEqual([]);
  expect(shown.map((line) => line.trim().replace(/,$/, '')).filter((line) => !lines.has(line))).toEqual([]);
});

test('the guides name files that exist', () => {
  for (const guide of ['adding-a-shape', 'adding-an-optimizer', 'adding-a-device', 'adding-a-policy'])
    for (const [, path] of textOf(`docs/how-to/${guide}.md`).matchAll(/`((?:engine|test|docs)\/[\w./]+\.\w+)`/g))
      if (!path.includes('NAME')) expect(() => textOf(path), `${guide}: ${path}`).not.toThrow();
});
