import type { Entry, Expression } from '../../grammar/syntax.ts';
import type { Precision, SizedShares } from '../costs/types.ts';
import type { FileContext } from '../language/context.ts';
import type { OperationLetter, Place, PlacementRule } from '../plan.ts';

/** Figures of single number formats. */
export type PrecisionFigures = Readonly<Partial<Record<Precision, number>>>;

/** A `device` declaration in base units. */
export interface DeviceDefinition {
  readonly name: string;
  readonly memory: number;
  /** Bytes, or what a framework holds by the groups that a pipeline has. */
  readonly reserved: number | 'framework';
  /** FLOP/s; undefined where the file does not say: only measured layers can run. */
  readonly compute?: number;
  /** Where a number format has a peak or an efficiency of its own. */
  readonly computeAt: PrecisionFigures;
  readonly bandwidth: number;
  /** Shares of the peak and of the bandwidth by the FLOPs and bytes of a kernel; with one entry, of whole layers. */
  readonly efficiency: SizedShares;
  readonly efficiencyAt: Readonly<Partial<Record<Precision, SizedShares>>>;
  readonly memoryEfficiency: SizedShares;
  /** Seconds of each kernel besides. */
  readonly launch: number;
  /** Share of the shorter of computing and moving bytes that runs beside the longer. */
  readonly memoryOverlap: number;
  readonly speed: number;
  readonly place: Place;
  readonly memoryPlace: Place;
}

/** A written link. `id` is unique in its cluster, for channels. */
export interface LinkDefinition {
  readonly id: number;
  readonly bandwidth: number;
  readonly latency: number;
  readonly sharing: 'full' | 'half' | 'shared';
  readonly place: Place;
}

export interface ClusterDevice {
  readonly name: string;
  readonly kind: DeviceDefinition;
  /** Index of the group that it stands in. */
  readonly group: number;
  readonly place: Place;
}

/** The cluster itself (group 0) or one node. Devices `first` to `end − 1`, those of inner nodes included. */
export interface ClusterGroup {
  readonly parent: number;
  readonly depth: number;
  readonly first: number;
  readonly end: number;
  readonly link?: LinkDefinition;
  /** Vertices of its own switches, by symbol. */
  readonly switches?: ReadonlyMap<string, number>;
}

/** A link between two vertices: `group` is the node whose copy of it this is. */
export interface NamedLink {
  readonly link: LinkDefinition;
  readonly group: number;
}

export interface ClusterDefinition {
  readonly name: string;
  readonly devices: readonly ClusterDevice[];
  readonly groups: readonly ClusterGroup[];
  /** Groups of the outermost `node`s, in order: what `node[i]` means. */
  readonly nodes: readonly number[];
  /** Named links: for a vertex its neighbours, both directions. Vertices are the devices, then the switches. */
  readonly named: ReadonlyMap<number, ReadonlyMap<number, NamedLink>>;
  /** Nothing is linked at all. */
  readonly linkless: boolean;
}

export type ShapeArguments = Readonly<Record<string, number | boolean | string>>;

/** One written layer: `count` equal elements, the first of which is element `first` of the model. */
export interface LayerDefinition {
  readonly name: string;
  readonly array: boolean;
  readonly count: number;
  readonly first: number;
  readonly symbol: string;
  readonly place: Place;
  /** Where an inlay hint about it goes. */
  readonly end: number;
  readonly cost:
    | {
        readonly kind: 'measured';
        readonly forward: number;
        readonly backward?: number;
        readonly backwardInput?: number;
        readonly backwardWeight?: number;
        readonly weights: number;
        readonly activation: number;
        readonly output: number;
        readonly workspace: number;
      }
    | { readonly kind: 'shape'; readonly shape: string; readonly args: ShapeArguments };
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
}

export interface ScheduleDefinition {
  readonly name: string;
  /** Whose names its expressions use. */
  readonly context: FileContext;
  readonly split: boolean;
  readonly weights: string;
  readonly placement: { readonly rule: PlacementRule; readonly chunks: number } | undefined;
  readonly body:
    | { readonly kind: 'greedy'; readonly prefer: readonly OperationLetter[]; readonly inFlight?: Entry }
    | { readonly kind: 'rows'; readonly general?: Row; readonly own: ReadonlyMap<number, Row> };
}

/** A `row(d)` (with `parameter`) or `row(0)`. */
export interface Row {
  readonly entry: Entry;
  readonly parameter?: string;
  readonly items: readonly Expression[];
}
