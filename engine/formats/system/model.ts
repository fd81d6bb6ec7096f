/** What a description of a machine says, in any format: one kind of device, and the networks around it. */
import type { PrecisionFigures } from '../../costs/types.ts';
import type { Precision, SizedShares } from '../../costs/types.ts';

/** In bytes, seconds, FLOP/s. */
export interface SystemDevice {
  readonly memory: number;
  readonly reserved: number;
  readonly compute: PrecisionFigures;
  /** Of all number formats, and of those that differ. */
  readonly efficiency?: SizedShares;
  readonly efficiencyAt: Readonly<Partial<Record<Precision, SizedShares>>>;
  readonly bandwidth: number;
  readonly memoryEfficiency?: SizedShares;
  /** Seconds added to each kernel. */
  readonly launch: number;
  /** Share of the shorter of computing and moving bytes that runs in parallel with the longer; 1 if absent. */
  readonly memoryOverlap?: number;
}

/** A network, its bandwidth one way for each device. */
export interface SystemNetwork {
  /** Devices, or networks of the list's one before, that it joins: a fixed number, or any number up to `most`. */
  readonly joins: number | { readonly most: number };
  readonly bandwidth: number;
  readonly latency: number;
}

export interface System {
  readonly device: SystemDevice;
  /** The innermost first. */
  readonly networks: readonly SystemNetwork[];
  /** Comments on figures of the device, by key: where they come from. */
  readonly notes: Readonly<Partial<Record<keyof SystemDevice, string>>>;
  /** What the device leaves out or assumes, and what the networks do, a sentence each. */
  readonly remarks: readonly string[];
  readonly networkRemarks: readonly string[];
}
