/** Orders from rules with conditions, limits and recomputation. */
import { type PlanFinding, planFinding } from '../findings/finding.ts';
import { type GreedyRule, type PipelinePlan, type RuleOperation, type SchedulePlan, paths } from '../values/plan.ts';
import { stageNumber } from '../costs/stages.ts';
import { type Condition, conditionOf } from '../order/rules/conditions.ts';
import { readName, readsOf } from '../order/rules/guards.ts';
import { ruleDependencies } from '../order/rules/dependencies.ts';
import { ruleMemory } from '../order/rules/memory.ts';
import { ruleSchedule } from '../order/rules/schedule.ts';
import type { BlockedOperation } from '../order/rules/work.ts';
import { E, kindOf, kinds, L, letters, operationName, type Program, R, resultOf } from '../values/program.ts';
import { bytes, time } from '../basics/quantities.ts';
import { planCopies } from './copies.ts';
import { negativeCosts } from './declaredOperations.ts';
import { evicting, evictionTicks } from './ruleEvicting.ts';
import { chosenOperations, withOperations } from './ruleOperations.ts';
import { ticksOf } from './ticks.ts';

type GreedyPlan = Extract<SchedulePlan, { readonly kind: 'greedy' }>;

/** Blocked operations that a message names. */
const mostNamed = 3;

/** Result of an operation of a rule; those that the schedule declares come last. */
const resultOfName = (name: RuleOperation, declared: readonly string[]): number => {
  const letter = (letters as readonly string[]).indexOf(name);
  return resultOf[letter >= 0 ? letter : kinds + declared.indexOf(name)];
};

/** A program, or `schedule/blocked` where the conditions of all ready operations fail while work is left. */
export function byRule(
  plan: PipelinePlan,
  schedule: GreedyPlan,
  rule: GreedyRule,
  limits: Float64Array,
): { readonly program: Program } | { readonly faults: readonly PlanFinding[] } {
  const { split } = schedule;
  const { placement, edges } = plan;
  const stages = plan.stages.length;
  const apart = new Uint8Array(stages).fill(rule.recomputes === undefined ? 0 : 1);
  const again = Uint8Array.from(plan.stages, (_, stage) =>
    rule.recomputes?.[stageNumber(plan, stage)] === true ? 1 : 0,
  );
  const foreign = readElsewhere(plan, rule);
  if (foreign !== undefined) return { faults: [foreign] };
  const evicts = rule.keeper === undefined ? undefined : evicting(plan, rule.keeper);
  const wrong = schedule.operations === undefined ? [] : negativeCosts(plan, schedule.operations);
  if (wrong.length > 0) return { faults: wrong };
  const chosen = chosenOperations(plan, schedule);
  const names = chosen?.names ?? [];
  const results = evicts === undefined && chosen === undefined ? undefined : resultOf[L] + 1 + names.length;
  const dependencies = ruleDependencies(edges, stages, again, results);
  const microbatches = plan.microbatches * plan.iterations;
  const guards = rule.guards;
  const ticks = ticksOf({ ...plan, microbatches }, dependencies, split, apart, chosen?.costs, evicts?.seconds);
  const order = ruleSchedule({
    devices: plan.devices.length,
    placement,
    microbatches,
    split,
    limits,
    again,
    dependencies,
    ticks,
    memory: ruleMemory(plan, split, { apart, again }, evicts?.keeper, chosen?.holds),
    ...(chosen === undefined
      ? {}
      : { declared: { names, numbers: chosen.numbers, waits: chosen.waits(ticks.perSecond) } }),
    ...(evicts === undefined ? {} : { keeper: evicts.keeper, evictions: evictionTicks(evicts, ticks.perSecond) }),
    copies: planCopies(plan),
    rule,
    conditions: (read) => {
      const rows: Condition[][] = Array.from({ length: Math.max(resultOf[R] + 1, results ?? 0) * stages }, () => []);
      for (let stage = 0; stage < stages; stage += 1) {
        for (const guard of guards) {
          if (guard.stage !== stageNumber(plan, stage)) continue;
          const row = resultOfName(guard.operation, names) * stages + stage;
          rows[row].push(conditionOf(guard, (what) => read(what, row)));
        }
      }
      return rows;
    },
    ...(evicts === undefined ? {} : { needsRoom: needsRoom(plan, rule, evicts.keeper, split, names) }),
    watches: guards.some(({ condition }) => JSON.stringify(condition).includes('"next"')),
  });
  const found: Program = rule.recomputes === undefined ? order.program : { ...order.program, extended: true, apart };
  const program = chosen === undefined ? found : withOperations(plan, schedule, found);
  return 'blocked' in order ? { faults: [blockedFinding(plan, program, order)] } : { program };
}

