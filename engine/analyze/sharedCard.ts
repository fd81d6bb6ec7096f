/** `comm/shared-card`: a link through which ranks of several stages exchange, and what that costs. */
import type { Run } from '../schedule/evaluation.ts';
import type { LinkSharing, SharedLinkPlan } from '../values/exchangePlan.ts';
import { type PlanFinding, planFinding } from '../findings/finding.ts';
import { type PipelinePlan, paths } from '../values/plan.ts';
import { gradientsReady } from '../simulate/gradients.ts';
import { linkSecondsByGroup, linkSecondsOfLane } from '../simulate/sharing/linkSeconds.ts';
import { stepAt, type Timeline } from '../values/timeline.ts';
import { stageName } from '../costs/stages.ts';
import { outcomeOf } from './alternatives.ts';
import { shareOf } from './shares.ts';

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

/** Operations and pieces up to which the iteration is simulated again without sharing. */
const askUpTo = 100_000;
/** Share of the iteration that sharing must cost. */
const leastCost = 0.005;

/** At most one: a link without the time that it needs, or the one that costs most. */
export function sharedCardFinding(plan: PipelinePlan, run: Run): PlanFinding[] {
  const overfull = overfullFinding(plan, run) ?? crowdedFinding(plan, run);
  if (overfull !== undefined) return [overfull];
  const cost = costOfSharing(plan, run);
  return cost === undefined ? [] : [cost];
}

/** The link that needs longest for all that ranks send through it, if that is longer than the iteration. */
function crowdedFinding(plan: PipelinePlan, { program, report }: Run): PlanFinding | undefined {
  const { crowdedLinks = [] } = plan;
  const sums = crowdedLinks.map(({ users }) => users.reduce((sum, { bytes }) => sum + bytes, 0));
  const leastOf = (link: number): number => sums[link] / crowdedLinks[link].bandwidth;
  const [worst] = [...sums.keys()].sort((a, b) => leastOf(b) - leastOf(a));
  if (worst === undefined || program.forwardOnly === true) return undefined;
  if (leastOf(worst) <= report.iteration * rounding) return undefined;
  const { link, bandwidth, users } = crowdedLinks[worst];
  const stages = [...new Set(users.flatMap((user) => user.stages))].sort((a, b) => a - b);
  return planFinding('comm/shared-card', paths.pipeline(plan.name), {
    ...{ link, bandwidth, bytes: sums[worst], stages: namesOf(plan, stages) },
    crowded: { least: leastOf(worst), iteration: report.iteration },
  });
}

/** The fullest of the links that slow stages down. */
function costOfSharing(plan: PipelinePlan, { report, timeline }: Run): PlanFinding | undefined {
  const { linkSharing: _shared, crowdedLinks: _crowded, ...alone } = plan;
  const rows = timeline.exchange?.lanes.reduce((sum, { sent }) => sum + sent.length, 0) ?? 0;
  if (!isSlowed(timeline) || report.operations + rows > askUpTo) return undefined;
  const full = [...fullestShared(plan, timeline), ...fullestCrowded(plan)].sort((a, b) => b.full - a.full);
  if (full.length === 0) return undefined;
  const outcome = outcomeOf(alone);
  if (outcome === undefined || report.iteration - outcome.iteration < leastCost * report.iteration) return undefined;
  const [{ link, bandwidth, stages, full: least }] = full;
  const seconds = report.iteration - outcome.iteration;
  return planFinding(
    'comm/shared-card',
    paths.pipeline(plan.name),
    {
      ...{ link, bandwidth, bytes: least * bandwidth, stages: namesOf(plan, stages) },
      cost: { seconds, share: shareOf(seconds, report.iteration), full: least },
    },
    { severity: 'information' },
  );
}

/** A link that several stages use, and the seconds for which they keep it full. */
interface FullLink {
  readonly link: string;
  readonly bandwidth: number;
  readonly stages: readonly number[];
  readonly full: number;
}

function fullestShared(plan: PipelinePlan, timeline: Timeline): readonly FullLink[] {
  const { linkSharing } = plan;
  if (linkSharing === undefined) return [];
  const users = usersOf(plan, timeline, linkSharing);
  return linkSharing.links.map(({ name, bandwidth }, link) => ({
    ...{ link: name, bandwidth },
    stages: users.flatMap((user) => (user.seconds[link] > 0 ? user.stages : [])).sort((a, b) => a - b),
    full: users.reduce((sum, { seconds }) => sum + seconds[link], 0),
  }));
}

const fullestCrowded = ({ crowdedLinks = [] }: PipelinePlan): readonly FullLink[] =>
  crowdedLinks.flatMap(({ link, bandwidth, users }) => {
    if (users.length < 2) return [];
    const stages = [...new Set(users.flatMap((user) => user.stages))].sort((a, b) => a - b);
    return [{ link, bandwidth, stages, full: users.reduce((sum, { bytes }) => sum + bytes, 0) / bandwidth }];
  });

/** Gathers before the first forwards may be slower too. */
const isSlowed = ({ exchange, slowed, timing }: Timeline): boolean =>
  slowed !== undefined ||
  timing.crowd !== undefined ||
  timing.release !== undefined ||
  (exchange?.lanes.some(({ sent, back }) => sent.shared !== undefined || back?.shared !== undefined) ?? false);

interface LinkUser {
  readonly stages: readonly number[];
  /** By link, for which it keeps the link full. */
  readonly seconds: Float64Array;
}

function usersOf(plan: PipelinePlan, { timing }: Timeline, { links }: LinkSharing): readonly LinkUser[] {
  const rates = Float64Array.from(links, ({ bandwidth }) => bandwidth);
  if (timing.exchange !== undefined)
    return timing.exchange.lanes.map(({ plan: lane }) => ({
      stages: lane.stages,
      seconds: linkSecondsOfLane(rates, lane, timing.exchange?.rule.halves === 'apart'),
    }));
  return linkSecondsByGroup(timing).map(({ devices, seconds }) => ({
    stages: plan.stages.flatMap((_, stage) => (devices.includes(plan.placement[stage]) ? [stage] : [])),
    seconds,
  }));
}

const namesOf = (plan: PipelinePlan, stages: readonly number[]): readonly string[] => [
  ...new Set(stages.map((stage) => stageName(plan.stages[stage]))),
];

function overfullFinding(plan: PipelinePlan, { program, timeline, report }: Run): PlanFinding | undefined {
  const { sharedLinks = [] } = plan;
  if (sharedLinks.length === 0 || program.forwardOnly === true) return undefined;
  // Asynchronous pipelines exchange in each update: at least once in each iteration, which is all the time that they have.
  const spanOf = plan.iterations > 1 ? () => ({ from: 0, to: report.iteration }) : spansIn(timeline);
  const overfull = sharedLinks.flatMap((link) => fullest(link, spanOf) ?? []);
  if (overfull.length === 0) return undefined;
  const worst = overfull.reduce((most, each) => (each.least * most.given > most.least * each.given ? each : most));
  const { link, users, bytes, least, given } = worst;
  const stages = [...new Set(users.flatMap((user) => user.stages))].sort((a, b) => a - b);
  return planFinding('comm/shared-card', paths.pipeline(plan.name), {
    ...{ link: link.link, bandwidth: link.bandwidth, bytes, stages: namesOf(plan, stages) },
    unshared: { least, given },
  });
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
