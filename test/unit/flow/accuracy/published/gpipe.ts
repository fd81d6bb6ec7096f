/** Huang et al. (arXiv:1811.06965), tables 2 and 3: throughput relative to two partitions. */
import { type Family, predicted, type Run } from './run.ts';

const cell = (
  pipeline: string,
  [partitions, microbatches]: readonly [number, number],
  measured: number,
  base?: Run,
): Run => ({
  name: `${partitions} partitions`,
  setting: `${pipeline === 'table2' ? 'TPU v3, 48 layers' : 'P100 over PCIe, 24 layers'}, ${microbatches} microbatch${microbatches === 1 ? '' : 'es'}`,
  file: 'gpipe.pipe',
  pipeline,
  sliders: { partitions, microbatches },
  measured,
  predict: ({ throughput }) => (base === undefined ? throughput : throughput / predicted(base)),
});

const one = cell('table2', [2, 1], 1);
const other = cell('table3', [2, 32], 1);

export const gpipe: Family = {
  name: 'gpipe',
  apart: true,
  title: 'GPipe, relative throughput',
  unit: 'times the throughput of two partitions',
  digits: 2,
  columns: ['2 partitions', '4 partitions', '8 partitions'],
  runs: [
    cell('table2', [4, 1], 1.07, one),
    cell('table2', [8, 1], 1.3, one),
    cell('table2', [2, 4], 1.7, one),
    cell('table2', [4, 4], 3.2, one),
    cell('table2', [8, 4], 4.8, one),
    cell('table2', [2, 32], 1.8, one),
    cell('table2', [4, 32], 3.4, one),
    cell('table2', [8, 32], 6.3, one),
    cell('table3', [4, 32], 1.8, other),
    cell('table3', [8, 32], 3.3, other),
  ],
};
