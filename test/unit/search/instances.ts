import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { OrderProblem } from '../../../engine/search/orderProblem.ts';

interface Row {
  readonly name: string;
  readonly p: number;
  readonly m: number;
  readonly dev: readonly number[];
  readonly F: readonly number[];
  readonly I: readonly number[];
  readonly W: readonly number[];
  readonly c: readonly number[];
  readonly a: readonly number[];
  readonly w: readonly number[];
  readonly step: readonly number[];
  readonly limit: readonly number[];
  readonly best: number;
}

/** Pipelines with the shortest makespans that are known for them: synthetic ones (r) and published profiles (s). */
export const instances: readonly { readonly name: string; readonly problem: OrderProblem; readonly best: number }[] = (
  JSON.parse(readFileSync(path.join(import.meta.dirname, '../../data/search/instances.json'), 'utf8')) as readonly Row[]
).map((row) => ({
  name: row.name,
  best: row.best,
  problem: {
    devices: row.p,
    microbatches: row.m,
    device: Int32Array.from(row.dev),
    forward: Float64Array.from(row.F),
    input: Float64Array.from(row.I),
    weight: Float64Array.from(row.W),
    transfer: Float64Array.from(row.c.slice(0, row.dev.length - 1)),
    step: Float64Array.from(row.step),
    activation: Float64Array.from(row.a),
    forWeight: Float64Array.from(row.w),
    limit: Float64Array.from(row.limit),
  },
}));
