import { expect, test } from 'vitest';
import { savedFrom } from '../../../engine/planning/cut/sharedEmbeddings.ts';

/** Layers: an embedding of 100 parameters, a block without one, a prediction and a head that use the embedding. */
const copies = {
  parameters: Float64Array.of(100, 0, 100, 100),
  bytes: Float64Array.of(0, 0, 1200, 1600),
  owns: Uint8Array.of(1, 0, 0, 0),
};

test('with the embedding in the stage, each layer that uses it saves its copy', () => {
  const { parameters, bytes } = savedFrom(copies, 0);
  expect([...parameters]).toEqual([0, 0, 100, 200]);
  expect([...bytes]).toEqual([0, 0, 1200, 2800]);
});

test('without it, all but the first that use it save theirs', () => {
  for (const from of [1, 2]) {
    const { parameters, bytes } = savedFrom(copies, from);
    expect([...parameters]).toEqual([0, 0, 100].slice(from - 1));
    expect([...bytes]).toEqual([0, 0, 1600].slice(from - 1));
  }
});

test('an embedding behind the layer that uses it makes the copy one', () => {
  const { parameters } = savedFrom(
    { parameters: Float64Array.of(100, 100), bytes: Float64Array.of(800, 0), owns: Uint8Array.of(0, 1) },
    0,
  );
  expect([...parameters]).toEqual([0, 100]);
});

test('two embeddings of one stage are two matrices, and a head behind them uses one', () => {
  const { parameters } = savedFrom(
    { parameters: Float64Array.of(100, 100, 100), bytes: Float64Array.of(0, 0, 800), owns: Uint8Array.of(1, 1, 0) },
    0,
  );
  expect([...parameters]).toEqual([0, 0, 100]);
});
