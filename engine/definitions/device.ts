/** What a `device` declaration says. */
import type { AttentionSpeed, DeviceSpeed, Precision, PrecisionFigures, SizedShares } from '../costs/types.ts';
import type { DeviceFamily } from '../values/accuracy.ts';
import type { HostLinkPlan, Place } from '../values/plan.ts';

/** What a figure of a device is for: a number format, a pass of attention, or all (`''`). */
export type RateWord = Precision | 'forward' | 'backward' | '';
/** Figures of one key as written, by what they are for and then by size (0 for all). */
export type WrittenRates = ReadonlyMap<RateWord, ReadonlyMap<number, number>>;

/** A `device` declaration in base units. */
export interface DeviceDefinition {
  readonly name: string;
  readonly memory: number;
  /** Bytes, or what a framework holds by the groups that a pipeline has. */
  readonly reserved: number | 'framework';
  /** FLOP/s; undefined where the file does not say: only measured layers can run. */
  readonly compute?: number;
  /** Only for number formats with a separate peak or efficiency. 0: the device does not have the format. */
  readonly computeAt: PrecisionFigures;
  readonly bandwidth: number;
  /** Shares of the peak and of the bandwidth by the FLOPs and bytes of a kernel; with one entry, of whole layers. */
  readonly efficiency: SizedShares;
  readonly efficiencyAt: Readonly<Partial<Record<Precision, SizedShares>>>;
  readonly memoryEfficiency: SizedShares;
  /** Shares of the 16-bit peak that fused attention cores reach; absent where the file does not say. */
  readonly attention?: Pick<AttentionSpeed, 'forward' | 'backward'>;
  /** Absent where the file gives `efficiency`. `guess`: a figure of std:hardware that no run was fitted to. `peak`: no figure, so all of `compute`. */
  readonly efficiencyIs?: 'guess' | 'peak';
  /** Published runs on it; absent where the file gives an `efficiency`: they were not fitted to that one. */
  readonly family?: DeviceFamily;
  /** Formats whose shares of the peak no published run was fitted to, though it has shares for them. */
  readonly unfitted?: readonly string[];
  /** Seconds added to each kernel. */
  readonly launch: number;
  /** Share of the shorter of computing and moving bytes that runs in parallel with the longer. */
  readonly memoryOverlap: number;
  /** Bytes of cache that hold a tile of a product; absent where products move each element once. */
  readonly cache?: number;
  /** Divides the times of measured layers and multiplies `compute`. */
  readonly speed: number;
  /** Link to the memory of the host. */
  readonly host?: HostLinkPlan;
  /** What a device that is `from` this one starts with. */
  readonly written: Readonly<
    Record<'compute' | 'efficiency' | 'memory_efficiency' | 'attention_efficiency', WrittenRates>
  >;
  readonly place: Place;
  readonly memoryPlace: Place;
}

/** Peak (FLOP/s; undefined where the file does not say) and the share of it that kernels reach, at a precision. */
export function speedAt(
  { compute, computeAt, efficiency, efficiencyAt, attention }: DeviceDefinition,
  precision: Precision,
): { readonly compute: number | undefined } & Pick<DeviceSpeed, 'efficiency' | 'efficiencyBySize' | 'attention'> {
  const shares = efficiencyAt[precision] ?? efficiency;
  return {
    // A format that the device does not have takes the time of its others; a finding says so.
    compute: computeAt[precision] === 0 ? compute : (computeAt[precision] ?? compute),
    efficiency: shares[0].share,
    ...(shares.length > 1 ? { efficiencyBySize: shares } : {}),
    ...(attention === undefined
      ? {}
      : { attention: { ...attention, compute: computeAt[coreFormat(precision)] ?? compute ?? 0 } }),
  };
}

/** fp8 and fp4 are for products with weights: attention cores multiply 16-bit numbers then. */
const coreFormat = (precision: Precision): Precision =>
  precision === 'fp8' || precision === 'fp4' ? 'bf16' : precision;
