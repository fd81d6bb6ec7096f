/** The part of an optimizer's step that the host does: gradients go there, their weights are updated, and these come back. */
import type { TensorMaker } from '../values/exchangeTimeline.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { B, type Program, W } from '../values/program.ts';
import { stagesOn } from '../basics/stagesOn.ts';
import type { HostBucket, Timeline, Timing } from '../values/timeline.ts';
import { gradientsReady, makerOf } from './gradients.ts';
import { movesOf } from './guests.ts';

/** By device; undefined if no device has a part of its optimizer on the host. */
export function hostSteps(
  plan: PipelinePlan,
  program: Program,
  exchanges: Timing['buckets'] = [],
): Timing['hostSteps'] {
  if (plan.step.every(({ host }) => host === undefined)) return undefined;
  return plan.step.map(({ host }, device) => {
    if (host === undefined) return undefined;
    const buckets = host.stages.flatMap(({ stage, buckets: made }) => {
      const own = exchanges.flatMap(({ members }, index) =>
        members.some((member) => member.device === device && member.stage === stage) ? [index] : [],
      );
      return made.map(({ left, out, step, back, exchanged }, index): HostBucket => ({
        maker: makerOf(plan, program, device, stage, left),
        ...(index in own ? { exchange: own[index] } : {}),
        ...(exchanged === true ? { exchanged } : {}),
        out,
        step,
        back,
      }));
    });
    return {
      buckets,
      clip: host.clip === true,
      gather: host.gather ?? 0,
      half: plan.devices[device].host?.half === true,
      copiesWithin: stagesOn(plan.placement, device).some((stage) => plan.stages[stage].offloaded !== undefined),
    };
  });
}

type Run = Pick<
  Timeline,
  'program' | 'timing' | 'end' | 'starts' | 'arrival' | 'sent' | 'blocking' | 'last' | 'exchanged'
>;

/**
 * When each device has its updated weights back from the host, seconds; 0 for a device that sends none. A bucket leaves when its gradients
 * are made and exchanged. `exchangeEnd` is when each bucket of an exchange ends. Copies of activations go first: gradients leave after the
 * last of them has left, and weights come back after the last of them has come back.
 */
export function hostedAt(run: Run, exchangeEnd: Float64Array | undefined): Float64Array | undefined {
  const { timing, exchanged, last, program } = run;
  const { hostSteps: steps } = timing;
  if (steps === undefined) return undefined;
  const readyAt = gradientsReady(run);
  // All devices need the norm of all gradients.
  const norm = exchanged.reduce((latest, at) => Math.max(latest, at), 0);
  const emptied = (device: number): number => {
    const moves = movesOf(run, device);
    return moves === undefined
      ? 0
      : moves.at.reduce((latest, at, move) => (moves.change[move] < 0 ? Math.max(latest, at) : latest), 0);
  };
  return Float64Array.from(steps, (step, device) => {
    if (step === undefined) return 0;
    const ready = step.buckets.map(({ maker, exchange, exchanged: atEnd }) =>
      Math.max(
        readyAt(maker),
        exchange === undefined ? 0 : (exchangeEnd?.[exchange] ?? 0),
        atEnd === true ? exchanged[device] : 0,
      ),
    );
    const [out, back] = [emptied(device), emptied(program.devices + device)];
    const within = step.copiesWithin ? last[device] : 0;
    const free: [number, number] = step.half
      ? [Math.max(out, back, within), Math.max(out, back, within)]
      : [out, Math.max(back, within)];
    return runHost(step.buckets, ready, { free, half: step.half, from: step.clip ? norm : 0 }) + step.gather;
  });
}

/**
 * When the last bucket is back. The line out, the host and the line back each do one bucket at a time, in the order in which buckets get
 * ready. `free`: when the two lines are. With `half` they are one line, which does first what can begin first. No update begins before
 * `from`. O(buckets · log buckets).
 */
export function runHost(
  buckets: readonly Pick<HostBucket, 'out' | 'step' | 'back'>[],
  ready: readonly number[],
  {
    free: [out, back],
    half,
    from,
  }: { readonly free: readonly [number, number]; readonly half: boolean; readonly from: number },
): number {
  const order = ready.map((_, index) => index).sort((a, b) => ready[a] - ready[b]);
  const line = [out, back];
  const backLine = half ? 0 : 1;
  const updated: number[] = [];
  let host = from;
  let end = 0;
  for (let sent = 0, returned = 0; returned < order.length;) {
    const waits = sent < order.length ? ready[order[sent]] : Infinity;
    if (returned < sent && updated[returned] < waits) {
      line[backLine] = Math.max(line[backLine], updated[returned]) + buckets[order[returned]].back;
      end = line[backLine];
      returned += 1;
      continue;
    }
    const bucket = buckets[order[sent]];
    line[0] = Math.max(line[0], waits) + bucket.out;
    host = Math.max(host, line[0]) + bucket.step;
    updated.push(host);
    sent += 1;
  }
  return end;
}

/**
 * Seconds from a device's last operation until its weights are back, in any order of its operations, split or not. The last operation is the
 * last backward of one of its stages, whose buckets cannot leave earlier. 0 if nothing goes to the host.
 */
export function leastHosted(
  { placement, stages, copies }: Program,
  { hostSteps: steps, duration, single, sync }: Pick<Timing, 'hostSteps' | 'duration' | 'single' | 'sync'>,
  device: number,
): number {
  const step = steps?.[device];
  if (step === undefined) return 0;
  const longest = single?.most ?? duration;
  const tail = (buckets: readonly HostBucket[], ready: (maker: TensorMaker) => number): number =>
    runHost(
      buckets,
      buckets.map(({ maker, exchanged }) => (exchanged === true ? sync[device] : ready(maker))),
      { free: [-Infinity, -Infinity], half: false, from: step.clip ? 0 : -Infinity },
    );
  let least = Infinity;
  for (const stage of stagesOn(placement, device)) {
    if (copies !== undefined && copies.segment[stage] > 0) continue;
    const buckets = step.buckets.filter(({ maker, exchanged }) => maker.stage === stage || exchanged === true);
    for (const kind of [B, W])
      least = Math.min(
        least,
        tail(buckets, ({ whole, weight }) => -(kind === W ? weight : whole) * longest[kind * stages + stage]),
      );
  }
  return least === Infinity ? 0 : Math.max(0, least + step.gather);
}
