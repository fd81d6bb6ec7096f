import { layoutOf, type Words } from '../../search/layout.ts';
import type { OrderProblem } from '../../search/orderProblem.ts';
import type { OperationSink } from '../policy.ts';

/** Writes the operations of a device. `whole`: I is a whole backward. */
export function emitWords(
  problem: OrderProblem,
  words: Words,
  whole: boolean,
  device: number,
  out: OperationSink,
): void {
  const { stages, local, first, offsets } = layoutOf(problem);
  const counts = new Int32Array(3 * stages);
  for (let at = offsets[device]; at < offsets[device + 1]; at += 1) {
    const code = local[first[device] + words[at]];
    const kind = Math.floor(code / stages);
    const stage = code - kind * stages;
    const microbatch = counts[code]++;
    if (kind === 0) out.forward(stage, microbatch);
    else if (kind === 2) out.backwardWeight(stage, microbatch);
    else if (whole) out.backward(stage, microbatch);
    else {
      out.backwardInput(stage, microbatch);
      // Its weight gradient takes no time.
      if (problem.weight[stage] === 0) out.backwardWeight(stage, microbatch);
    }
  }
}
