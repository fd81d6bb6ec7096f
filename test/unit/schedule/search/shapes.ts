import type { Shape } from '../../../../engine/policies/policy.ts';
import type { OrderProblem } from '../../../../engine/search/orderProblem.ts';

/** What policies see of a problem: ticks as seconds, and the limits as memory. */
export function shapeFor(problem: OrderProblem): Shape {
  const stages = problem.device.length;
  return {
    devices: problem.devices,
    stages,
    chunks: stages / problem.devices,
    microbatches: problem.microbatches,
    iterations: 1,
    args: {},
    replicas: new Int32Array(stages).fill(1),
    forward: problem.forward,
    backwardInput: problem.input,
    backwardWeight: problem.weight,
    recompute: new Float64Array(stages),
    transfer: problem.transfer.reduce((most, ticks) => Math.max(most, ticks), 0),
    transfers: problem.transfer,
    activation: problem.activation,
    activationForWeight: problem.forWeight,
    step: problem.step,
    room: problem.limit,
  };
}
