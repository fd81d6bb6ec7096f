/** What of a row is shown at a height: the density ladder. Pixels from the top of the row. */
export interface RowShape {
  readonly bandTop: number;
  readonly bandHeight: number;
  readonly radius: number;
  /** Microbatch numbers and bubble durations. */
  readonly labels: boolean;
  /** Lane of transfers under the blocks; 0 for none. */
  readonly laneTop: number;
  readonly laneHeight: number;
  /** Memory curve at the foot of the row; 0 for none. */
  readonly memoryTop: number;
  readonly memoryHeight: number;
  /** Each row has its name. */
  readonly names: boolean;
}

const none = { laneTop: 0, laneHeight: 0, memoryTop: 0, memoryHeight: 0 };

/** `mixed`: rows mix the operations of several devices, and have no lanes of one device. */
export function rowShape(height: number, mixed = false): RowShape {
  if (height >= 40 && !mixed) {
    const band = Math.round(height * 0.46);
    const laneTop = 4 + band + 3;
    return {
      bandTop: 4,
      bandHeight: band,
      radius: 2,
      labels: true,
      names: true,
      laneTop,
      laneHeight: 4,
      memoryTop: laneTop + 6,
      memoryHeight: Math.floor(height - laneTop - 8),
    };
  }
  if (height >= 14) {
    const lane = height >= 22 ? 4 : 0;
    return {
      bandTop: 2,
      bandHeight: Math.floor(height) - 4 - lane,
      radius: height >= 18 ? 2 : 0,
      labels: true,
      names: true,
      ...none,
      laneTop: lane === 0 ? 0 : Math.floor(height) - 5,
      laneHeight: lane === 0 ? 0 : 3,
    };
  }
  if (height >= 4)
    return { bandTop: 0, bandHeight: Math.floor(height) - 1, radius: 0, labels: false, names: height >= 11, ...none };
  return { bandTop: 0, bandHeight: height, radius: 0, labels: false, names: false, ...none };
}
