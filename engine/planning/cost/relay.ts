/** Tensors that skip stages, sent through every stage between instead of straight to where they are needed. */
import type { EdgePlan } from '../../values/plan.ts';
import { inParts } from './edges.ts';

export interface Relayed {
  /** Edges between neighbouring stages only; each carries what goes past it. */
  readonly edges: readonly EdgePlan[];
  /** Bytes of one microbatch that each stage holds only to hand them on. */
  readonly held: Float64Array;
}

/**
 * An edge from stage a to stage b > a + 1 becomes one edge of its bytes for each hop. Kim et al., "torchgpipe" (2020),
 * describe this as what a sequential model must do without portals. `parts`: of the sequence, on each stage; a device has one.
 */
export function relay(edges: readonly EdgePlan[], stages: number, parts: readonly number[] = []): Relayed {
  const hops = new Float64Array(stages).fill(-1);
  const held = new Float64Array(stages);
  const answered = new Uint8Array(stages);
  for (const { from, to, bytes, forwardOnly } of edges) {
    for (let stage = from; stage < to; stage += 1) {
      const sent = inParts(bytes, parts[from], parts[stage]);
      hops[stage] = Math.max(0, hops[stage]) + sent;
      if (forwardOnly !== true) answered[stage] = 1;
      if (stage > from) held[stage] += sent;
    }
  }
  const found: EdgePlan[] = [];
  for (const [from, bytes] of hops.entries())
    if (bytes >= 0) found.push({ from, to: from + 1, bytes, ...(answered[from] === 1 ? {} : { forwardOnly: true }) });
  return { edges: found, held };
}
