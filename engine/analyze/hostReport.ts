/** What a device does with the memory of its host (E to the host, and L back). */
import type { PipelinePlan } from '../plan.ts';
import { E, kindOf, stageOf } from '../program.ts';
import type { HostReport } from '../report.ts';
import { hostTrack } from '../simulate/hostMemory.ts';
import type { Timeline } from '../timeline.ts';
import { exposedToHost } from './exposedToHost.ts';
import type { Steady } from './steady.ts';

/** Undefined for a device that sends nothing to its host. Bytes and seconds of one iteration. */
export function hostReport(
  plan: PipelinePlan,
  timeline: Timeline,
  device: number,
  steady: Steady | undefined,
): HostReport | undefined {
  const { program } = timeline;
  const { offsets, order } = program;
  const link = plan.devices[device].host;
  const track = hostTrack(plan, timeline, device);
  if (link === undefined || track === undefined) return undefined;
  let sent = 0;
  for (let at = offsets[device]; at < offsets[device + 1]; at += 1)
    if (kindOf(program, order[at]) === E) sent += plan.stages[stageOf(program, order[at])].activation;
  const bytes = sent / plan.iterations;
  return {
    peak: track.bytes.reduce((most, level) => Math.max(most, level), 0),
    bytes,
    busy: bytes / link.bandwidth,
    exposed: exposedToHost(timeline, device, steady?.window) / (steady?.window.minibatches ?? 1),
  };
}
