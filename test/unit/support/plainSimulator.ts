import type { PipelinePlan } from '../../../engine/plan.ts';
import { B, F, I, W, kindOf, microbatchOf, type Program, stageOf } from '../../../engine/program.ts';

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
  const present = new Set(all.map((one) => one.name));
  const length = (one: Operation): number => {
    const stage = plan.stages[one.stage];
    const input = stage.recompute + stage.backwardInput;
    if (one.kind === F) return stage.forward;
    if (one.kind === B) return input + stage.backwardWeight;
    return one.kind === I ? input : stage.backwardWeight;
  };
  const delay = (from: number, to: number, bytes: number): number => {
    const [sender, receiver] = [program.placement[from], program.placement[to]];
    if (sender === receiver) return 0;
    const route = plan.routes.find((one) => one.from === sender && one.to === receiver);
    return route === undefined ? 0 : route.latency + bytes / route.bandwidth;
  };
  const backward = (stage: number, microbatch: number) =>
    present.has(`${B}/${stage}/${microbatch}`) ? `${B}/${stage}/${microbatch}` : `${I}/${stage}/${microbatch}`;
  const needs = (one: Operation): (readonly [string, number])[] => {
    if (one.kind === W) return [[`${I}/${one.stage}/${one.microbatch}`, 0]];
    if (one.kind === F) {
      return plan.edges
        .filter((edge) => edge.to === one.stage)
        .map((edge) => [`${F}/${edge.from}/${one.microbatch}`, delay(edge.from, one.stage, edge.bytes)] as const);
    }
    return [
      [`${F}/${one.stage}/${one.microbatch}`, 0] as const,
      ...plan.edges
        .filter((edge) => edge.from === one.stage)
        .map((edge) => [backward(edge.to, one.microbatch), delay(edge.to, one.stage, edge.bytes)] as const),
    ];
  };
  const ends = new Map<string, number>(all.map((one) => [one.name, length(one)]));
  for (let round = 0; round <= all.length + 1; round += 1) {
    let changed = false;
    for (const row of rows) {
      let before = 0;
      for (const one of row) {
        const start = needs(one).reduce(
          (latest, [name, wait]) => Math.max(latest, (ends.get(name) ?? Infinity) + wait),
          before,
        );
        before = start + length(one);
        if (ends.get(one.name) !== before) changed = true;
        ends.set(one.name, before);
      }
    }
    if (!changed) return ends;
  }
  return undefined;
}
