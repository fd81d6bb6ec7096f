/** Needs of rows: `needs[need]` is a result row, of the same microbatch unless `needShift` says how many further on. */
export interface ShiftedNeeds {
  readonly needs: Int32Array;
  /** By need; absent where all are 0. Others than 0 are those of an update on the gradients of other copies of its stage. */
  readonly needShift?: Int32Array;
}

/** Slot (result row × microbatches + microbatch) that a need of a microbatch asks for; −1 where it asks for none that there is. */
export function needSlot(
  { needs, needShift }: ShiftedNeeds,
  microbatches: number,
  need: number,
  microbatch: number,
): number {
  // Plain programs take this way for every need of every operation.
  if (needShift === undefined) return needs[need] * microbatches + microbatch;
  const asked = microbatch + needShift[need];
  return asked < 0 || asked >= microbatches ? -1 : needs[need] * microbatches + asked;
}
