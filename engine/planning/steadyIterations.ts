/**
 * Iterations by whose middle every stage of an asynchronous pipeline is in step. The pipeline fills once in two microbatches for each
 * rank: n replicas that take turns keep as many in flight as n stages.
 */
export const steadyIterations = (ranks: number, microbatches: number): number =>
  Math.max(16, 8 * Math.ceil(ranks / microbatches));
