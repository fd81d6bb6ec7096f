import type { EmbeddingCopies } from '../sharedEmbeddings.ts';
import type { RunLayers } from '../runFigures.ts';

/** What `plan(hetpipe)` plans for: one virtual worker. Plain data. */
export interface HetpipeProblem {
  readonly planner: 'hetpipe';
  /** Costs of the layers: site s of these is a kind of device. */
  readonly layers: RunLayers;
  /** By site and layer: bytes of the weights alone. */
  readonly weights: readonly Float64Array[];
  /** By site; absent if no layers share the token embedding. */
  readonly copies?: readonly EmbeddingCopies[];
  /** Layers in the order that is cut. */
  readonly order: Int32Array;
  /** The graph of the layers has no other order. */
  readonly chain: boolean;
  /** Microbatches of one update. */
  readonly microbatches: number;
  /** Devices that are all alike: of one kind, in one node. */
  readonly classes: readonly DeviceClass[];
  /** From class `from` to class `to`, at `from · classes + to`; within a class between two of its devices. */
  readonly links: readonly { readonly bandwidth: number; readonly latency: number }[];
  /** By stage: what it may hold at once. */
  readonly held: readonly (readonly HeldAtOnce[])[];
}

export interface DeviceClass {
  readonly site: number;
  /** Numbers of its devices. */
  readonly devices: readonly number[];
  /** Bytes for a stage. */
  readonly capacity: number;
}

/** Microbatches that a stage keeps, older versions of its weights, and whether a backward runs. */
export interface HeldAtOnce {
  readonly microbatches: number;
  readonly versions: number;
  readonly backward: boolean;
}
