/** What a device does with the memory of its host: activations (E to the host and L back, or by layers), and a part of the optimizer. */
import type { PipelinePlan } from '../values/plan.ts';
import { E, kindOf, microbatchesOf, stageOf } from '../values/program.ts';
import type { HostOptimizerReport, HostReport } from '../values/report.ts';
import { hostTrack } from '../simulate/hostMemory.ts';
import { stagesOn } from '../basics/stagesOn.ts';
import type { Timeline } from '../values/timeline.ts';
import { exposedToHost } from './exposedToHost.ts';
import type { Steady } from './steady.ts';

/** Undefined for a device that keeps nothing on its host. Bytes and seconds of one iteration. */
export function hostReport(
  plan: PipelinePlan,
  timeline: Timeline,
  device: number,
  steady: Steady | undefined,
): HostReport | undefined {
  const { program } = timeline;
  const link = plan.devices[device].host;
  const track = hostTrack(plan, timeline, device);
  const optimizer = optimizerReport(plan, timeline, device);
  if (track === undefined) return undefined;
  const layers = byLayers(plan, timeline, device);
  const evicted = link === undefined ? 0 : evictedBytes(plan, program, device) / plan.iterations;
  const waits = exposedToHost(timeline, device, steady?.window) / (steady?.window.minibatches ?? 1);
  const copied = evicted + layers.bytes;
  const busy = (link === undefined || evicted === 0 ? 0 : evicted / link.bandwidth) + layers.busy;
  const [out, back] = copies(plan, device);
  return {
    peak: track.bytes.reduce((most, level) => Math.max(most, level), 0),
    bytes: copied + (optimizer?.sent ?? 0),
    ...(optimizer === undefined ? {} : { back: copied + optimizer.returned }),
    busy: busy + Math.max(out, back),
    exposed: waits + layers.exposed + (optimizer?.exposed ?? 0),
    ...(optimizer === undefined ? {} : { optimizer }),
  };
}

function evictedBytes(plan: PipelinePlan, program: Timeline['program'], device: number): number {
  const { offsets, order } = program;
  if (program.partner?.[device] !== program.devices + device) return 0;
  let sent = 0;
  for (let at = offsets[device]; at < offsets[device + 1]; at += 1)
    if (kindOf(program, order[at]) === E) sent += plan.stages[stageOf(program, order[at])].activation;
  return sent;
}

/** Copies within forwards and backwards: bytes and seconds of one direction, and seconds by which they make operations longer. */
function byLayers(plan: PipelinePlan, { program }: Timeline, device: number) {
  const sums = { bytes: 0, busy: 0, exposed: 0 };
  for (const stage of stagesOn(plan.placement, device)) {
    const { offloaded } = plan.stages[stage];
    if (offloaded === undefined) continue;
    const times = microbatchesOf(program, stage) / plan.iterations;
    sums.bytes += times * offloaded.bytes;
    sums.busy += times * offloaded.busy;
    sums.exposed += times * (offloaded.exposed + (program.split ? offloaded.split : 0));
  }
  return sums;
}

/** Seconds of the optimizer's copies out and back; on a link of one line they add up. */
function copies(plan: PipelinePlan, device: number): readonly [number, number] {
  const buckets = plan.step[device].host?.stages.flatMap((stage) => stage.buckets) ?? [];
  const out = buckets.reduce((sum, bucket) => sum + bucket.out, 0);
  const back = buckets.reduce((sum, bucket) => sum + bucket.back, 0);
  return plan.devices[device].host?.half === true ? [out + back, out + back] : [out, back];
}

function optimizerReport(
  plan: PipelinePlan,
  { hosted, exchanged, timing }: Timeline,
  device: number,
): HostOptimizerReport | undefined {
  const { host } = plan.step[device];
  if (host === undefined || hosted === undefined) return undefined;
  const { sent, returned, kept, stages } = host;
  return {
    kept,
    sent,
    returned,
    update: stages.reduce((sum, { buckets }) => buckets.reduce((all, { step }) => all + step, sum), 0),
    exposed: Math.max(0, hosted[device] - exchanged[device] - timing.optimizer[device]),
  };
}
