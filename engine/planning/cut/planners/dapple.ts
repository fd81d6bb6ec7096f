/** The planner of DAPPLE: contiguous stages whose replicas share every microbatch, such that one synchronous iteration is shortest. */
import { runningSums, type Planned, type PlannedStage, type PlannerLayers, type Size } from './layers.ts';

export interface DappleRequest {
  readonly layers: PlannerLayers;
  readonly microbatches: number;
  /** Machines at most. */
  readonly machines: number;
  /** Devices of each machine that reduce gradients with those of the other replicas; 1 without data ranks. */
  readonly data: number;
  /** Of the way between any two machines. `alone`: each pair has one of its own, so that replicas send side by side. */
  readonly link: { readonly bandwidth: number; readonly latency: number; readonly alone: boolean };
}

/** Suffixes of a plan that are kept for each first layer, number of machines and replicas, where not all are looked at. */
const kept = 4;
/** All plans are looked at up to here. */
const plansLimit = 50_000;
const stepLimit = 20_000_000;

/** Whether the plan would be searched for in a second or two. */
export const dappleInTime = ({ layers, machines }: Size): boolean => layers.count ** 2 * machines ** 3 <= stepLimit;

/** Whether all plans are looked at: Σ over s stages of the cuts, C(n − 1, s − 1), times the replicas, C(machines, s). */
export function dappleExact({ layers, machines }: Size): boolean {
  let ways = machines;
  let sum = 0;
  for (let stages = 1; ways > 0 && sum <= plansLimit; stages += 1) {
    sum += ways;
    ways *= (((layers.count - stages) / stages) * (machines - stages)) / (stages + 1);
  }
  return sum <= plansLimit;
}

/** The last stages of a plan, transfers among them, as the latency of the whole depends on them. */
interface Suffix {
  readonly stage: PlannedStage;
  readonly rest: Suffix | undefined;
  readonly used: number;
  /** Seconds of the pivot's forward and backward, and of its backward. */
  readonly pivot: number;
  readonly pivotBackward: number;
  /** Of all stages from the first of the suffix to the pivot. */
  readonly forward: number;
  readonly backward: number;
  /** Ending phase of the stages up to the pivot, and of those behind it. */
  readonly early: number;
  readonly late: number;
}

/**
 * The plan of least latency L = T_w + T_s + T_e; `seconds` is L. With stages and transfers numbered together and Q the pivot:
 * T_w = Σ_{s≤Q} F_s; T_s = (M − 1)(F_Q + B_Q); T_e = max_s (AR_s + (Σ_{a=s..Q} B_a if s ≤ Q else −Σ_{a=Q..s−1} B_a)). Q is the last
 * stage, replaced backwards by each s with (M − 1)(F_s + B_s) > (M − 1)(F_Q + B_Q) + Σ_{s<a<Q} (F_a + B_a). Fan et al., "DAPPLE"
 * (2021), section 4. The least of all plans where `dappleExact`; else the best that a bounded search finds, from the last stage
 * to the first.
 */
export function planDapple(request: DappleRequest): Planned {
  const { layers, machines, microbatches } = request;
  const most = dappleExact(request) ? Infinity : kept;
  const extend = extender(request);
  const width = machines + 1;
  // By first layer, then by machines used and replicas of the first stage.
  const cells: Suffix[][][] = Array.from({ length: layers.count + 1 }, () => []);
  const latency = (one: Suffix) => one.forward + (microbatches - 1) * one.pivot + Math.max(one.early, one.late);
  const add = (suffix: Suffix): void => {
    const cell = (cells[suffix.stage.from][suffix.used * width + suffix.stage.replicas] ??= []);
    // Shortest first where only some are kept.
    if (cell.length === most && latency(suffix) >= latency(cell[most - 1])) return;
    cell.push(suffix);
    if (most === Infinity) return;
    for (let at = cell.length - 1; at > 0 && latency(cell[at]) < latency(cell[at - 1]); at -= 1)
      [cell[at - 1], cell[at]] = [cell[at], cell[at - 1]];
    if (cell.length > most) cell.pop();
  };
  for (let to = layers.count; to > 0; to -= 1) {
    const behind = to === layers.count ? [undefined] : cells[to].flat();
    for (const rest of behind) {
      for (let replicas = 1; replicas <= machines - (rest?.used ?? 0); replicas += 1)
        for (let from = 0; from < to; from += 1) add(extend({ from, to, replicas }, rest));
    }
  }
  let best: Suffix | undefined;
  for (const one of cells[0].flat()) {
    const less = best === undefined ? -1 : latency(one) - latency(best);
    if (best === undefined || less < 0 || (less === 0 && one.used < best.used)) best = one;
  }
  const stages: PlannedStage[] = [];
  for (let at = best; at !== undefined; at = at.rest) stages.push(at.stage);
  return { stages, seconds: best === undefined ? 0 : latency(best) };
}

/** Puts a stage, and the transfer behind it, before a suffix. */
function extender({ layers, microbatches, data, link }: DappleRequest) {
  const [forward, backward, gradients] = [layers.forward, layers.backward, layers.gradients].map(runningSums);
  return (stage: PlannedStage, rest: Suffix | undefined): Suffix => {
    const { from, to, replicas } = stage;
    const f = (forward[to] - forward[from]) / replicas;
    const b = (backward[to] - backward[from]) / replicas;
    const ring = replicas * data;
    const reduce = 2 * (ring - 1) * (link.latency + (gradients[to] - gradients[from]) / ring / link.bandwidth);
    const own = { pivot: f + b, pivotBackward: b, forward: f, backward: b, early: reduce + b, late: -Infinity };
    const used = replicas + (rest?.used ?? 0);
    if (rest === undefined) return { ...own, stage, rest, used };
    const lanes = link.alone ? Math.min(replicas, rest.stage.replicas) : 1;
    const transfer = link.latency + layers.crossing[to] / link.bandwidth / lanes;
    const behind = before(microbatches, transfer, transfer, 0, rest);
    return { ...before(microbatches, f, b, reduce, behind), stage, rest, used };
  };
}

type Phases = Omit<Suffix, 'stage' | 'rest' | 'used'>;

function before(microbatches: number, f: number, b: number, reduce: number, rest: Phases): Phases {
  const { pivot, pivotBackward, forward, backward, early, late } = rest;
  const between = forward + backward - pivot;
  if ((microbatches - 1) * (f + b) > (microbatches - 1) * pivot + between)
    return {
      pivot: f + b,
      pivotBackward: b,
      forward: f,
      backward: b,
      early: reduce + b,
      late: Math.max(early - (b + backward), late - (b + backward - pivotBackward)),
    };
  const whole = b + backward;
  return {
    pivot,
    pivotBackward,
    forward: f + forward,
    backward: whole,
    early: Math.max(early, reduce + whole),
    late,
  };
}
