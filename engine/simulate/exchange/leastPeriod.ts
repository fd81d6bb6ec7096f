/** Periods that no order and no pieces of given buckets can be under. */
import type { ExchangeTiming } from '../../values/exchangeTimeline.ts';
import type { Timeline, Timing } from '../../values/timeline.ts';
import { leastSeconds } from './callParts.ts';
import type { LaneProblem } from './lane.ts';
import { laneBound } from './laneBound.ts';
import { linkSecondsOfLane } from '../sharing/linkSeconds.ts';
import { waitsOfOperations } from './paths.ts';
import { rowTimes } from './rowTimes.ts';
import type { FirstForward } from './runForward.ts';

/**
 * Whatever the order of operations: every device must compute and step, every lane must carry its buckets, and every link what lanes
 * send through it. If there is only one
 * device, what is ready and what follows is known too.
 */
export function leastPeriod(
  { program, busy, last }: Timeline,
  timing: Timing,
  { rule, links }: ExchangeTiming,
  problems: readonly LaneProblem[],
): number {
  let least = links === undefined ? 0 : fullestLink(links, problems);
  for (let device = 0; device < program.devices; device += 1)
    least = Math.max(least, busy[device] + timing.sync[device] + timing.optimizer[device]);
  for (const problem of problems) {
    if (program.devices === 1) {
      const finish = laneBound(problem, rule.barrier);
      const after = rule.barrier ? timing.sync[0] + timing.optimizer[0] : -last[0];
      least = Math.max(least, finish + after);
      continue;
    }
    const carried = problem.calls.reduce((sum, { push, halves }, call) => {
      const bytes = problem.tensors.reduce((all, each) => all + (each.call === call ? each.bytes : 0), 0);
      const first = problem.rule.halves === 'apart' ? (halves?.scatter ?? push) : push;
      return bytes > 0 ? sum + leastSeconds(first, bytes) : sum;
    }, 0);
    least = Math.max(least, carried);
  }
  return least;
}

/** A link carries all bytes that lanes send through it in each iteration. */
function fullestLink(links: Float64Array, problems: readonly LaneProblem[]): number {
  const seconds = problems.map((problem) => linkSecondsOfLane(links, problem, problem.rule.halves === 'apart'));
  return links.reduce(
    (most, _, link) =>
      Math.max(
        most,
        seconds.reduce((sum, each) => sum + each[link], 0),
      ),
    0,
  );
}

/** Operations times stages, up to which paths between operations are found. */
const mostSteps = 4_000_000;

/**
 * Without a barrier, and with this order of operations. Take any tensors of a device, of which c arrives last and b gets ready first. From
 * the step of c's layer on, the device has D seconds of work until b is ready. Then the lane has all of them to send, before that layer
 * steps again. So a period is at least D and these seconds. D = q(c) + r(b): q is the work from the layer's step to the end of the
 * iteration, and −r the work after b is ready. Work of other devices between both counts as well.
 */
export function leastPeriodInOrder(
  timeline: Timeline,
  exchange: ExchangeTiming,
  problems: readonly LaneProblem[],
  forwards: readonly FirstForward[],
): number {
  const { program } = timeline;
  // Its tensors have been looked at.
  if (program.devices === 1) return 0;
  const isQuick = program.order.length * program.stages <= mostSteps && program.fused === undefined;
  const waits = isQuick ? waitsOfOperations(timeline) : undefined;
  let least = 0;
  exchange.lanes.forEach((lane, index) => {
    for (const device of lane.plan.devices)
      for (const times of rowTimes(timeline, { device, lane, index, forwards, waits }))
        least = Math.max(least, laneBound(problems[index], false, times));
  });
  return least;
}
