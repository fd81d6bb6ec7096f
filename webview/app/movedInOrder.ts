import { movedBlocks } from '../picture/movedBlocks.ts';
import type { FoundOrder } from '../protocol/requests.ts';
import type { ShownTimeline } from '../session/shownTimeline.ts';

const none = new Int32Array(0);

/** The blocks that an order on show moves, found once for each pair of timelines. */
export function movedInOrder() {
  let known: { readonly of: ShownTimeline; readonly from: ShownTimeline; readonly blocks: Int32Array } | undefined;
  /** Blocks of the timeline on show that run at another place than in the file; empty until its picture is there. */
  return (
    tried: FoundOrder | undefined,
    of: ShownTimeline | undefined,
    from: ShownTimeline | undefined,
  ): Int32Array => {
    if (tried === undefined || of === undefined || from === undefined) return none;
    // Until its picture is there, the file's is on show.
    if (of.plan.schedule !== tried.schedule || of.plan.name !== from.plan.name) return none;
    if (known?.of !== of || known.from !== from)
      known = { of, from, blocks: movedBlocks(of.picture.columns, from.picture.columns) };
    return known.blocks;
  };
}
