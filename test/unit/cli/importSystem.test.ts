import { expect, test } from 'vitest';
import { a100, h200 } from '../formats/systems/files.ts';
import { call } from './harness.ts';

test('import makes a device and a cluster of a system, laid out and without findings', async () => {
  for (const text of [JSON.stringify(a100), h200]) {
    const { status, out, err } = await call(['import', 'any.name'], { files: { 'any.name': text } });
    expect(status).toBe(0);
    expect(err).toMatch(/^any\.name: /);
    const world = { files: { 'a.pipe': out } };
    expect(await call(['check', 'a.pipe'], world)).toMatchObject({ status: 0, err: '' });
    expect((await call(['format', '--check', 'a.pipe'], world)).status).toBe(0);
  }
});

test('import refuses a damaged system with line and character', async () => {
  const files = {
    'c.json': JSON.stringify({ ...a100, mem1: { ...a100.mem1, GiB: -80 } }, undefined, 2),
    'h.yaml': h200.replace('num_gpus_per_node: 8', 'num_gpus_per_node: eight'),
    'cut.yaml': h200.replace('node:\n', 'node: {\n'),
  };
  const told = async (name: string) => {
    const { status, out, err } = await call(['import', name], { files });
    expect([status, out]).toEqual([1, '']);
    return err;
  };
  const line = files['c.json'].split('\n').findIndex((name) => name.includes('-80')) + 1;
  expect(await told('c.json')).toBe(`c.json:${line}:12: "mem1.GiB" must be a number over 0.\n`);
  expect(await told('h.yaml')).toBe(
    'h.yaml:13:22: "node.num_gpus_per_node" must be a whole number from 1 to 2^40, found a text.\n',
  );
  expect(await told('cut.yaml')).toMatch(/^cut\.yaml:\d+:\d+: .+\.\n$/);
});
