/**
 * Iterations of a pipeline without a barrier, one operation after the other and layer by layer, as plain objects. It runs a fixed number
 * of them, in whole nanoseconds, so that rounding decides nothing. It shares no code with the engine but the plan's numbers and the order
 * of the program.
 */
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { B, F, kindOf, microbatchOf, type Program, stageOf } from '../../../engine/values/program.ts';
import { plainForward } from './plainForward.ts';
import { referenceLane } from './referenceLane.ts';

const nanoseconds = (seconds: number): number => Math.round(seconds * 1e9);

/** Ends of the iterations, seconds. For linear costs, and whole backwards. `orders`: by lane and tensor, its place; by the rule where absent. */
export function referenceEnds(
  plan: PipelinePlan,
  program: Program,
  optimizer: readonly number[],
  transfer: number,
  iterations: number,
  orders?: readonly (readonly number[])[],
): number[] {
  const { exchange, stages } = plan;
  if (exchange === undefined) return [];
  const rows = Array.from({ length: program.devices }, (_, device) =>
    Array.from(program.order.slice(program.offsets[device], program.offsets[device + 1]), (word) => ({
      kind: kindOf(program, word),
      stage: stageOf(program, word),
      microbatch: microbatchOf(program, word),
    })),
  );
  const stepBytes = rows.map((_, device) =>
    exchange.lanes.reduce(
      (sum, lane) =>
        sum + lane.tensors.reduce((all, { bytes, stage }) => all + (plan.placement[stage] === device ? bytes : 0), 0),
      0,
    ),
  );
  const free = rows.map(() => 0);
  let arrival: Map<string, number> | undefined;
  const ends: number[] = [];
  for (let iteration = 0; iteration < iterations; iteration += 1) {
    const done = new Map<string, { start: number; end: number }>();
    const seen = new Set<number>();
    const next = rows.map(() => 0);
    for (let moved = true; moved;) {
      moved = false;
      rows.forEach((row, device) => {
        for (; next[device] < row.length; next[device] += 1) {
          const { kind, stage, microbatch } = row[next[device]];
          const inputs = kind === F ? (stage > 0 ? [`F${stage - 1} ${microbatch}`] : []) : [`F${stage} ${microbatch}`];
          if (kind === B && stage + 1 < stages.length) inputs.push(`B${stage + 1} ${microbatch}`);
          const made = inputs.map((input) => done.get(input));
          if (made.some((input) => input === undefined)) return;
          const delay = (input: string): number =>
            plan.placement[Number(input.slice(1, input.indexOf(' ')))] === device ? 0 : nanoseconds(transfer);
          let now = Math.max(free[device], ...made.map((input, at) => (input?.end ?? 0) + delay(inputs[at])));
          const start = now;
          if (kind === F) {
            const { forward } = stages[stage];
            const tensors = exchange.lanes.flatMap((lane) =>
              lane.tensors.flatMap((tensor, at) =>
                tensor.stage === stage ? [{ ...tensor, there: arrival?.get(`${lane.name} ${at}`) ?? 0 }] : [],
              ),
            );
            const isFirst = !seen.has(stage) && arrival !== undefined && tensors.length > 0;
            seen.add(stage);
            const input = Math.max(...made.map((each, at) => (each?.end ?? 0) + delay(inputs[at])), 0);
            now = isFirst
              ? plainForward(
                  [{ before: 0, bytes: 0, there: 0 }, ...tensors].map(({ before, bytes, there }, at) => ({
                    forward: nanoseconds(((tensors.at(at)?.before ?? 1) - before) * forward),
                    step: nanoseconds((optimizer[device] * bytes) / stepBytes[device]),
                    there,
                  })),
                  { from: free[device], input },
                )
              : now + nanoseconds(forward);
          } else now += nanoseconds(stages[stage].backwardInput + stages[stage].backwardWeight);
          done.set(`${kind === F ? 'F' : 'B'}${stage} ${microbatch}`, { start, end: now });
          free[device] = now;
          moved = true;
        }
      });
    }
    ends.push(Math.max(...free) / 1e9);
    // A device that exchanges nothing steps at once.
    stepBytes.forEach((bytes, device) => {
      if (bytes === 0) free[device] += nanoseconds(optimizer[device]);
    });
    arrival = new Map();
    for (const [number, lane] of exchange.lanes.entries()) {
      const ready = lane.tensors.map(({ stage, left }) => {
        const { backwardInput, backwardWeight } = stages[stage];
        const last = Math.max(
          ...Array.from({ length: program.microbatches }, (_, each) => done.get(`B${stage} ${each}`)?.end ?? 0),
        );
        return last - nanoseconds(left.input * backwardInput + left.weight * backwardWeight);
      });
      const { push } = lane.calls[0];
      const [fixed, perByte] = push.kind === 'linear' ? [push.fixed, push.perByte] : [NaN, NaN];
      const { rule } = exchange;
      const found = referenceLane({
        tensors: lane.tensors.map(({ bytes }, at) => ({
          bytes,
          ready: ready[at],
          urgency: orders?.[number]?.[at] ?? (rule.order === 'forward' ? at : 0),
        })),
        buckets: lane.tensors.map((_, at) => [lane.tensors.length - 1 - at]),
        push: (bytes) => nanoseconds(fixed + perByte * bytes),
        piece: typeof rule.partition === 'number' ? rule.partition : Infinity,
        credit: rule.credit === 'piece' ? { pieces: 1 } : { bytes: rule.credit === 'unlimited' ? Infinity : NaN },
        strict: false,
        ack: 0,
        early: false,
      });
      for (const [at, time] of found.arrival.entries()) arrival.set(`${lane.name} ${at}`, time);
    }
  }
  return ends;
}
