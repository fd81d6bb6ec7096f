import type { EdgePlan, PipelinePlan, RoutePlan, SchedulePlan, StagePlan } from '../../../engine/values/plan.ts';

/** Seconds of each stage (cycled), bytes, and how stages lie on devices, for a plan made without text. */
export interface Recipe {
  /** Default: as many as the placement names, or one for each stage. */
  readonly devices?: number;
  readonly microbatches: number;
  /** Default: as many as the placement has, or one for each device, or one for each time of `forward`. */
  readonly stages?: number;
  readonly placement?: readonly number[];
  readonly schedule: SchedulePlan;
  readonly forward?: readonly number[];
  readonly backwardInput?: readonly number[];
  readonly backwardWeight?: readonly number[];
  readonly latency?: number;
  /** Seconds that a transfer holds its channel. */
  readonly occupancy?: number;
  readonly duplex?: 'full' | 'half' | 'shared';
  readonly activation?: number;
  readonly memory?: number;
  readonly edges?: readonly EdgePlan[];
  /** Edges in addition to the chain. */
  readonly skips?: readonly (readonly [number, number])[];
  readonly stage?: Partial<StagePlan>;
  readonly sync?: number;
  readonly optimizer?: number;
}

export const policy = (name: string, args: Extract<SchedulePlan, { kind: 'policy' }>['args'] = {}): SchedulePlan => ({
  kind: 'policy',
  name,
  args,
});

/** A chain of stages (or `edges`), one unit of time for F, I and W unless said, every pair of devices linked. */
export function recipePlan(recipe: Recipe): PipelinePlan {
  const { placement } = recipe;
  const count = recipe.stages ?? placement?.length ?? recipe.devices ?? recipe.forward?.length ?? 1;
  const deviceCount = recipe.devices ?? (placement === undefined ? count : Math.max(...placement) + 1);
  const at = (values: readonly number[] | undefined, index: number) =>
    values === undefined ? 1 : values[index % values.length];
  const stages = Array.from({ length: count }, (_, index): StagePlan => ({
    name: `s${index}`,
    layers: [`block[${index}]`],
    parameters: 0,
    forwardFlops: 0,
    forward: at(recipe.forward, index),
    backwardInput: at(recipe.backwardInput, index),
    backwardWeight: at(recipe.backwardWeight, index),
    recompute: 0,
    splitKnown: true,
    weights: 0,
    gradients: 0,
    optimizer: 0,
    activation: recipe.activation ?? 1,
    activationForWeight: recipe.activation ?? 1,
    recomputed: 0,
    workspace: 0,
    buffers: 0,
    recomputeMode: 'none',
    ...recipe.stage,
  }));
  const bytes = recipe.occupancy === undefined ? 0 : 1;
  const edges =
    recipe.edges ??
    [...Array.from({ length: count - 1 }, (_, stage) => [stage, stage + 1] as const), ...(recipe.skips ?? [])].map(
      ([from, to]) => ({ from, to, bytes }),
    );
  const routes: RoutePlan[] = [];
  for (let from = 0; from < deviceCount; from += 1) {
    for (let to = 0; to < deviceCount; to += 1) {
      if (from === to) continue;
      const pair = Math.min(from, to) * deviceCount + Math.max(from, to);
      const channel = recipe.duplex === 'shared' ? 0 : recipe.duplex === 'half' ? pair : from * deviceCount + to;
      routes.push({ from, to, bandwidth: 1 / (recipe.occupancy || 1), latency: recipe.latency ?? 0, channel });
    }
  }
  return {
    name: 'train',
    model: 'm',
    microbatches: recipe.microbatches,
    iterations: 1,
    schedule: recipe.schedule,
    devices: Array.from({ length: deviceCount }, (_, index) => ({
      name: `gpu[${index}]`,
      kind: 'gpu',
      memory: recipe.memory ?? 1e12,
      reserved: 0,
    })),
    stages,
    placement: placement ?? stages.map((_, index) => index % deviceCount),
    edges,
    routes,
    tensor: 1,
    context: 1,
    data: 1,
    expert: 1,
    microBatchSize: 1,
    step: Array.from({ length: deviceCount }, () => ({ sync: recipe.sync ?? 0, optimizer: recipe.optimizer ?? 0 })),
    expects: [],
  };
}
