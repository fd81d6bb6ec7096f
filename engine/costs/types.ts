/** Costs of layers and stages. Pure functions of numbers: no names, no syntax, no places. */

/**
 * `full` keeps the input of every layer, `stage` only what enters the stage. `modules(…)`, `full(…)` and `budget(…)` are as `recompute.ts` writes them. A layer's cost under `stage` is that without
 * recomputation, with one more forward: what is kept is the stage's to say (`sumStage`).
 */
export type RecomputeMode =
  LayerMode | 'stage' | 'operations' | `modules(${string})` | `full(${string})` | `budget(${string})`;
export type Precision = 'fp32' | 'tf32' | 'fp16' | 'bf16' | 'fp8' | 'fp4';

export type ContextExchange = 'ring' | 'all_gather' | 'all_to_all';

/** What a layer's cost depends on in addition to the layer itself. */
export interface LayerSetting {
  /** Tokens of a sample, samples of a microbatch. */
  readonly sequence: number;
  readonly microBatch: number;
  /** Tokens of each document that a sample is packed from: attention stays inside them. Absent: a sample is one document. */
  readonly documents?: readonly number[];
  readonly precision: Precision;
  /** Tensor-parallel ranks; 1 is none. With `sequenceParallel` norms and dropout are split too. */
  readonly tensor: number;
  readonly sequenceParallel: boolean;
  /** Ranks that each hold a part of every sequence; 1 is none. */
  readonly context: number;
  /** How context ranks get the keys that their tokens meet. Absent: around a ring. */
  readonly contextExchange?: ContextExchange;
  /** Ranks that each hold some of the experts, and tensor ranks that split each of these; 1 is none. */
  readonly expert: number;
  readonly expertTensor: number;
  readonly recompute: RecomputeMode;
  /** How heads compute their loss that do not say, as they would write it; absent, or `usual`: as Megatron-LM does. */
  readonly loss?: string;
  /** Data ranks share the weights. */
  readonly sharesWeights?: true;
  /** What tensor and context ranks gather stays whole up to its backward, as PyTorch keeps it; absent: it is gathered again. */
  readonly wholeInputs?: true;
  /** What of the layer trains; absent: all of it. */
  readonly training?: LayerTraining;
  /** Nothing before the other tower's tokens trains, so cross-attention computes no gradient of them. */
  readonly attendedFrozen?: true;
  /** What a forward stores in other formats than the precision; absent: nothing. */
  readonly stored?: StoredFormat;
}

/** Bytes of a stored element, scales included: `input` of products with weights. What is absent has the precision. */
export interface StoredFormat {
  /** As a file writes it. */
  readonly recipe: string;
  readonly input: number;
  /** Inputs of the activation function of an MLP. */
  readonly gate?: number;
  /** The result of attention, once. If absent, FlashAttention keeps it at the precision, and the projection as its input. */
  readonly attended?: number;
  /** Tokens on their way to experts. */
  readonly dispatch?: number;
  /** The result of a gated activation function is recomputed. */
  readonly remakes?: true;
}

/** Products of a transformer layer that an adapter may be added to. */
export const loraTargets = [
  ...(['q', 'k', 'v', 'o', 'gate', 'up', 'down'] as const),
  // Of latent attention, in place of q, k and v.
  ...(['q_down', 'q_up', 'kv_down', 'kv_up'] as const),
] as const;
export type LoraTarget = (typeof loraTargets)[number];

/**
 * Low-rank adapters (Hu et al., LoRA, arXiv:2106.09685, section 4.1): W·x + B·A·x, where A has `rank` rows and B `rank` columns. Only
 * these train. `packed`: frozen products are stored in 4 bits (Dettmers et al., QLoRA, arXiv:2305.14314, section 3).
 */
export interface Lora {
  readonly rank: number;
  /** Absent: every product that the layer has. */
  readonly targets?: readonly LoraTarget[];
  /** The input of each adapter is dropped out, and kept as such. */
  readonly dropout: boolean;
  readonly packed: boolean;
  /** Whether each expert has an adapter (PEFT), or the experts of a rank share one (Megatron Bridge). Absent: each. */
  readonly experts?: 'each' | 'shared';
}

