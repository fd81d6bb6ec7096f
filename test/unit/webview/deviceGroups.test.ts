import { describe, expect, it } from 'vitest';
import { areAlike, deviceGroups } from '../../../webview/picture/deviceGroups.ts';
import { type PlainBlock, columnsFrom } from './columns.ts';

const block = (length: number, gap = 0, kind = 0): PlainBlock => ({ kind, gap, length });
/** Every device does something else. */
const different = (devices: number) => columnsFrom(Array.from({ length: devices }, (_, at) => [block(at + 1)]));
const most = (rows: number) => (wanted: number) => wanted <= rows;
const nodes = (count: number, size: number) =>
  Array.from({ length: count * size }, (_, at) => `node[${Math.floor(at / size)}].gpu[${at % size}]`);
const gpus = (count: number) => Array.from({ length: count }, (_, at) => `gpu[${at}]`);
const found = (names: readonly string[], rows: number) =>
  deviceGroups(names, different(names.length), most(rows), names).map(({ name, from, to }) => `${name} ${from}-${to}`);

describe('groups of devices', () => {
  it('are the nodes of the cluster where these fit', () => {
    expect(found(nodes(3, 4), 3)).toEqual(['node[0] 0-4', 'node[1] 4-8', 'node[2] 8-12']);
  });

  it('are 8, 16, 32 devices where nodes do not fit or there are none', () => {
    expect(found(nodes(8, 4), 4)).toEqual(['node[0–1] 0-8', 'node[2–3] 8-16', 'node[4–5] 16-24', 'node[6–7] 24-32']);
    expect(found(gpus(40), 2)).toEqual(['gpu[0–31] 0-32', 'gpu[32–39] 32-40']);
    expect(found(gpus(40), 5)).toEqual([
      'gpu[0–7] 0-8',
      'gpu[8–15] 8-16',
      'gpu[16–23] 16-24',
      'gpu[24–31] 24-32',
      'gpu[32–39] 32-40',
    ]);
  });

  it('are named after devices where they cut nodes', () => {
    expect(found(nodes(4, 6), 3)).toEqual(['devices 0–7 0-8', 'devices 8–15 8-16', 'devices 16–23 16-24']);
  });

  it('are no nodes where these are mixed up or hold one device each', () => {
    const mixed = ['a.gpu[0]', 'a.gpu[1]', 'b.gpu[0]', 'a.gpu[2]'];
    expect(found(mixed, 3)).toEqual(['devices 0–3 0-4']);
    expect(found(nodes(8, 1), 7)).toEqual(['node[0–7] 0-8']);
  });

  it('are the replicas of each stage, where the stages fit', () => {
    const groups = (devices: readonly string[], stages: readonly string[], rows: number) =>
      deviceGroups(devices, different(devices.length), most(rows), stages).map(
        ({ name, from, to }) => `${name} ${from}-${to}`,
      );
    const stages = [...'aaaaaabbbbbbbbbbc'];
    expect(groups(gpus(17), stages, 3)).toEqual(['gpu[0–5] 0-6', 'gpu[6–15] 6-16', 'gpu[16] 16-17']);
    expect(groups(gpus(17), stages, 17)).toEqual([]);
    // Stages come before nodes: a row of several stages says less.
    expect(groups(nodes(4, 4), [...'aaaaaaaabbbbbbbb'], 4)).toEqual(['node[0–1] 0-8', 'node[2–3] 8-16']);
    // Too many stages, or every device runs all of them.
    expect(groups(gpus(17), stages, 2)).toEqual(['gpu[0–15] 0-16', 'gpu[16] 16-17']);
    expect(
      groups(
        gpus(16),
        Array.from({ length: 16 }, () => 'all'),
        4,
      ),
    ).toEqual(['gpu[0–7] 0-8', 'gpu[8–15] 8-16']);
  });

  it('have every device once, whatever fits', () => {
    for (const names of [nodes(16, 8), nodes(5, 3), gpus(77), gpus(2)]) {
      for (const rows of [0, 1, 3, 9, 40]) {
        const groups = deviceGroups(names, different(names.length), most(rows), names);
        // Devices that all fit need no groups.
        expect(groups.length === 0).toBe(names.length <= rows);
        if (groups.length === 0) continue;
        let next = 0;
        for (const { from, to } of groups) {
          expect(from).toBe(next);
          expect(to).toBeGreaterThan(from);
          next = to;
        }
        expect(next).toBe(names.length);
        expect(new Set(groups.map(({ name }) => name)).size).toBe(groups.length);
      }
    }
  });
});

describe('devices that are alike', () => {
  const rows = [
    [block(2), block(3, 1, 1)],
    [block(2), block(3, 1, 1)],
    [block(2), block(3, 1, 1)],
    [block(2), block(3, 1 + 1e-12, 1)],
    [block(2), block(3, 1, 3)],
    [block(2)],
  ];
  const columns = columnsFrom(rows);

  it('share a row if they fit so', () => {
    const groups = deviceGroups(gpus(6), columns, most(4), gpus(6));
    expect(groups.map(({ name, alike }) => [name, alike])).toEqual([
      ['gpu[0–2]', true],
      ['gpu[3]', false],
      ['gpu[4]', false],
      ['gpu[5]', false],
    ]);
  });

  it('share a row also if each device fits, but not if even these rows do not', () => {
    const runs = (rowsThatFit: number) =>
      deviceGroups(gpus(6), columns, most(rowsThatFit), gpus(6)).map(({ from, to, alike }) => [from, to, alike]);
    expect(runs(6)).toEqual(runs(4));
    expect(runs(100)[0]).toEqual([0, 3, true]);
    expect(runs(3)).toEqual([[0, 6, undefined]]);
  });

  it('are equal in every time and operation, not about equal', () => {
    expect(areAlike(columns, 0, 2)).toBe(true);
    for (const other of [3, 4, 5]) expect(areAlike(columns, 0, other), `device ${other}`).toBe(false);
  });

  it('do the same microbatches', () => {
    const two = columnsFrom([
      [block(1), block(1)],
      [block(1), block(1)],
    ]);
    expect(areAlike(two, 0, 1)).toBe(true);
    two.word[3] ^= 1;
    expect(areAlike(two, 0, 1)).toBe(false);
  });

  it('are not devices without blocks: nothing is drawn for them', () => {
    expect(areAlike(columnsFrom([[], []]), 0, 1)).toBe(false);
  });
});
