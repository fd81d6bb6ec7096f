import { expect, test } from 'vitest';
import { dataFile } from '../support/data.ts';
import { call } from './harness.ts';

const configs = JSON.parse(dataFile('hf_configs.json')) as Record<string, { readonly config: object }>;
const text = (name: string, over: object = {}) => JSON.stringify({ ...configs[name].config, ...over }, undefined, 2);

test('import makes a model of a config.json, laid out and without findings', async () => {
  const { status, out, err } = await call(['import', 'any.name'], { files: { 'any.name': text('Llama-3-8B') } });
  expect([status, err]).toEqual([0, '']);
  expect(out).toContain('transformer(hidden = 4096, heads = 32, kv_heads = 8');
  const world = { files: { 'a.pipe': out } };
  expect((await call(['check', 'a.pipe'], world)).status).toBe(0);
  expect((await call(['format', '--check', 'a.pipe'], world)).status).toBe(0);
});

test('import says what a model leaves out', async () => {
  const { status, err } = await call(['import', 'c.json'], { files: { 'c.json': text('DeepSeek-V3') } });
  expect(status).toBe(0);
  expect(err).toMatch(/^c\.json: num_nextn_predict_layers = 1 is left out/);
});

test('import refuses a damaged config.json with line and character', async () => {
  const files = { 'c.json': text('Llama-3-8B', { hidden_size: 0 }) };
  const { status, out, err } = await call(['import', 'c.json'], { files });
  expect([status, out]).toEqual([1, '']);
  expect(err).toBe('c.json:3:18: "hidden_size" must be a whole number from 1 to 2^40.\n');
});