/** Of one layer. Absent from a setting: everything trains. */
export interface LayerTraining {
  readonly trains: 'all' | 'nothing' | Lora;
  /** An earlier layer trains, so the gradient of this layer's input is needed. */
  readonly upstream: boolean;
}

/** Groups of ranks that work on one microbatch together. */
export type GroupName = 'tensor' | 'context' | 'expert';
export const groupNames: readonly GroupName[] = ['tensor', 'context', 'expert'];

/** A ring: bytes per second in one direction, seconds per step. */
export interface Ring {
  readonly bandwidth: number;
  readonly latency: number;
  /** Trees of nodes, if all-reduces may use them: seconds up and down, and bytes per second of a rank's node. */
  readonly tree?: { readonly latency: number; readonly bandwidth: number };
  /** Bytes that a rank sends, relays included, as a multiple of a plain collective's. Absent: 1. */
  readonly sent?: number;
}

/** Device figures that time depends on. Peak in FLOP/s at the setting's precision, `efficiency` the share of it that kernels reach. */
export interface DeviceSpeed {
  readonly compute: number;
  readonly efficiency: number;
  /** Shares by the FLOPs of a product. If present, layers are costed kernel by kernel, and `efficiency` is not used. */
  readonly efficiencyBySize?: SizedShares;
  /** Share of `bandwidth` by the bytes of a kernel; all of it where absent. Several sizes cost layers kernel by kernel too. */
  readonly memoryEfficiency?: SizedShares;
  /** Seconds added to each kernel; 0 if absent. */
  readonly launch?: number;
  /** Share of the shorter of a kernel's computing and moving that runs in parallel with the longer; 1 if absent. */
  readonly memoryOverlap?: number;
  /** Bytes per second of memory; 0 if the file does not say: then only FLOPs count. */
  readonly bandwidth: number;
  /** How fast fused attention cores are. If absent, they are computed like any product. */
  readonly attention?: AttentionSpeed;
  /** Bytes of cache that hold a tile of a product. If absent, a product moves each of its elements once. */
  readonly cache?: number;
  /** Divides measured times and multiplies `compute`. */
  readonly speed: number;
  /** Ring of each group, and the share of its traffic that may run in parallel with computing. */
  readonly rings: Readonly<Record<GroupName, Ring>>;
  readonly overlap: Readonly<Record<GroupName, number>>;
}

/**
 * Fused attention cores on a device. They multiply 16-bit numbers, so `compute` is the peak for these. Shares of it go by the keys
 * that a token meets in a kernel on average, and hold for heads of 128 or more.
 */
export interface AttentionSpeed {
  readonly compute: number;
  readonly forward: SizedShares;
  readonly backward: SizedShares;
}

/** A fused attention core: keys that a token meets in a kernel on average, and the width of its heads. */
export interface FusedCore {
  readonly keys: number;
  readonly width: number;
  /** A second core of the layer, and which share of all FLOPs of cores it has. */
  readonly second?: { readonly share: number; readonly keys: number; readonly width: number };
}

/** A share that holds for sizes from `least` on. */
export interface SizedShare {
  readonly least: number;
  readonly share: number;
}
/** Ascending by size; the first is for 0, so that every size has a share. */
export type SizedShares = readonly SizedShare[];

/** Equal kernels of a forward, on one rank: FLOPs of one, and the bytes of memory that it reads and writes. */
export interface Kernel {
  /** A product with weights, what selective recomputation makes again, or what only moves memory. */
  readonly part: 'linear' | 'core' | 'elementwise';
  readonly flops: number;
  readonly bytes: number;
  readonly count: number;
  /** Of a core that is one fused kernel. */
  readonly fused?: FusedCore;
  /** Full recomputation leaves it alone. */
  readonly kept?: true;
  /** A product with weights that do not train: it has no weight gradient. */
  readonly frozen?: true;
  /** A product with weights whose input needs no gradient: it has no part in I. */
  readonly inputless?: true;
  /** Of a kernel that is one product, or `times` equal ones: their sizes. */
  readonly factors?: Factors;
}