/** Result rows of operations that take bytes, and that a `limit` or, for F and L, a condition on bytes holds back. */
function needsRoom(
  plan: PipelinePlan,
  { guards, limit }: GreedyRule,
  keeper: Int32Array,
  split: boolean,
  declared: readonly string[],
): Uint8Array {
  const stages = plan.stages.length;
  const found = new Uint8Array((resultOf[L] + 1 + declared.length) * stages);
  const taking: readonly RuleOperation[] = ['F', 'L', ...(split ? (['I'] as const) : []), ...declared];
  for (const [stage, device] of plan.placement.entries()) {
    const add = (operation: RuleOperation): void => {
      found[resultOfName(operation, declared) * stages + stage] = 1;
    };
    if (limit[device] !== null) taking.forEach(add);
    if (keeper[device] < plan.devices.length && limit[keeper[device]] !== null) add('E');
    for (const { operation, stage: of, condition } of guards) {
      if (of !== stageNumber(plan, stage) || (operation !== 'F' && operation !== 'L')) continue;
      if (readsOf(condition).some(({ read }) => read === 'bytes')) add(operation);
    }
  }
  return found;
}

/** A condition that reads a stage of another device: a condition knows only its device. */
function readElsewhere(plan: PipelinePlan, { guards }: GreedyRule): PlanFinding | undefined {
  const on = new Map<number, Set<number>>();
  for (const [stage, device] of plan.placement.entries())
    on.set(device, (on.get(device) ?? new Set()).add(stageNumber(plan, stage)));
  for (const [stage, device] of plan.placement.entries()) {
    const here = on.get(device) ?? new Set();
    for (const guard of guards) {
      if (guard.stage !== stageNumber(plan, stage)) continue;
      const read = readsOf(guard.condition).find((each) => each.stage !== undefined && !here.has(each.stage));
      if (read === undefined) continue;
      const value = {
        what: `The stage of ${readName(read)} in the condition of ${guard.operation} on stage ${guard.stage}`,
        value: String(read.stage),
        allowed: `a stage of the same device: ${[...here].join(' or ')}`,
      };
      return planFinding('value/range', paths.guard(plan.name, guard.written), value);
    }
  }
  return undefined;
}

function blockedFinding(
  plan: PipelinePlan,
  program: Program,
  {
    blocked,
    seconds,
    left,
  }: { readonly blocked: readonly BlockedOperation[]; readonly seconds: number; readonly left: number },
): PlanFinding {
  // What nothing but itself keeps waiting comes first; nobody needs an E.
  const needed = blocked.filter(({ word }) => kindOf(program, word) !== E);
  const shown = (needed.length > 0 ? needed : blocked).toSorted(
    (a, b) => Number(a.waits !== undefined) - Number(b.waits !== undefined),
  );
  const named = shown.slice(0, mostNamed).map((each) => ({
    device: plan.devices[each.device].name,
    operation: operationName(program, each.word),
    reasons: reasonsOf(plan, program, each),
  }));
  const first = shown.flatMap(({ conditions }) => conditions).at(0);
  const seen = new Set<number>();
  const related = shown.flatMap(({ device, word, conditions }) =>
    conditions.flatMap(({ guard }) => {
      if (seen.has(guard.written)) return [];
      seen.add(guard.written);
      const name = `${operationName(program, word)} on ${plan.devices[device].name}`;
      return [{ at: paths.guard(plan.name, guard.written), message: `This condition keeps ${name} from starting.` }];
    }),
  );
  const at = first === undefined ? paths.key(plan.name, 'schedule') : paths.guard(plan.name, first.guard.written);
  return planFinding(
    'schedule/blocked',
    at,
    { seconds, left, blocked: named, more: shown.length - named.length },
    { related: related.slice(1) },
  );
}

/** Why an operation may not start, with the values of the moment. */
function reasonsOf(
  { devices }: PipelinePlan,
  program: Program,
  { device, conditions, limit, inFlight, waits = [] }: BlockedOperation,
): readonly string[] {
  const holder = limit === undefined || limit.owner === device ? 'the device' : devices[limit.owner].name;
  return [
    ...conditions.map(({ guard, reads }) => {
      const values = reads.map(({ what, value }) => `${readName(what)} = ${valueText(what.read, value())}`);
      return `\`${guard.text}\`${values.length === 0 ? '' : ` (${values.join(', ')})`}`;
    }),
    ...(limit === undefined ? [] : [`\`limit\` of ${bytes(limit.bytes)} (${holder} holds ${bytes(limit.held)})`]),
    ...waits.slice(0, mostNamed).map((word) => operationName(program, word)),
    ...(inFlight === undefined ? [] : [`\`in_flight\` of ${inFlight}`]),
  ];
}

const valueText = (read: string, value: number): string => {
  if (value === Infinity) return 'not known yet';
  if (read === 'bytes' || read === 'activation') return bytes(value);
  return read === 'next' || read === 'time' ? time(value) : String(value);
};
