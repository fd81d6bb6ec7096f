import { hasExperts } from '../../definitions/model.ts';
import { partTraining } from '../../engines/setupOf.ts';
import type { Precision } from '../../costs/types.ts';
import type { RunKind } from '../../values/accuracy.ts';
import type { PipelinePlan } from '../../values/plan.ts';
import type { PlacedPipeline } from './placePipeline.ts';

const formats: Readonly<Partial<Record<Precision, RunKind['format']>>> = {
  ...{ bf16: '16bit', fp16: '16bit', fp8: 'fp8', fp4: 'fp4' },
};

/** Which published runs a pipeline is like; nothing if a layer is measured, for its figures then rest on the file. */
export function runKindOf({ pipeline, ranks }: PlacedPipeline): Pick<PipelinePlan, 'runKind'> {
  const { model, cluster } = pipeline;
  if (model.layers.some((layer) => layer.cost.kind === 'measured')) return {};
  const [family, ...others] = new Set(ranks.ranks.map(({ kind }) => kind.family));
  const nodes = new Set(ranks.ranks.flatMap((rank) => rank.devices.map((device) => cluster.devices[device].group)));
  return {
    runKind: {
      ...(family === undefined || others.length > 0 ? {} : { device: family }),
      format: formats[model.precision] ?? 'other',
      experts: hasExperts(model),
      nodes: nodes.size > 1 ? 'several' : 'one',
      ...(partTraining(model) === undefined ? {} : { part: true }),
    },
  };
}