/** Products (rows × inner) · (inner × columns) of elements of `element` bytes each. */
export interface Factors {
  readonly rows: number;
  readonly inner: number;
  readonly columns: number;
  readonly element: number;
  readonly times: number;
}

/** What the ranks of a group do together, once or several times in each pass of a layer. */
export interface Collective {
  readonly over: GroupName;
  readonly pattern: 'all_reduce' | 'all_gather' | 'reduce_scatter' | 'all_to_all' | 'ring';
  /** Some neighbours of the group exchange with each other; absent: all of its ranks. */
  readonly ranks?: number;
  /**
   * Bytes of the whole tensor. For an all-to-all, what one rank has to send, including the part for itself. For a ring, the block
   * that each step passes on.
   */
  readonly bytes: number;
  /** How often in a forward and in an input gradient. */
  readonly forward: number;
  readonly backward: number;
  /** The core waits for all of it: computing hides none. */
  readonly awaited?: true;
}

/** Traffic of one group for one microbatch: bytes that a rank sends, seconds that they take, and of these the ones that no computing hides. */
export interface GroupTraffic {
  readonly bytes: number;
  /** Bytes of the forward, which are part of these; absent: none. */
  readonly forward?: number;
  readonly time: number;
  readonly exposed: number;
}

/** A derived layer, before any device: all for one microbatch on one of the ranks that share it. */
export interface ShapeCost {
  /** Of the whole layer, over all tensor ranks (published counts are these). */
  readonly parameters: number;
  /** Parameters held by one rank, and how many of these are experts', which fewer ranks hold alike. */
  readonly localParameters: number;
  readonly expertParameters?: number;
  /** Of these, a copy of the token embedding, which other stages may hold too. */
  readonly embeddingParameters?: number;
  /** Its token embedding is no copy of another layer's. */
  readonly ownsEmbedding?: true;
  /** Forward FLOPs of one microbatch on one rank: layers with weights, and the attention core, which has none. */
  readonly linearFlops: number;
  readonly coreFlops: number;
  /** Present if the core is a fused kernel. */
  readonly fused?: FusedCore;
  /** Of `linearFlops`, what the model itself does not ask for: repeated on tensor ranks, or `capacity`. None where absent. */
  readonly spareFlops?: number;
  /** FLOPs that padding behind documents has no part in. Absent where a sample is not packed. */
  readonly unpadded?: { readonly linear: number; readonly core: number };
  /** Bytes that one forward moves at least: all the work of layers without FLOPs (embedding), a floor for the others. */
  readonly traffic: number;
  /**
   * Of these, attention scores, which go through memory between the kernels of the core: the core also reads them again, products
   * with weights do not touch them. None where absent.
   */
  readonly scores?: number;
  /**
   * Bytes kept for the backward pass under the setting's recompute mode, then the bytes that only W still needs, then the bytes
   * that recomputation makes.
   */
  readonly activation: number;
  readonly activationForWeight: number;
  readonly recomputed: number;
  /** `activation` by what it is. */
  readonly activationParts?: Parts;
  /** Of `activation`, tokens of another tower: all layers of a stage that attend to them hold them once. */
  readonly crossInput?: number;
  /** FLOPs of recomputation in one backward. */
  readonly recomputeFlops: number;
  /** What recomputation runs again if that is neither the whole layer nor the attention core alone. */
  readonly repeats?: Repeats;
  /** Bytes sent to the next layer, and held only while the layer runs (logits). */
  readonly output: number;
  readonly workspace: number;
  /** `workspace` is not free for other layers while these run again. */
  readonly workspaceStays?: true;
  readonly collectives: readonly Collective[];
  /** Of one forward. A function, since only devices with figures for single kernels ask for them. */
  readonly kernels: () => readonly Kernel[];
  /** The layer has nothing to train: its whole backward is input gradient, which moves twice the bytes of the forward. */
  readonly weightless?: true;
  /** Parameters that train, over all tensor ranks, and weights of one rank that do not; absent: all train. */
  readonly trainable?: number;
  readonly frozen?: FrozenWeights;
  /** FLOPs and bytes of the weight gradient, if not all products with weights have one. */
  readonly weightFlops?: number;
  readonly weightTraffic?: number;
  /** Of `linearFlops`, products whose input needs no gradient. None where absent. */
  readonly inputlessFlops?: number;
  /** Of these, what runs in the forward only. None where absent. */
  readonly forwardOnlyFlops?: number;
  /** Of both, what the model asks for, if tensor ranks repeat some. */
  readonly askedApart?: ApartFlops;
  /** Bytes that unpacking of weights in 4 bits moves before each F and I, in kernels apart. */
  readonly unpacking?: number;
  /** No gradient enters the layer or leaves it: `none` has neither I nor W, `weights` no I. */
  readonly backward?: 'none' | 'weights';
  /** One product: where no earlier layer trains, there is no input gradient. */
  readonly single?: true;
}

