import type { PipelinePlan } from '../values/plan.ts';
import { microbatchesOf, type Program } from '../values/program.ts';
import type { ModelFlopsReport } from '../values/report.ts';
import { stagesOn } from '../basics/stagesOn.ts';

/**
 * Model FLOPs: a forward and twice that for its backward, recomputation left out (Chowdhery et al., PaLM, arXiv:2204.02311,
 * appendix B). They are divided by the devices of the pipeline and the time of an iteration. Undefined if layers are measured,
 * whose FLOPs are unknown, and if nothing takes time. The backward of a frozen layer has fewer. What tensor ranks repeat, what `capacity` adds, and padding behind documents are not the model's. The
 * attention core counts as much of it as is computed: half if it is causal.
 */
export function modelFlops(plan: PipelinePlan, program: Program, iteration: number): ModelFlopsReport | undefined {
  if (!(iteration > 0)) return undefined;
  let [flops, devices, peak] = [0, 0, 0];
  for (const [rank, { compute, members = 1 }] of plan.devices.entries()) {
    if (compute === undefined) return undefined;
    devices += members;
    peak += members * compute;
    for (const stage of stagesOn(plan.placement, rank)) {
      const { forwardFlops, spareFlops = 0, backwardInput, backwardWeight, backwardFlops } = plan.stages[stage];
      const forward = forwardFlops - spareFlops;
      const passes = backwardInput + backwardWeight > 0 ? 3 : 1;
      const all = backwardFlops === undefined ? passes * forward : forward + backwardFlops;
      flops += (members * all * microbatchesOf(program, stage)) / plan.iterations;
    }
  }
  return { rate: flops / devices / iteration, utilisation: flops / peak / iteration };
}
