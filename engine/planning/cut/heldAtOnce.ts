import type { Policy, PolicyArguments } from '../../policies/policy.ts';
import { bareShape } from '../../policies/shape.ts';
import type { HeldAtOnce } from './planners/hetpipeProblem.ts';

interface Counts {
  readonly stages: number;
  readonly microbatches: number;
  readonly iterations: number;
}

type Step = { readonly kind: 'F' | 'B'; readonly microbatch: number } | { readonly kind: 'U' };

/**
 * What each stage holds at a time under an asynchronous policy with one stage on each device: microbatches, and versions of its
 * weights before the newest. `newest`: backwards use the newest weights, otherwise the weights of their forward. A version stays until
 * its last use.
 */
export function heldAtOnce(
  policy: Policy,
  args: PolicyArguments,
  { stages, microbatches, iterations }: Counts,
  newest: boolean,
): readonly (readonly HeldAtOnce[])[] {
  const replicas = new Int32Array(stages).fill(1);
  const shape = bareShape({ devices: stages, stages, chunks: 1, microbatches, iterations, args, replicas });
  return Array.from({ length: stages }, (_, stage) => {
    const steps: Step[] = [];
    const ignore = (): void => undefined;
    policy.order(shape, stage, {
      forward: (_stage, microbatch) => steps.push({ kind: 'F', microbatch }),
      backward: (_stage, microbatch) => steps.push({ kind: 'B', microbatch }),
      update: () => steps.push({ kind: 'U' }),
      backwardInput: ignore,
      backwardWeight: ignore,
      recompute: ignore,
      evict: ignore,
      load: ignore,
      fuse: ignore,
    });
    return walked(steps, newest);
  });
}

/** What is held at each step, without what other steps reach. */
function walked(steps: readonly Step[], newest: boolean): readonly HeldAtOnce[] {
  const used = versionsOf(steps, newest);
  const left = new Map<number, number>();
  for (const version of used) if (version >= 0) left.set(version, (left.get(version) ?? 0) + 1);
  let [held, versions, version] = [0, 0, 0];
  const found = new Map<string, HeldAtOnce>();
  for (const [at, { kind }] of steps.entries()) {
    let ends = false;
    if (kind === 'F') held += 1;
    if (kind === 'U') {
      if ((left.get(version) ?? 0) > 0) versions += 1;
      version += 1;
    } else {
      const uses = (left.get(used[at]) ?? 0) - 1;
      left.set(used[at], uses);
      ends = uses === 0 && used[at] !== version;
    }
    const now = { microbatches: held, versions, backward: kind === 'B' };
    found.set(`${held} ${versions} ${now.backward}`, now);
    if (kind === 'B') held -= 1;
    if (ends) versions -= 1;
  }
  const all = [...found.values()];
  const reaches = (one: HeldAtOnce, other: HeldAtOnce): boolean =>
    one.microbatches >= other.microbatches && one.versions >= other.versions && (one.backward || !other.backward);
  return all.filter((one) => !all.some((other) => other !== one && reaches(other, one)));
}

/** The version that each step uses; −1 for an update. */
function versionsOf(steps: readonly Step[], newest: boolean): readonly number[] {
  const read = new Map<number, number>();
  let version = 0;
  return steps.map((step) => {
    if (step.kind === 'U') {
      version += 1;
      return -1;
    }
    if (step.kind === 'F') read.set(step.microbatch, version);
    return newest ? version : (read.get(step.microbatch) ?? version);
  });
}
