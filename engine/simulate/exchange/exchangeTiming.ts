/** What a simulation knows of the lanes of a plan: where gradients are made, and which forwards need them. */
import type { ExchangeTiming, TensorMaker } from '../../values/exchangeTimeline.ts';
import type { PipelinePlan } from '../../values/plan.ts';
import type { Program } from '../../values/program.ts';
import { makerOf } from '../gradients.ts';

export function exchangeTiming(plan: PipelinePlan, program: Program): ExchangeTiming | undefined {
  const { exchange, stages, placement, linkSharing } = plan;
  if (exchange === undefined || exchange.lanes.length === 0) return undefined;
  const cutStage = (stage: number): number => stages[stage].copy?.stage ?? stage;
  const held = new Map<number, number[]>();
  stages.forEach((_, stage) => {
    const known = held.get(cutStage(stage));
    if (known === undefined) held.set(cutStage(stage), [stage]);
    else known.push(stage);
  });
  return {
    rule: exchange.rule,
    weights: exchange.weights === true,
    ...(linkSharing === undefined ? {} : { links: Float64Array.from(linkSharing.links, ({ bandwidth }) => bandwidth) }),
    lanes: exchange.lanes.map((lane) => {
      const here = (tensor: number): readonly number[] =>
        (held.get(cutStage(lane.tensors[tensor].stage)) ?? []).filter((stage) =>
          lane.devices.includes(placement[stage]),
        );
      return {
        plan: lane,
        makers: lane.tensors.map(({ left }, tensor) => {
          const makers: TensorMaker[] = [];
          for (const stage of here(tensor)) {
            const { copy } = stages[stage];
            const device = placement[stage];
            if ((copy?.segment ?? 0) > 0 || copy?.away === true || copy?.spare === true) continue;
            if (makers.every((maker) => maker.device !== device))
              makers.push(makerOf(plan, program, device, stage, left));
          }
          return makers;
        }),
        users: lane.tensors.map((_, tensor) => here(tensor)),
      };
    }),
  };
}
