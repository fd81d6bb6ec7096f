/** A plain simulator of rows with operations of their schedule: again and again over all operations, until nothing changes. */
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { type Program, kinds, kindOf, microbatchOf, stageOf } from '../../../engine/values/program.ts';

interface Operation {
  readonly key: string;
  readonly device: number;
  readonly seconds: number;
  readonly needs: readonly string[];
}

/**
 * The end of the last operation, seconds; undefined if some never start. Transfers do not queue: for messages that take less time
 * than the operations between them. Declared operations wait for the latency of a route only.
 */
export function slowest(plan: PipelinePlan, program: Program): number | undefined {
  const { schedule } = plan;
  if (schedule.kind !== 'rows') return undefined;
  const numberOf = (stage: number): number => plan.stages[stage].copy?.stage ?? stage;
  const named = schedule.operations;
  const waits = new Map<string, string[]>();
  const flat = named?.waits ?? [];
  const keyOf = (kind: number, stage: number, microbatch: number): string =>
    kind >= kinds
      ? `${kind} ${stage} ${microbatch}`
      : // A letter is the copy's that runs the microbatch; a backward that is not split is also its weight gradient.
        `${kind === 0 ? 'F' : kind === 3 && program.split ? 'W' : 'B'} ${numberOf(stage)} ${microbatch}`;
  for (let at = 0; at < flat.length; at += 6) {
    const [a, b, c, x, y, z] = flat.slice(at, at + 6);
    waits.set(keyOf(a, b, c), [...(waits.get(keyOf(a, b, c)) ?? []), keyOf(x, y, z)]);
  }
  const last = Math.max(...plan.stages.map((_, stage) => numberOf(stage)));
  const operations = Array.from(program.order, (word): Operation => {
    const [kind, stage, microbatch] = [kindOf(program, word), stageOf(program, word), microbatchOf(program, word)];
    const key = keyOf(kind, stage, microbatch);
    const cost = plan.stages[stage];
    const needs = [...(waits.get(key) ?? [])];
    const number = numberOf(stage);
    if (kind === 0 && number > 0) needs.push(`F ${number - 1} ${microbatch}`);
    if (kind === 1 || kind === 2) needs.push(`F ${number} ${microbatch}`);
    if ((kind === 1 || kind === 2) && number < last) needs.push(`B ${number + 1} ${microbatch}`);
    if (kind === 3) needs.push(`B ${number} ${microbatch}`);
    const seconds =
      kind >= kinds
        ? 1e-3 + plan.placement[stage] * 2e-3
        : kind === 0
          ? cost.forward
          : (kind === 3 ? 0 : cost.backwardInput) + (kind === 2 ? 0 : cost.backwardWeight);
    return { key, device: plan.placement[stage], seconds, needs };
  });
  const byKey = new Map(operations.map((operation, at) => [operation.key, at]));
  const end = new Array<number>(operations.length).fill(Infinity);
  const arrival = (from: number, to: number): number => {
    const [maker, user] = [operations[from], operations[to]];
    if (maker.device === user.device) return end[from];
    const isMessage =
      /^[FB]/.test(maker.key) && maker.key[0] === user.key[0] && !waits.get(user.key)?.includes(maker.key);
    return end[from] + 1e-3 + (isMessage ? 1e-3 : 0);
  };
  const slots: number[][] = [];
  for (let at = 0; at < operations.length; at += 1) {
    if (at > 0 && program.fused?.[at - 1] === 1) slots[slots.length - 1].push(at);
    else slots.push([at]);
  }
  for (let round = 0; round <= operations.length; round += 1) {
    const free = new Map<number, number>();
    for (const slot of slots) {
      const { device } = operations[slot[0]];
      let start = free.get(device) ?? 0;
      for (const at of slot)
        for (const need of operations[at].needs) {
          const maker = byKey.get(need);
          if (maker !== undefined) start = Math.max(start, arrival(maker, at));
        }
      const over = start + slot.reduce((sum, at) => sum + operations[at].seconds, 0);
      for (const at of slot) end[at] = over;
      free.set(device, over);
    }
  }
  const over = Math.max(0, ...end);
  return over === Infinity ? undefined : over;
}