/** FLOPs of products without an input gradient, and of these the ones that run in the forward only. */
export interface ApartFlops {
  readonly inputless: number;
  readonly forwardOnly: number;
}

/** Parameters on one rank that do not train, without experts' and of experts. Of all of them, `packed` are stored in 4 bits. */
export interface FrozenWeights {
  readonly dense: number;
  readonly experts: number;
  readonly packed: number;
}

/** A part of a forward that the backward runs again: bytes that are not kept, by what they are, and the work. */
export interface Repeats {
  readonly frees: Parts;
  readonly linearFlops: number;
  readonly coreFlops: number;
  readonly traffic: number;
  readonly collectives: readonly Collective[];
  readonly kernels: () => readonly Kernel[];
}

/** One layer of one microbatch on one device of its stage, seconds and bytes: measured or derived, the rest of the engine does not care. */
export interface LayerCost {
  readonly parameters: number;
  readonly localParameters: number;
  readonly expertParameters: number;
  readonly embeddingParameters?: number;
  /** Its token embedding is no copy of another layer's. */
  readonly ownsEmbedding?: true;
  readonly forwardFlops: number;
  /** Of these, what the model itself does not ask for. */
  readonly spareFlops?: number;
  /** FLOPs of its backward that the model asks for; absent: twice the forward's. */
  readonly backwardFlops?: number;
  /** Parameters that train, over all tensor ranks, and parameters of one rank that do not; absent: all train. */
  readonly trainable?: number;
  readonly frozen?: FrozenWeights;
  /** It has no backward. */
  readonly forwardOnly?: true;
  readonly forward: number;
  readonly backwardInput: number;
  readonly backwardWeight: number;
  readonly splitKnown: boolean;
  readonly recompute: number;
  readonly weights: number;
  readonly activation: number;
  readonly activationForWeight: number;
  readonly recomputed: number;
  readonly output: number;
  readonly workspace: number;
  /** `workspace` is not free for other layers while these run again. */
  readonly workspaceStays?: true;
  /** `activation` by what it is; absent where the file only says how much it is. */
  readonly activationParts?: Parts;
  /** Of `activation`, tokens of another tower: all layers of a stage that attend to them hold them once. */
  readonly crossInput?: number;
  /** `recomputed` by what it is, if only parts of the layer are recomputed. */
  readonly recomputedParts?: Parts;
  /**
   * Seconds that the traffic of shards adds to an iteration if this layer is the first of its stage. Its first gather comes before
   * the first forward, its last scatter after the last weight gradient, and both overlap with no other pass. None where absent.
   */
  readonly boundary?: number;
  /** Of its forward, input gradient and recomputation, where there is any; seconds are part of those above. */
  readonly traffic?: Traffic;
}

/** Bytes by name, such as `scores`. */
export type Parts = Readonly<Record<string, number>>;

/** By group; `weights` are gathers of weights and scatters of gradients that data ranks hold in parts. */
export type Traffic = Readonly<Partial<Record<GroupName | 'weights', GroupTraffic>>>;

/** Figures of single number formats. */
export type PrecisionFigures = Readonly<Partial<Record<Precision, number>>>;

/** What recomputation of single layers may be asked for. */
export const layerModes = ['none', 'selective', 'full'] as const;
export type LayerMode = (typeof layerModes)[number];
