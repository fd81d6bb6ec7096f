/** What a `model` declaration says: layers, and which needs which. An element is one layer of an array. */
import type { ShapeArguments } from '../costs/shapes.ts';
import type { MeasuredFigures } from '../costs/time.ts';
import type { Lora, Precision, StoredFormat } from '../costs/types.ts';
import type { Place } from '../values/plan.ts';

/** One written layer, or a run of a pattern: `count` equal elements, the first of which is element `first` of the model. */
export interface LayerDefinition {
  readonly name: string;
  readonly array: boolean;
  readonly count: number;
  readonly first: number;
  readonly symbol: string;
  readonly place: Place;
  /** The place of an inlay hint about it. */
  readonly end: number;
  readonly cost:
    | ({
        readonly kind: 'measured';
        /** Inputs and outputs of a fully connected layer. */
        readonly matrix?: { readonly rows: number; readonly columns: number };
      } & MeasuredFigures)
    | ({ readonly kind: 'shape'; readonly shape: string; readonly args: ShapeArguments } & LayerTokens);
  /** Elements of another tower that all of its elements attend to; absent: none. */
  readonly attends?: readonly number[];
  /** Whether its weights train, or only adapters; absent: all weights. */
  readonly trains?: 'nothing' | Lora;
  /** Of an array whose layers follow a pattern, these are some neighbours of one letter. */
  readonly run?: PatternRun;
}

/** Neighbours of one letter in the array. */
export interface PatternRun {
  readonly letter: string;
  /** Number of the first in the array. */
  readonly at: number;
  /** Layers of the array. */
  readonly of: number;
}

/** Number in its array of the first element of a layer. */
export const numberOfFirst = ({ run }: Pick<LayerDefinition, 'run'>): number => run?.at ?? 0;

/** Sequences of a sample that a layer with a shape works on, if they are not the sequence of the model. */
export interface LayerTokens {
  /** Tokens of one sequence. */
  readonly tokens?: number;
  /** Sequences of a sample, such as its images; absent: 1. */
  readonly images?: number;
}

/** What a run needs of a model and no figure does: exports write it. Absent: nobody said. */
export interface ModelConstants {
  readonly rotaryBase?: number;
  /** Share of the width of a head that rotates. */
  readonly rotaryPercent?: number;
  /** By how much the slowest waves of rotary positions are slowed down, as in Llama 3.1. */
  readonly ropeScaling?: number;
  readonly normEpsilon?: number;
}

export interface ModelDefinition {
  readonly name: string;
  /** Undefined where the file does not say; then there is no layer with a shape. */
  readonly sequence?: number;
  readonly microBatch: number;
  readonly precision: Precision;
  readonly layers: readonly LayerDefinition[];
  /** Number of elements: layers with their arrays spread out. */
  readonly elements: number;
  /** Index of the layer that each element belongs to. */
  readonly layerOf: Int32Array;
  /** Elements that each element needs; absent: the one before it. */
  readonly after: ReadonlyMap<number, readonly number[]>;
  /** Formats that forwards store activations in; absent: the precision. */
  readonly stored?: StoredFormat;
  readonly constants?: ModelConstants;
  /** Only of a model as one microbatch sees it: its tokens over `sequence` as the file says it, and its documents. */
  readonly microbatch?: { readonly share: number; readonly documents?: readonly number[] };
  /** Elements that do not train, whatever their layers say; absent: none. */
  readonly frozen?: ReadonlySet<number>;
  /** Elements that multiply in bf16 and store activations so, whatever the precision; absent: none. */
  readonly inBf16?: ReadonlySet<number>;
}

const names = new WeakMap<ModelDefinition, string[]>();

/** Name of an element as shown: `embed`, `block[3]`. It is written once: each trial of a cut has all of them. */
export function elementName(model: ModelDefinition, element: number): string {
  const known = names.get(model) ?? [];
  names.set(model, known);
  const layer = model.layers[model.layerOf[element]];
  return (known[element] ??= layer.array
    ? `${layer.name}[${element - layer.first + numberOfFirst(layer)}]`
    : layer.name);
}

const nothing: readonly number[] = [];

/** Elements that an element needs: the elements of its `after`, or the one above it if it has none. */
export const needsOf = (model: ModelDefinition, element: number): readonly number[] =>
  model.after.get(element) ?? (element === 0 ? nothing : [element - 1]);

/** Whether a layer has experts that ranks can share. */
export const hasExperts = ({ layers }: Pick<ModelDefinition, 'layers'>): boolean =>
  layers.some(({ cost }) => cost.kind === 'shape' && typeof cost.args['experts'] === 'number');
