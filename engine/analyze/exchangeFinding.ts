/** Why the device that waits longest for gradients does so, and what helps: the largest cause of a rule of exchange. */
import type { Run } from '../schedule/evaluation.ts';
import type { CallLimit, ExchangePlan, ExchangeRule } from '../values/exchangePlan.ts';
import { type PlanFinding, planFinding } from '../findings/finding.ts';
import type { EngineOptions } from '../basics/host.ts';
import { type PipelinePlan, paths } from '../values/plan.ts';
import type { ExchangeReport } from '../values/exchangeReport.ts';
import { outcomeOf } from './alternatives.ts';
import { type ExchangeCause, exchangeCauses, type Sizes } from './exchangeCauses.ts';
import { shareOf } from './shares.ts';

/** Other rules and calls are simulated only while that is cheap: operations and pieces. */
const askUpTo = 10_000;
/** Share of the iteration that one of them must save. */
const leastGain = 0.005;

/** At most one. `undefined` where no cause reaches the threshold: `comm/exposed` then says how long devices wait. */
export function exchangeFinding(plan: PipelinePlan, run: Run, options: EngineOptions): PlanFinding | undefined {
  const { exchange } = plan;
  const report = run.report.exchange;
  if (exchange === undefined || report === undefined) return undefined;
  const { exposed, period } = report;
  const threshold = options.thresholds.exposed * period;
  if (exposed.total <= threshold) return undefined;
  const isCheap = isSmall(run);
  const slow = isCheap ? slowMachines(plan, exchange, run) : undefined;
  const causes = exchangeCauses
    .map((cause) => ({ cause, seconds: cause.seconds(exposed, exchange) }))
    .filter(({ seconds }) => seconds > threshold)
    .sort((a, b) => b.seconds - a.seconds);
  // A rule is named only if it saves as much as machines would.
  const least = Math.max(leastGain * period, (slow?.saved ?? 0) > threshold ? (slow?.saved ?? 0) : 0);
  for (const { cause, seconds } of causes) {
    const outcome = isCheap ? tried(plan, exchange, report, cause) : undefined;
    if (outcome !== undefined && outcome.best < least) continue;
    const { advised: saved = 0 } = outcome ?? {};
    return planFinding(
      cause.code,
      paths.key(plan.name, 'sync'),
      {
        ...{ device: exposed.device, seconds, share: shareOf(seconds, period) },
        ...detailsOf(exchange.rule),
        ...(saved >= leastGain * period ? { saved, savedShare: shareOf(saved, period) } : {}),
      },
      { hint: { kind: 'tune', pipeline: plan.name } },
    );
  }
  return slow !== undefined && slow.saved > threshold
    ? machineFinding(plan, slow.limit, slow.saved, period)
    : undefined;
}

const detailsOf = ({ barrier, partition }: ExchangeRule) => ({ barrier, whole: partition === 'whole' });

function isSmall({ report, timeline }: Run): boolean {
  const rows = timeline.exchange?.lanes.reduce((sum, { sent }) => sum + sent.length, 0) ?? 0;
  return report.operations <= askUpTo && rows <= askUpTo;
}

interface Tried {
  /** Seconds of an iteration that the best of the rules against a cause saves. */
  readonly best: number;
  /** The same among rules that keep their buckets: sizes of buckets are no part of what messages advise. */
  readonly advised: number;
}

/** What the rules against a cause save. */
function tried(
  plan: PipelinePlan,
  exchange: ExchangePlan,
  { period, partition, credit }: ExchangeReport,
  { remedies }: ExchangeCause,
): Tried {
  const { rule } = exchange;
  // Sizes that have been found stay as they are: searching them again for each rule takes long.
  const found: ExchangeRule = {
    ...rule,
    bucket: rule.bucket === 'best' ? 'layer' : rule.bucket,
    partition: rule.partition === 'best' ? (partition ?? 'whole') : rule.partition,
    credit: rule.credit === 'best' ? (credit ?? 'piece') : rule.credit,
  };
  let [best, advised] = [0, 0];
  for (const remedy of remedies(found, sizesOf(exchange))) {
    const outcome = outcomeOf({ ...plan, exchange: { ...exchange, rule: remedy } });
    if (outcome === undefined) continue;
    best = Math.max(best, period - outcome.iteration);
    if (remedy.bucket === found.bucket) advised = Math.max(advised, period - outcome.iteration);
  }
  return { best, advised };
}

function sizesOf({ lanes }: ExchangePlan): Sizes {
  const sizes = lanes.map(({ tensors }) => ({
    tensor: tensors.reduce((most, { bytes }) => Math.max(most, bytes), 0),
    lane: tensors.reduce((sum, { bytes }) => sum + bytes, 0),
  }));
  return {
    tensor: sizes.reduce((most, { tensor }) => Math.max(most, tensor), 0),
    lane: sizes.reduce((most, { lane }) => Math.max(most, lane), 0),
  };
}

interface SlowMachines {
  readonly limit: CallLimit;
  /** Seconds of an iteration, simulated. */
  readonly saved: number;
}

/** Servers or links that make calls slow, with what the iteration would save without them. */
function slowMachines(plan: PipelinePlan, exchange: ExchangePlan, { report }: Run): SlowMachines | undefined {
  // A pipeline has one collective, so its limits are of one kind.
  const limit = exchange.lanes.flatMap(({ calls }) => calls.flatMap((call) => call.limit ?? [])).at(0);
  if (limit === undefined) return undefined;
  const lanes = exchange.lanes.map((lane) => ({
    ...lane,
    calls: lane.calls.map((call) =>
      call.limit === undefined
        ? call
        : { ...call.limit.without, ...(call.links === undefined ? {} : { links: call.links }) },
    ),
  }));
  const outcome = outcomeOf({ ...plan, exchange: { ...exchange, lanes } });
  return outcome === undefined ? undefined : { limit, saved: report.iteration - outcome.iteration };
}

function machineFinding(plan: PipelinePlan, limit: CallLimit, seconds: number, period: number): PlanFinding {
  const extras = { hint: { kind: 'tune', pipeline: plan.name } } as const;
  const saved = { seconds, share: shareOf(seconds, period) };
  if (limit.kind === 'servers') {
    const { workers, servers, enough } = limit;
    const at = paths.key(plan.name, 'collective');
    return planFinding('comm/server-bottleneck', at, { ...saved, workers, servers, enough }, extras);
  }
  const { link, others, bandwidth, collective } = limit;
  // The pipeline may say no collective.
  const at = paths.key(plan.name, 'sync');
  return planFinding('comm/slow-fabric', at, { ...saved, link, others, bandwidth, collective }, extras);
}
