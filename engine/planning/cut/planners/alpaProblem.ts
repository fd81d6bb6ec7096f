import type { EmbeddingCopies } from '../sharedEmbeddings.ts';
import type { RunLayers } from '../runFigures.ts';

/** What `plan(alpa)` plans for: plain data. */
export interface AlpaProblem {
  readonly planner: 'alpa';
  /** Costs of the layers on each mesh: site c of these is mesh c of `meshes`. */
  readonly layers: RunLayers;
  /** Layers in the order that is cut. */
  readonly order: Int32Array;
  /** The graph of the layers has no other order. */
  readonly chain: boolean;
  readonly microbatches: number;
  /** All of them are used. */
  readonly devices: number;
  readonly meshes: readonly AlpaMesh[];
  /** At s − 1: microbatches that a stage holds at most if s stages are left from it on. Never falls. */
  readonly held: Int32Array;
}

/** A submesh of devices, and how its ranks share a stage. */
export interface AlpaMesh {
  readonly devices: number;
  readonly tensor: number;
  readonly data: number;
  /** Bytes that a device has for a stage; `alone`: if there is no other stage. */
  readonly capacity: number;
  readonly alone: number;
  /** Seconds of an exchange of gradients: of any, and by parameter. */
  readonly latency: number;
  readonly perParameter: number;
  /** By layer: parameters on one device whose gradients are exchanged. */
  readonly exchanged: Float64Array;
  /** Absent if no layers share the token embedding. */
  readonly copies?: EmbeddingCopies;
}
