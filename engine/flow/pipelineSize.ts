/** What a search over settings asks of a pipeline, whether or not it can be planned: its devices, and what its layers can be split into. */
import type { ClusterGroup } from '../definitions/cluster.ts';
import { hasExperts, type LayerDefinition } from '../definitions/model.ts';
import type { PipelineDefinition } from '../definitions/pipeline.ts';
import type { BlockDeclaration } from '../../grammar/syntax.ts';
import type { ModelSize, PipelineSize } from '../language/resolution.ts';
import { givesLengths } from '../read/lengths.ts';

export function pipelineSize(definition: PipelineDefinition, { body }: BlockDeclaration): PipelineSize {
  const { cluster, cut, mesh, model, microbatches } = definition;
  const { devices, groups } = cluster;
  // As many lengths as there are microbatches are read, and another row may have more microbatches.
  const varied = body?.entries.some((entry) => entry.kind === 'entry' && givesLengths(entry)) === true;
  return {
    devices: devices.length,
    perNode: devices.reduce((least, { group }) => Math.min(least, devicesOf(groups[group])), devices.length),
    perHost: devices.reduce((least, { group }) => Math.min(least, devicesOfHost(groups, group)), devices.length),
    sameWork: devices.every(({ kind }) => kind === devices[0].kind) && !varied && cut.kind !== 'plan',
    mesh,
    microBatch: model.microBatch,
    microbatches,
    chain: model.after.size === 0,
    model: modelSize(definition),
  };
}

const devicesOf = ({ first, end }: ClusterGroup): number => end - first;

/** Devices of a machine: of the innermost group that has several, or of the node. */
function devicesOfHost(groups: readonly ClusterGroup[], inside: number): number {
  for (let group = inside; group >= 0; group = groups[group].parent) {
    const { hosts } = groups[group].host ?? {};
    if (hosts !== undefined) return devicesOf(groups[group]) / hosts;
  }
  return devicesOf(groups[inside]);
}

function modelSize({ model }: PipelineDefinition): ModelSize {
  const { layers, elements, sequence } = model;
  const numbers = (name: string): readonly number[] =>
    layers.flatMap(({ cost }) => {
      const value = cost.kind === 'shape' ? cost.args[name] : undefined;
      return typeof value === 'number' ? [value] : [];
    });
  return {
    layers: elements,
    blocks: layers.reduce((most, { count }) => Math.max(most, count), 0),
    heads: numbers('heads'),
    experts: hasExperts(model) ? numbers('experts') : [],
    ...(sequence === undefined ? {} : { sequence }),
    measured: layers.filter(({ cost }) => cost.kind === 'measured').length,
    written: layers.length,
    shares: layers.some(({ cost }) => cost.kind === 'shape' && (cost.shape === 'mtp' || cost.args['tied'] === true)),
    keepsScores: layers.some(keepsScores),
    latent: numbers('kv_lora_rank').length > 0,
  };
}

/** Whether the forward may keep scores of attention, which selective recomputation makes again. */
const keepsScores = ({ cost }: LayerDefinition): boolean =>
  cost.kind === 'shape' && cost.args['heads'] !== undefined && cost.args['flash'] !== true;
