/** Hover of a stage that a schedule keeps on two devices. */
import { expect, test } from 'vitest';
import { hoverAt } from '../../support/asked.ts';

const source = `
model toy { layer block[4] { forward = 1ms  backward = 1ms  weights = 100MiB  activation = 10MiB } }
device gpu { memory = 16GiB }
cluster box { gpu[4] = gpu  link = 100GB/s }
pipeline train {
  model = toy
  devices = box
  microbatches = 8
  stage $0a { layers = block[0] }
  stage b { layers = block[1] }
  stage c { layers = block[2] }
  stage d { layers = block[3] }
  schedule = chimera
}
`;

test('shows the costs of the stage and the fullest of its devices', async () => {
  const shown = await hoverAt(source);
  expect(shown).toMatch(/Layers block\[0\]/);
  // Its own weights and those of the stage that runs the other way.
  expect(shown).toMatch(/weights.*200 MiB/);
  expect(shown).toMatch(/3 microbatches in flight/);
});
