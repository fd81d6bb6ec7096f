/**
 * Every block and its keys: one table for checking, completion, hover and signature help.
 * Adding a key is a line of its block in `schema/` and its reader in `engine/read/`. The guide is `docs/contribute/adding-a-key.md`.
 */
import { table } from '../basics/table.ts';
import { cluster, nodeBlock, switchBlock } from './schema/cluster.ts';
import { device } from './schema/device.ts';
import { job } from './schema/job.ts';
import { layer, model } from './schema/model.ts';
import { pipeline, stage } from './schema/pipeline.ts';
import { operation } from './schema/operation.ts';
import { schedule } from './schema/schedule.ts';
import { search } from './schema/search.ts';
import { valueKindOf, type Word } from './kinds.ts';
import type { BlockName, BlockSchema, KeySchema, ValueSchema } from './schema/types.ts';
import type { SymbolKind } from './resolution.ts';
import type { Dimension } from '../values/plan.ts';

export type { BlockName, BlockSchema, Form, KeySchema, ValueSchema } from './schema/types.ts';

const expect: BlockSchema = {
  name: 'expect',
  doc: 'Conditions that the editor and the command line check.',
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
  operation,
  job,
  search,
  expect,
};

/** The keys of a block by name. */
export const keysOf = (block: BlockName): ReadonlyMap<string, KeySchema> => keyIndex.get(block) ?? new Map();

/** The schema of a key of a block; undefined where the block has no such key. */
export const findKey = (block: BlockName, name: string): KeySchema | undefined => keyIndex.get(block)?.get(name);

const keyIndex: ReadonlyMap<BlockName, ReadonlyMap<string, KeySchema>> = new Map(
  Object.values(blocks).map((block) => [block.name, new Map(block.keys.map((key) => [key.name, key]))]),
);

/** Words that can be the whole value. */
export const wordsOf = (schema: ValueSchema | undefined): readonly Word[] =>
  (schema !== undefined && 'words' in schema ? schema.words : undefined) ?? valueKindOf(schema).words ?? [];

/** Which declarations a name in a value may mean; undefined where it means none. */
export const declaredIn = (schema: ValueSchema | undefined): SymbolKind | undefined =>
  schema !== undefined && 'of' in schema ? schema.of : valueKindOf(schema).declares;

/** Dimension of the next term of a value: of the first one, or of one that is added to it. Undefined where no one dimension is asked for. */
export const dimensionIn = (schema: ValueSchema | undefined, term: 'first' | 'added'): Dimension | undefined =>
  schema !== undefined && 'dimension' in schema ? schema.dimension : valueKindOf(schema).units?.[term];

/** What each declaration keyword says, for completion and hover. */
export const declarationDocs: Readonly<Record<string, string>> = table({
  import: 'Imports names from another file: `import "hardware.pipe"`, `import { h100 } from "std:hardware"`.',
  param: 'A number that you can change with a slider or with `--set`: `param m = 8 in 1..64 step 1`.',
  let: 'A named expression.',
  ...Object.fromEntries(Object.values(blocks).map((block) => [block.name, block.doc])),
});
