import type { LayerDefinition, ModelConstants } from '../definitions/model.ts';
import type { Precision } from '../costs/types.ts';
import type { ForeignLayer } from '../language/declare.ts';

/** A layer as its file describes it. */
export interface SourceLayer extends ForeignLayer {
  /** Elements of an array of equal layers; absent: one layer. */
  readonly count?: number;
  readonly cost: LayerDefinition['cost'];
  /** Costs of an array whose layers differ, by letter; `cost` is the first. */
  readonly pattern?: PatternedCosts;
  /** Layers of the source that it needs, as numbers in its list, each before it; absent: the one above. Of an array, the last. */
  readonly after?: readonly number[];
  /** Layer of the source that all of its elements attend to. */
  readonly attends?: number;
}

export interface PatternedCosts {
  readonly letters: string;
  readonly costs: Readonly<Record<string, LayerDefinition['cost']>>;
}

export interface ModelSource {
  readonly layers: readonly SourceLayer[];
  /** Of the model where it does not say itself. */
  readonly sequence?: number;
  readonly precision?: Precision;
  readonly constants?: ModelConstants;
}
