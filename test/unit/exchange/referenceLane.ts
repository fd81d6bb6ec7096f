/**
 * The plain way to run a lane: an object for each piece, lists that are searched, and a step for each moment at which anything
 * happens. It shares no code with the engine, and must give the same times.
 */
export interface ReferenceTensor {
  readonly ready: number;
  readonly bytes: number;
  /** Less is sooner. */
  readonly urgency: number;
}

export interface ReferenceLane {
  /** From the front layer to the last. */
  readonly tensors: readonly ReferenceTensor[];
  /** Tensors of each bucket, from the back to the front. */
  readonly buckets: readonly (readonly number[])[];
  /** Seconds of so many bytes. */
  readonly push: (bytes: number) => number;
  readonly pull?: (bytes: number) => number;
  /** Pushes and pulls are one at a time. */
  readonly oneLane?: boolean;
  /** Pulls begin when all is pushed. */
  readonly pullsAfterAll?: boolean;
  readonly piece: number;
  /** Pieces, or bytes. */
  readonly credit: { readonly pieces: number } | { readonly bytes: number };
  readonly strict: boolean;
  readonly ack: number;
  /** Seconds from when a piece has left the lane until it is there. */
  readonly delay?: number;
  readonly early: boolean;
}

interface Bucket {
  readonly number: number;
  readonly members: readonly number[];
  readonly ready: number;
  readonly urgency: number;
}

export interface ReferencePiece {
  readonly bucket: Bucket;
  readonly index: number;
  readonly from: number;
  readonly bytes: number;
  pushed: { start: number; end: number } | undefined;
  pulled: { start: number; end: number } | undefined;
  credited: boolean;
}

/** When each tensor is there, and the pieces. */
export function referenceLane(lane: ReferenceLane): { readonly arrival: number[]; readonly pieces: ReferencePiece[] } {
  const { delay = 0 } = lane;
  const buckets = lane.buckets
    .map((members) => ({
      members,
      ready: Math.max(...members.map((at) => lane.tensors[at].ready)),
      urgency: Math.min(...members.map((at) => lane.tensors[at].urgency)),
    }))
    .sort((a, b) => a.ready - b.ready)
    .map((bucket, number) => ({ ...bucket, number }));
  const pieces = buckets.flatMap((bucket) => {
    const all = bucket.members.reduce((sum, at) => sum + lane.tensors[at].bytes, 0);
    const made: ReferencePiece[] = [];
    for (let from = 0; from < all; from += lane.piece)
      made.push({
        bucket,
        index: made.length,
        from,
        bytes: Math.min(lane.piece, all - from),
        pushed: undefined,
        pulled: undefined,
        credited: false,
      });
    return made;
  });
  const before = (a: ReferencePiece, b: ReferencePiece): number =>
    a.bucket.urgency - b.bucket.urgency || a.bucket.number - b.bucket.number || a.index - b.index;
  const older = (a: ReferencePiece, b: ReferencePiece): number =>
    a.bucket.number - b.bucket.number || a.index - b.index;
  const queueOrder = lane.pullsAfterAll === true ? older : before;
  const stack: ReferencePiece[] = [];
  const handed = new Set<ReferencePiece>();
  const weight = (piece: ReferencePiece): number => ('pieces' in lane.credit ? 1 : piece.bytes);
  let credit = 'pieces' in lane.credit ? lane.credit.pieces : lane.credit.bytes;
  let pushFree = -Infinity;
  let pullFree = -Infinity;
  let now = buckets[0].ready;
  const isOver = (piece: ReferencePiece): boolean =>
    piece.pushed !== undefined && (lane.pull === undefined || piece.pulled !== undefined);
  while (!pieces.every(isOver)) {
    for (const piece of pieces)
      if (!piece.credited && piece.pushed !== undefined && piece.pushed.end + lane.ack <= now) {
        piece.credited = true;
        credit += weight(piece);
      }
    for (;;) {
      if (credit <= 0) break;
      const waiting = pieces.filter((piece) => piece.bucket.ready <= now && !handed.has(piece)).sort(queueOrder);
      const out = [...handed].some((piece) => !piece.credited);
      const next = lane.strict && out ? waiting.find((piece) => weight(piece) <= credit && isFirst(piece)) : waiting[0];
      if (next === undefined) break;
      handed.add(next);
      stack.push(next);
      credit -= weight(next);
    }
    const pullable = pieces
      .filter(({ pushed, pulled }) => pushed !== undefined && pushed.end + delay <= now && pulled === undefined)
      .sort(before);
    const allPushed = pieces.every(({ pushed }) => pushed !== undefined && pushed.end + delay <= now);
    const pull = lane.pull === undefined || (lane.pullsAfterAll === true && !allPushed) ? undefined : pullable[0];
    if (lane.oneLane === true) {
      if (pushFree <= now) {
        const first = stack[0];
        if (pull !== undefined && (first === undefined || before(pull, first) <= 0)) startPull(pull);
        else if (first !== undefined) startPush();
        pushFree = Math.max(pushFree, pullFree);
      }
    } else {
      if (pushFree <= now && stack.length > 0) startPush();
      if (pullFree <= now && pull !== undefined) startPull(pull);
    }
    now = Math.min(
      ...[
        ...buckets.map(({ ready }) => ready),
        pushFree,
        pullFree,
        ...pieces.flatMap(({ pushed }) =>
          pushed === undefined ? [] : [pushed.end, pushed.end + lane.ack, pushed.end + delay],
        ),
      ].filter((time) => time > now),
    );
  }
  const arrival = lane.tensors.map(({ ready }) => ready);
  for (const { members, number } of buckets) {
    const its = pieces.filter(({ bucket }) => bucket.number === number);
    let upTo = 0;
    for (const tensor of members.toSorted((a, b) => a - b)) {
      upTo += lane.tensors[tensor].bytes;
      const holding = lane.early ? its.filter(({ from }) => from < upTo) : its;
      arrival[tensor] = Math.max(...holding.map(({ pushed, pulled }) => ((pulled ?? pushed)?.end ?? NaN) + delay));
    }
  }
  return { arrival, pieces };

  /** The first piece of its bucket that is not handed over: the others of a bucket do not pass it. */
  function isFirst(piece: ReferencePiece): boolean {
    return pieces.every((each) => each.bucket !== piece.bucket || each.index >= piece.index || handed.has(each));
  }
  function startPush(): void {
    const piece = stack.shift();
    if (piece === undefined) return;
    pushFree = now + lane.push(piece.bytes);
    piece.pushed = { start: now, end: pushFree };
  }
  function startPull(piece: ReferencePiece): void {
    pullFree = now + (lane.pull?.(piece.bytes) ?? 0);
    piece.pulled = { start: now, end: pullFree };
  }
}
