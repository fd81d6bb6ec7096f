import type { Run } from '../schedule/evaluation.ts';
import { advisedSteps, type SlowAdvice } from '../basics/advice.ts';
import { toEnd } from '../basics/steps.ts';
import { type BubbleHelp, compareHelp, gains } from '../findings/bubbleHelp.ts';
import { latePlanFinding, type PlanFinding, planFinding } from '../findings/finding.ts';
import type { EngineOptions } from '../basics/host.ts';
import { type PipelinePlan, type SchedulePlan, paths, setsWork } from '../values/plan.ts';
import { runnersOf, runnerWords, runsOrder } from '../engines/runners.ts';
import { lostLimit } from '../policies/lostLimit.ts';
import { findPolicy } from '../policies/registry.ts';
import { hopsOf } from '../simulate/hops.ts';
import { type Outcome, outcomeOf, underPolicy } from './alternatives.ts';
import { boundOrders, withinWords } from './boundWithin.ts';
import { exchangeFinding } from './exchangeFinding.ts';
import { bubbleSteps } from './pipelineReport.ts';
import { exposedFinding, linkName } from './exposedFinding.ts';
import { bubbleCauses, type BubbleReport, causeNames } from '../values/report.ts';
import { sharedCardFinding } from './sharedCard.ts';
import { shareOf } from './shares.ts';

/** Other choices are simulated only while that is cheap. */
const askUpTo = 100_000;

/** `schedule/bubble`: a warning over the threshold, otherwise an information, with the change that helped most in simulation. */
export function bubbleFinding(plan: PipelinePlan, run: Run, options: EngineOptions): PlanFinding[] {
  const { bubble } = run.report;
  if (bubble.makespan < 0.0005) return [];
  // Neither the bound nor other choices are needed to know that there is a finding.
  let help: readonly BubbleHelp[] | undefined;
  const helpSteps = () => advisedSteps(bubbleHelp, plan, run);
  const parameters = () => ({
    ...{ bubble: bubble.makespan, causes: causesOf(bubble), bound: bubble.bound, help: (help ??= toEnd(helpSteps())) },
    within: withinWords(run.report),
    ...(bubble.bound_backward === 'whole' ? { orders: boundOrders(run.report) } : {}),
    ...(run.report.exchange === undefined ? {} : { exchange: true as const }),
    ...(run.report.lengths === undefined || (bubble.causes.lengths ?? 0) < 0.005
      ? {}
      : { longest: run.report.lengths.longest }),
  });
  // Where a device is only loaded and run once, a lane that is done with its part has no more to do.
  const severity =
    bubble.makespan > options.thresholds.bubble && run.program.forwardOnly !== true ? 'warning' : 'information';
  const hint = { kind: 'tune', pipeline: plan.name } as const;
  function* before() {
    yield* bubbleSteps(bubble);
    help ??= yield* helpSteps();
  }
  return [latePlanFinding('schedule/bubble', paths.key(plan.name, 'schedule'), parameters, severity, hint, before)];
}

const causesOf = ({ causes }: BubbleReport): (readonly [string, number])[] =>
  bubbleCauses
    .filter((cause) => (causes[cause] ?? 0) >= 0.0005)
    .map((cause) => [causeNames[cause], causes[cause] ?? 0] as const)
    .sort((a, b) => b[1] - a[1]);

/** Changes that a bubble names. They are looked for when its message is read, so they are separate advice. */
export const bubbleHelp: SlowAdvice<[PipelinePlan, Run], undefined, readonly BubbleHelp[]> = {
  name: 'help for a bubble',
  *steps(plan, { program, report }) {
    return program.forwardOnly !== true && report.asynchronous === undefined && report.operations <= askUpTo
      ? yield* whatHelps(plan, { report })
      : [];
  },
  otherwise: [],
};

