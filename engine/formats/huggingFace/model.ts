import type { ShapeArguments } from '../../costs/shapes.ts';
import type { Precision } from '../../costs/types.ts';

/** A layer of a configuration, or with `count` an array of equal ones. */
export interface ConfiguredLayer {
  readonly name: string;
  readonly count?: number;
  readonly shape: string;
  readonly args: ShapeArguments;
  /** Of a layer that does not work on the sequence of the model: tokens of a sequence, and such sequences of a sample. */
  readonly tokens?: number;
  readonly images?: number;
  /** Names of earlier layers that it needs; absent: the one above. Of an array, the last. */
  readonly after?: readonly string[];
  /** Name of the layer that all of its elements attend to. */
  readonly attends?: string;
}

/** What no configuration says of a model with several towers. */
export interface TowerSizes {
  /** Images of a sample, and the side of one in pixels; absent: as the configuration says. */
  readonly images: number;
  readonly pixels?: number;
  /** Tokens of the encoder of an encoder-decoder. */
  readonly encoder: number;
}

/** One image, and the 512 tokens of T5's pre-training (arXiv:1910.10683, section 3.1.1). */
export const usualSizes: TowerSizes = { images: 1, encoder: 512 };

export interface ConfiguredModel {
  readonly type: string;
  readonly layers: readonly ConfiguredLayer[];
  /** Of the stored weights, where the configuration says. */
  readonly precision?: Precision;
  /** Most tokens of a sample, where it says. */
  readonly positions?: number;
  /** Layers for multi-token prediction, which a model may have before its head. */
  readonly prediction?: ConfiguredLayer;
  /** What the layers leave out, a sentence each. */
  readonly remarks: readonly string[];
}

/** What a family makes of its fields. */
export type ConfiguredParts = Pick<ConfiguredModel, 'layers' | 'prediction' | 'remarks'>;

/** The layers, with the layers for multi-token prediction before the head. */
export const withPrediction = ({ layers, prediction }: ConfiguredParts): readonly ConfiguredLayer[] =>
  prediction === undefined ? layers : [...layers.slice(0, -1), prediction, ...layers.slice(-1)];

/** Layers one by one, by their kind, as arrays of equal neighbours: `dense[3]`, `moe[58]`; a kind that comes again gets a number. */
export function runsOf<K extends string>(
  kinds: readonly K[],
  argsOf: (kind: K) => ShapeArguments,
): readonly ConfiguredLayer[] {
  const runs: { kind: K; count: number }[] = [];
  for (const kind of kinds) {
    const last = runs.at(-1);
    if (last?.kind === kind) last.count += 1;
    else runs.push({ kind, count: 1 });
  }
  const seen = new Map<K, number>();
  return runs.map(({ kind, count }) => {
    const number = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, number);
    return {
      name: number === 1 ? kind : `${kind}_${number}`,
      count,
      shape: 'transformer',
      args: argsOf(kind),
    };
  });
}
