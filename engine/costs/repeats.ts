/** Modules of a transformer layer as recomputation sees them: what each frees, and the kernels that it runs again. */
import { addParts, type ModuleRepeats, type ModuleTable, sumParts } from './layerPart.ts';
import { modulesIn, recomputeModules } from './recompute.ts';
import type { Collective, Kernel, Parts, Repeats, RecomputeMode } from './types.ts';

/** Modules inside `moe`: who recomputes it recomputes them too. */
const inside: readonly string[] = ['moe_act', 'shared_experts'];

/** Tables of the parts of a layer as one. A module that two parts have, such as the core of two attentions, is recomputed in both. */
export function joinTables(tables: readonly ModuleTable[]): ModuleTable {
  const joined: { -readonly [M in keyof ModuleTable]: ModuleTable[M] } = {};
  for (const name of recomputeModules) {
    const found = tables.flatMap((table) => table[name] ?? []);
    const [first, second] = found;
    if (first === undefined) continue;
    joined[name] =
      second === undefined
        ? first
        : {
            frees: addParts(...found.map(({ frees }) => frees)),
            kernels: () => found.flatMap(({ kernels }) => kernels()),
            collectives: found.flatMap(({ collectives = [] }) => collectives),
          };
  }
  return joined;
}

/** The modules of a layer that a mode recomputes. */
export function chosenModules(mode: RecomputeMode, table: ModuleTable): readonly ModuleRepeats[] {
  const asked = modulesIn(mode);
  const whole = asked.has('moe') && table.moe !== undefined;
  return Object.entries(table).flatMap(([name, module]) =>
    asked.has(name) && !(whole && inside.includes(name)) ? [module] : [],
  );
}

/** What several modules free and repeat together; undefined for none. */
export function repeatsOf(
  modules: readonly ModuleRepeats[],
  /** Bytes of a token that the layer keeps without recomputation: no more can be freed. */
  keeps: Parts,
  tokens: number,
  scores: number,
): Repeats | undefined {
  if (modules.length === 0) return undefined;
  const asked = Object.entries(addParts(...modules.map((module) => module.frees)));
  const frees = addParts(
    Object.fromEntries(asked.map(([name, bytes]) => [name, tokens * Math.min(bytes, keeps[name] ?? 0)])),
  );
  const collectives = modules.flatMap((module) => module.collectives ?? []);
  const kernels = () => modules.flatMap((module) => module.kernels());
  return { frees, ...workOf(kernels(), scores), collectives: scaled(collectives, tokens), kernels };
}

/** Collectives of a token for all tokens. */
export const scaled = (collectives: readonly Collective[], tokens: number): readonly Collective[] =>
  collectives.map((collective) => ({ ...collective, bytes: tokens * collective.bytes }));

/** FLOPs of kernels, and the bytes that they move. Of an attention core that stores scores, these are all that count. */
export function workOf(
  kernels: readonly Kernel[],
  scores: number,
): Pick<Repeats, 'linearFlops' | 'coreFlops' | 'traffic'> {
  const work = { linearFlops: 0, coreFlops: 0, traffic: 0 };
  for (const { part, flops, bytes, count } of kernels) {
    if (part === 'core') work.coreFlops += count * flops;
    else work.linearFlops += count * flops;
    if (part !== 'core' || scores === 0) work.traffic += count * bytes;
  }
  if (work.coreFlops > 0) work.traffic += 2 * scores;
  return work;
}

/** What stays of the parts that a layer keeps. */
export const without = (keeps: Parts, frees: Parts): Parts =>
  addParts(Object.fromEntries(Object.entries(keeps).map(([name, bytes]) => [name, bytes - (frees[name] ?? 0)])));

export const freed = ({ frees }: Repeats): number => sumParts(frees);
