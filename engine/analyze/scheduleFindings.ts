import type { Run } from '../evaluate.ts';
import { type PlanFinding, planFinding } from '../findings/finding.ts';
import type { EngineOptions } from '../host.ts';
import { type PipelinePlan, paths } from '../plan/plan.ts';
import { share } from '../quantities.ts';
import { hidingWarmup } from '../schedule/hidingWarmup.ts';
import { outcomeOf, underPolicy } from './alternatives.ts';
import { bubbleCauses, causeNames } from './report.ts';

/** Other choices are simulated only while that is cheap. */
const askUpTo = 100_000;

/** `schedule/bubble`: a warning over the threshold, else an information, with what was simulated to help most. */
export function bubbleFinding(plan: PipelinePlan, run: Run, options: EngineOptions): PlanFinding[] {
  const { bubble } = run.report;
  if (bubble.makespan < 0.0005) return [];
  const causes = bubbleCauses
    .filter((cause) => bubble.causes[cause] >= 0.0005)
    .map((cause) => [causeNames[cause], bubble.causes[cause]] as const)
    .sort((a, b) => b[1] - a[1]);
  const help = run.report.operations <= askUpTo ? whatHelps(plan, bubble.makespan) : '';
  return [
    planFinding(
      'schedule/bubble',
      paths.key(plan.name, 'schedule'),
      { bubble: bubble.makespan, causes, bound: bubble.bound, help },
      { severity: bubble.makespan > options.thresholds.bubble ? 'warning' : 'information' },
    ),
  ];
}

/** The best of a few simulated changes, worded with its figure; empty where none gains a point. */
function whatHelps(plan: PipelinePlan, bubble: number): string {
  const doubled = 2 * plan.microbatches;
  const choices: { readonly plan: PipelinePlan; readonly words: string }[] = [];
  if (plan.schedule.kind === 'policy')
    choices.push({ plan: { ...plan, microbatches: doubled }, words: `With ${doubled} microbatches` });
  if (plan.stages.length === plan.devices.length) {
    for (const name of ['zb_h1', 'eager_1f1b']) choices.push({ plan: underPolicy(plan, name), words: `Under ${name}` });
  }
  const outcomes = choices.flatMap(({ plan: choice, words }) => {
    const outcome = outcomeOf(choice);
    return outcome !== undefined && outcome.fits && outcome.bubble < bubble - 0.01
      ? [{ words, bubble: outcome.bubble }]
      : [];
  });
  if (outcomes.length === 0) return '';
  const best = outcomes.sort((a, b) => a.bubble - b.bubble).slice(0, 2);
  return best.map(({ words, bubble: left }) => `${words} it would be ${share(left)}.`).join(' ');
}

/** `comm/exposed` where devices wait for transfers for more than the threshold, and `comm/bottleneck-link` for busy links. */
export function linkFindings(plan: PipelinePlan, run: Run, options: EngineOptions): PlanFinding[] {
  const { report, timeline } = run;
  const found: PlanFinding[] = [];
  const waited = report.links.reduce((sum, link) => sum + link.exposed, 0);
  const waitedShare = report.iteration > 0 ? waited / (report.devices.length * report.iteration) : 0;
  if (waitedShare > options.thresholds.exposed) {
    const worst = report.links.reduce(
      (most, link, index) => (link.exposed > report.links[most].exposed ? index : most),
      0,
    );
    const warmup = plan.schedule.kind === 'policy' && plan.schedule.name === '1f1b' ? hidingWarmup(plan) : undefined;
    const better = warmup === undefined ? undefined : outcomeOf(underPolicy(plan, '1f1b', { warmup }));
    found.push(
      planFinding(
        'comm/exposed',
        paths.route(plan.name, plan.routes[worst].from, plan.routes[worst].to),
        { link: linkName(report.links[worst]), exposed: waited, share: waitedShare },
        warmup !== undefined && better !== undefined && better.iteration < 0.99 * report.iteration
          ? { hint: { kind: 'warmup', pipeline: plan.name, warmup } }
          : {},
      ),
    );
  }
  report.links.forEach((link, index) => {
    const sharing = plan.routes.flatMap((route, other) =>
      route.channel === plan.routes[index].channel ? [report.links[other].busy] : [],
    );
    const busy = sharing.reduce((sum, one) => sum + one, 0) / timeline.makespan;
    if (busy <= options.thresholds.linkBusy) return;
    const { from, to } = plan.routes[index];
    found.push(
      planFinding('comm/bottleneck-link', paths.route(plan.name, from, to), { link: linkName(link), share: busy }),
    );
  });
  return found;
}

const linkName = (link: { readonly from: string; readonly to: string }) => `${link.from} → ${link.to}`;
