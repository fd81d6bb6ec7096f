import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { B, F, I, W, kindOf, microbatchOf, type Program, stageOf } from '../../../engine/values/program.ts';

interface Operation {
  readonly name: string;
  readonly kind: number;
  readonly stage: number;
  readonly microbatch: number;
  readonly device: number;
}

/**
 * An independent way to the same times: relaxes start times over all operations again and again until nothing changes
 * (longest path), with transfers of a constant delay. Slow, plain, and sharing no code with the engine's simulator.
 * Ends by `kind/stage/microbatch`; undefined where it never settles.
 */
export function plainEnds(plan: PipelinePlan, program: Program): Map<string, number> | undefined {
  const rows: Operation[][] = [];
  for (let device = 0; device < program.devices; device += 1) {
    rows.push(
      Array.from(program.order.subarray(program.offsets[device], program.offsets[device + 1]), (word) => {
        const [kind, stage, microbatch] = [kindOf(program, word), stageOf(program, word), microbatchOf(program, word)];
        return { name: `${kind}/${stage}/${microbatch}`, kind, stage, microbatch, device };
      }),
    );
  }
  const all = rows.flat();
  const present = new Set(all.map((operation) => operation.name));
  const length = (operation: Operation): number => {
    const stage = plan.stages[operation.stage];
    const input = stage.recompute + stage.backwardInput;
    if (operation.kind === F) return stage.forward;
    if (operation.kind === B) return input + stage.backwardWeight;
    return operation.kind === I ? input : stage.backwardWeight;
  };
  const delay = (from: number, to: number, bytes: number): number => {
    const [sender, receiver] = [program.placement[from], program.placement[to]];
    if (sender === receiver) return 0;
    const route = plan.routes.find((routePlan) => routePlan.from === sender && routePlan.to === receiver);
    return route === undefined ? 0 : route.latency + bytes / route.bandwidth;
  };
  const backward = (stage: number, microbatch: number) =>
    present.has(`${B}/${stage}/${microbatch}`) ? `${B}/${stage}/${microbatch}` : `${I}/${stage}/${microbatch}`;
  const needs = (operation: Operation): (readonly [string, number])[] => {
    if (operation.kind === W) return [[`${I}/${operation.stage}/${operation.microbatch}`, 0]];
    if (operation.kind === F) {
      return plan.edges
        .filter((edge) => edge.to === operation.stage)
        .map(
          (edge) =>
            [`${F}/${edge.from}/${operation.microbatch}`, delay(edge.from, operation.stage, edge.bytes)] as const,
        );
    }
    return [
      [`${F}/${operation.stage}/${operation.microbatch}`, 0] as const,
      ...plan.edges
        .filter((edge) => edge.from === operation.stage)
        .map((edge) => [backward(edge.to, operation.microbatch), delay(edge.to, operation.stage, edge.bytes)] as const),
    ];
  };
  const ends = new Map<string, number>(all.map((operation) => [operation.name, length(operation)]));
  for (let round = 0; round <= all.length + 1; round += 1) {
    let changed = false;
    for (const row of rows) {
      let before = 0;
      for (const value of row) {
        const start = needs(value).reduce(
          (latest, [name, wait]) => Math.max(latest, (ends.get(name) ?? Infinity) + wait),
          before,
        );
        before = start + length(value);
        if (ends.get(value.name) !== before) changed = true;
        ends.set(value.name, before);
      }
    }
    if (!changed) return ends;
  }
  return undefined;
}
