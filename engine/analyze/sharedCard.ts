/** `comm/shared-card`: a link through which several stages exchange more than it can carry in the time that they are given. */
import type { Run } from '../evaluation.ts';
import type { SharedLinkPlan } from '../exchangePlan.ts';
import { type PlanFinding, planFinding } from '../findings/finding.ts';
import { type PipelinePlan, paths } from '../plan.ts';
import { gradientsReady } from '../simulate/gradients.ts';
import { stepAt, type Timeline } from '../timeline.ts';

/** Seconds between which ranks exchange all of their gradients. */
interface Span {
  readonly from: number;
  readonly to: number;
}

interface Overfull {
  readonly link: SharedLinkPlan;
  readonly users: SharedLinkPlan['users'];
  readonly bytes: number;
  readonly least: number;
  readonly given: number;
}

/** Rounding may leave less time than bytes take. */
const rounding = 1 + 1e-6;

/** At most one: the link that has the least of the time that it needs. Asynchronous pipelines exchange in each update, and are left out. */
export function sharedCardFinding(plan: PipelinePlan, { program, timeline }: Run): PlanFinding[] {
  const { sharedLinks = [] } = plan;
  if (sharedLinks.length === 0 || plan.iterations > 1 || program.forwardOnly === true) return [];
  const spanOf = spansIn(timeline);
  const overfull = sharedLinks.flatMap((link) => fullest(link, spanOf) ?? []);
  if (overfull.length === 0) return [];
  const worst = overfull.reduce((most, each) => (each.least * most.given > most.least * each.given ? each : most));
  const { link, users, bytes, least, given } = worst;
  const stages = [...new Set(users.flatMap((user) => user.stages))].sort((a, b) => a - b);
  return [
    planFinding('comm/shared-card', paths.pipeline(plan.name), {
      ...{ link: link.link, bandwidth: link.bandwidth, bytes, least, given },
      stages: [...new Set(stages.map((stage) => plan.stages[stage].name))],
    }),
  ];
}

/** The users that exchange all of their bytes between two moments, and need more than the time between them. */
function fullest(link: SharedLinkPlan, spanOf: (devices: readonly number[]) => Span): Overfull | undefined {
  const users = link.users.map((user) => ({ user, span: spanOf(user.devices) })).sort((a, b) => a.span.to - b.span.to);
  let worst: Overfull | undefined;
  for (const from of new Set(users.map(({ span }) => span.from))) {
    const within: SharedLinkPlan['users'][number][] = [];
    let bytes = 0;
    for (const { user, span } of users) {
      if (span.from < from) continue;
      within.push(user);
      bytes += user.bytes;
      const [least, given] = [bytes / link.bandwidth, span.to - from];
      if (within.length < 2 || least <= given * rounding) continue;
      if (worst === undefined || least * worst.given > worst.least * given)
        worst = { link, users: [...within], bytes, least, given };
    }
  }
  return worst;
}

/** From the first piece to the last; without a rule from the first gradients that are ready on. */
function spansIn(timeline: Timeline): (devices: readonly number[]) => Span {
  const { exchange, timing, exchanged } = timeline;
  if (exchange !== undefined)
    return (devices) => {
      const lanes = exchange.lanes.filter(({ plan }) => plan.devices.includes(devices[0]));
      let [from, to] = [Infinity, -Infinity];
      for (const { sent, back } of lanes)
        for (const { length, start, end } of back === undefined ? [sent] : [sent, back])
          for (let row = 0; row < length; row += 1) {
            from = Math.min(from, start[row]);
            to = Math.max(to, end[row]);
          }
      return { from, to };
    };
  const ready = timeline.last.map((_, device) => stepAt(timeline, device));
  const readyAt = gradientsReady(timeline);
  for (const { members } of timing.buckets ?? [])
    for (const member of members) ready[member.device] = Math.min(ready[member.device], readyAt(member));
  return (devices) => ({
    from: devices.reduce((first, device) => Math.min(first, ready[device]), Infinity),
    to: devices.reduce((last, device) => Math.max(last, exchanged[device]), -Infinity),
  });
}
