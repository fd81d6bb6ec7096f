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
  /** Lane of exchanges between replicas under the blocks: `legs` rows of `legHeight` each; 0 for none. */
  readonly exchangeTop: number;
  readonly legHeight: number;
  readonly legs: number;
  /** Each row has its name. */
  readonly names: boolean;
}

const noExchange = { exchangeTop: 0, legHeight: 0, legs: 0 };
const none = { laneTop: 0, laneHeight: 0, ...noExchange };

/** Least height of rows that show their exchange. */
const leastExchange = 24;
/** Of a tall row: what is left is for transfers, and for arrows from row to row. */
const bandShare = 0.64;
const mostBand = 64;
const mostGap = 20;
const mostLeg = { single: 44, of: 26 };

/** `mixed`: rows mix the operations of several devices, and have no lanes of one device. `legs`: directions of their exchange. */
export function rowShape(height: number, mixed = false, legs = 0): RowShape {
  if (legs > 0 && !mixed && height >= leastExchange) return withExchange(height, legs);
  if (height >= 40 && !mixed) {
    const band = Math.round(height * bandShare);
    const laneTop = 4 + band + 3;
    return {
      ...noExchange,
      bandTop: 4,
      bandHeight: band,
      radius: 2,
      labels: true,
      names: true,
      laneTop,
      laneHeight: 4,
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

/** Blocks take about half of the row, and what they exchange a third of it. */
function withExchange(height: number, legs: number): RowShape {
  const tall = height >= 52;
  const bandTop = tall ? 4 : 2;
  const band = Math.min(mostBand, Math.round(height * (tall ? 0.42 : 0.5)));
  const lane = height >= 36 ? 4 : 0;
  const laneTop = bandTop + band + 2;
  // Arrows lead from blocks to pieces and back.
  const exchangeTop = laneTop + lane + (tall ? Math.min(mostGap, Math.round(height * 0.1) - 2) : 0);
  const foot = height - (tall ? 4 : 2);
  const most = legs > 1 ? mostLeg.of : mostLeg.single;
  const legHeight = Math.max(
    2,
    Math.min(most, Math.floor(Math.min(foot - exchangeTop, height * (tall ? 0.34 : 0.4)) / legs)),
  );
  return {
    bandTop,
    bandHeight: band,
    radius: 2,
    labels: true,
    names: true,
    laneTop: lane === 0 ? 0 : laneTop,
    laneHeight: lane === 0 ? 0 : lane - 1,
    exchangeTop,
    legHeight,
    legs,
  };
}
