/**
 * Every block and its keys: one table for checking, completion, hover and signature help.
 * Adding a key is a line of its block in `schema/` and its reader in `blocks/`.
 */
import { cluster, nodeBlock, switchBlock } from './schema/cluster.ts';
import { device } from './schema/device.ts';
import { job } from './schema/job.ts';
import { layer, model } from './schema/model.ts';
import { pipeline, stage } from './schema/pipeline.ts';
import { schedule } from './schema/schedule.ts';
import type { BlockName, BlockSchema, KeySchema } from './schema/types.ts';

export type { BlockName, BlockSchema, Form, KeySchema, ValueSchema, Word } from './schema/types.ts';

const expect: BlockSchema = {
  name: 'expect',
  doc: 'What must hold; checked in the editor and by the command line.',
  keys: [],
};

/** The schema of each block. */
export const blocks: Readonly<Record<BlockName, BlockSchema>> = {
  device,
  cluster,
  node: nodeBlock,
  switch: switchBlock,
  model,
  layer,
  pipeline,
  stage,
  schedule,
  job,
  expect,
};

/** The keys of a block by name. */
export const keysOf = (block: BlockName): ReadonlyMap<string, KeySchema> => keyIndex.get(block) ?? new Map();

/** The schema of a key of a block; undefined where the block has no such key. */
export const findKey = (block: BlockName, name: string): KeySchema | undefined => keyIndex.get(block)?.get(name);

const keyIndex: ReadonlyMap<BlockName, ReadonlyMap<string, KeySchema>> = new Map(
  Object.values(blocks).map((block) => [block.name, new Map(block.keys.map((one) => [one.name, one]))]),
);

/** What each declaration keyword says, for completion and hover. */
export const declarationDocs: Readonly<Record<string, string>> = {
  import: 'Names of another file: `import "hardware.pipe"`, `import { h100 } from "std:hardware"`.',
  param: 'A number that a person may turn: `param m = 8 in 1..64 step 1`.',
  let: 'A named expression.',
  ...Object.fromEntries(Object.values(blocks).map((one) => [one.name, one.doc])),
};
