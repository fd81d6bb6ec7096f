/** A schedule to simulate without a pipeline: on stages that all take the same. */
export interface UnitRequest {
  /** As a pipeline would write it: `kfkb`, `kfkb(k = 4)`. */
  readonly schedule: string;
  readonly devices: number;
  readonly microbatches: number;
}