/** Pieces that the policy cuts each microbatch of the file into. */
const partsOf = (schedule: SchedulePlan): number =>
  schedule.kind === 'policy' ? (findPolicy(schedule.name)?.parts?.(schedule.args) ?? 1) : 1;

/** The best of a few simulated changes; empty where none gains a point. */
function* whatHelps(
  plan: PipelinePlan,
  { report }: Pick<Run, 'report'>,
): Generator<undefined, readonly BubbleHelp[], void> {
  const { makespan: bubble } = report.bubble;
  const doubled = 2 * plan.microbatches;
  const choices: { readonly plan: PipelinePlan; readonly change: Change }[] = [];
  if (plan.schedule.kind === 'policy')
    choices.push({
      plan: { ...plan, microbatches: doubled },
      change: { microbatches: doubled / partsOf(plan.schedule) },
    });
  // Alpa's planner knows some schedules only, and another one has another plan: whoever has the text tries those.
  // These policies put one stage of the cut on each device, and know no copies.
  const isPlain = plan.stages.length === plan.devices.length && plan.stages.every(({ copy }) => copy === undefined);
  if (isPlain && !setsWork(plan.schedule) && plan.cut?.planner !== 'alpa') {
    for (const schedule of ['zb_h1', 'eager_1f1b']) {
      const without = lostLimit(plan.schedule, findPolicy(schedule));
      const choice = underPolicy(plan, schedule);
      if (!runsOrder(choice)) continue;
      choices.push({
        plan: choice,
        change: { schedule, ...(without === undefined ? {} : { without }), ...runsOn(choice) },
      });
    }
  }
  const better: { readonly help: BubbleHelp; readonly outcome: Outcome }[] = [];
  for (const { plan: choice, change } of choices) {
    const outcome = outcomeOf(choice);
    yield;
    if (outcome !== undefined && gains(bubble, outcome.bubble))
      better.push({ help: { ...change, bubble: outcome.bubble }, outcome });
  }
  const best: BubbleHelp[] = [];
  for (const { help, outcome } of better.toSorted((a, b) => compareHelp(a.help, b.help))) {
    if (best.length < 2 && outcome.fits() && outcome.meets(report)) best.push(help);
    yield;
  }
  return best;
}

const runsOn = (plan: PipelinePlan): { readonly runsOn?: string } => {
  const runners = plan.engines?.chosen === undefined ? runnersOf(plan) : undefined;
  return runners === undefined ? {} : { runsOn: runnerWords(runners) };
};

type Change = { readonly microbatches: number } | Omit<Extract<BubbleHelp, { readonly schedule: string }>, 'bubble'>;

/** `comm/exposed` where communication is not hidden, and `comm/bottleneck-link` for busy links. */
export function linkFindings(plan: PipelinePlan, run: Run, options: EngineOptions): PlanFinding[] {
  const { report } = run;
  const cause = exchangeFinding(plan, run, options);
  const found = cause === undefined ? [] : [cause];
  found.push(...exposedFinding(plan, run, options, cause === undefined ? [] : ['sync']));
  found.push(...sharedCardFinding(plan, run));
  const busyOf = new Map<number, number>();
  plan.routes.forEach((route, index) => {
    for (const { channel, bandwidth } of hopsOf(route))
      busyOf.set(channel, (busyOf.get(channel) ?? 0) + report.links[index].bytes / bandwidth);
  });
  report.links.forEach((link, index) => {
    const busiest = hopsOf(plan.routes[index]).reduce((most, hop) => Math.max(most, busyOf.get(hop.channel) ?? 0), 0);
    const busy = shareOf(busiest, report.iteration);
    if (busy <= options.thresholds.linkBusy) return;
    const { from, to } = plan.routes[index];
    found.push(
      planFinding(
        'comm/bottleneck-link',
        paths.route(plan.name, from, to),
        { link: linkName(link), share: busy },
        { about: { kind: 'link', name: linkName(link) }, hint: { kind: 'tune', pipeline: plan.name } },
      ),
    );
  });
  return found;
}
