interface Placed {
  readonly stages: ReadonlyMap<number, readonly number[]>;
  /** By stage: how many stages of its device come before it. */
  readonly turn: Int32Array;
}

const known = new WeakMap<object, Placed>();

const none: readonly number[] = [];

/**
 * Stages that a placement (the device of each stage) puts on a device, in order. All stages are sorted once for each placement:
 * to look through them again for each device would be quadratic.
 */
export const stagesOn = (placement: ArrayLike<number>, device: number): readonly number[] =>
  placed(placement).stages.get(device) ?? none;

/** By stage: its index in what `stagesOn` gives for its device. */
export const turnsOf = (placement: ArrayLike<number>): Int32Array => placed(placement).turn;

function placed(placement: ArrayLike<number>): Placed {
  const found = known.get(placement) ?? byDevice(placement);
  known.set(placement, found);
  return found;
}

function byDevice(placement: ArrayLike<number>): Placed {
  const stages = new Map<number, number[]>();
  const turn = new Int32Array(placement.length);
  for (let stage = 0; stage < placement.length; stage += 1) {
    const there = stages.get(placement[stage]) ?? [];
    stages.set(placement[stage], there);
    turn[stage] = there.length;
    there.push(stage);
  }
  return { stages, turn };
}
