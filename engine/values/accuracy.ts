/** How far figures of published runs are off the simulation. */

/** Devices whose shares of the peak were fitted to the same published runs. */
export type DeviceFamily = 'ampere' | 'hopper' | 'blackwell';

/** What published runs are grouped by. */
export interface RunKind {
  /** Absent: devices of several families, or of none that runs are published of. */
  readonly device?: DeviceFamily;
  /** Format of the products with weights; `other` has no published run. */
  readonly format: '16bit' | 'fp8' | 'fp4' | 'other';
  /** A mixture of experts. */
  readonly experts: boolean;
  /** Whether the devices are in one node. */
  readonly nodes: 'one' | 'several';
  /** Some weights do not train: adapters, frozen layers, weights in 4 bits. No such run is published. */
  readonly part?: true;
}

/** How far published runs of a kind are off. Of shares, 0.1 says that the run took 10 % more than its simulation. */
export interface SpreadReport {
  /** Half of an interval around the simulated figure, as a share of it: a further run of the kind lies in it with a probability of 4 in 5. */
  readonly share: number;
  /** Mean, with its sign. */
  readonly mean: number;
  /** Number of runs. */
  readonly runs: number;
  /** What these runs have in common with the plan. If it says less than `kind`, fewer than 5 runs have the rest. */
  readonly of: Partial<RunKind>;
}

export interface AccuracyReport {
  /** The kind of the plan. */
  readonly kind: RunKind;
  /** Of the iteration. Absent where no run on such a device is published. */
  readonly time?: SpreadReport;
  /** Of the peak of a device. `fit`: of these runs, those with whose excess every device is still within its capacity. */
  readonly memory?: SpreadReport & { readonly fit: number };
}
