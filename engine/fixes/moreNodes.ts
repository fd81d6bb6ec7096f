/** More nodes of the cluster, for what fits in no way that was tried. That is other hardware, so it comes last. */
import { cutStages } from '../costs/stages.ts';
import { numberAt, setNumber, type Subject } from './candidates.ts';
import { batchKey } from './microbatches.ts';
import { type SetNodes, setNodesOf } from './nodeCount.ts';
import type { Edit } from './proposal.ts';
import { followsDevices, recut } from './recut.ts';
import { mostSharded } from './shard.ts';
import { setKey, valueOf } from './source.ts';
import type { Candidate } from './trial.ts';

const factors = [2, 4, 8, 16];

/** The fewest nodes first: with as many more pipeline ranks, or data ranks that share all that an update needs. The batch stays. */
export function* moreNodes(subject: Subject): Generator<Candidate, void, void> {
  const { analysis, body, pipeline } = subject;
  const size = analysis.resolution.sizes.get(pipeline);
  const setNodes = nodesOf(subject);
  if (size === undefined || setNodes === undefined) return;
  const { text } = analysis.syntax;
  const now = size.devices / size.perNode;
  for (const factor of factors) {
    const nodes = setNodes(now * factor);
    for (const each of [deeper(subject, factor), wider(subject, factor)].filter((use) => use !== undefined))
      for (const recompute of [undefined, setKey(text, body, 'recompute', 'full')])
        yield {
          what: `Use ${now * factor} nodes and ${each.what}${recompute === undefined ? '' : ', and recompute every stage'}`,
          kind: 'nodes',
          edits: [nodes, ...each.edits, ...(recompute === undefined ? [] : [recompute])],
          last: true,
        };
  }
}

interface Use {
  readonly what: string;
  readonly edits: readonly (Edit | undefined)[];
}

function deeper({ analysis, body, plan }: Subject, factor: number): Use | undefined {
  const stages = cutStages(plan);
  const layers = stages.reduce((sum, stage) => sum + stage.plan.layers.length, 0);
  if (stages.length * factor > layers) return undefined;
  const what = `${plan.devices.length * factor} pipeline ranks`;
  if (followsDevices(valueOf(body, 'stages'))) return { what, edits: [] };
  const cut = recut(analysis.syntax, body, stages.length * factor);
  return { what, edits: 'refused' in cut ? [undefined] : cut.edits };
}

function wider({ analysis, body, plan }: Subject, factor: number): Use {
  const ranks = plan.data * factor;
  const microbatches = valueOf(body, 'microbatches');
  const many =
    batchKey(body) === 'global_batch'
      ? []
      : [setNumber(analysis, microbatches, (numberAt(analysis, microbatches) ?? Number.NaN) / factor)];
  const optimizer = valueOf(body, 'optimizer');
  const shard = optimizer === undefined ? undefined : mostSharded(optimizer);
  return {
    what: `${ranks} data ranks that share optimizer, gradients and weights`,
    edits: [setKey(analysis.syntax.text, body, 'data', String(ranks)), ...many, shard],
  };
}

function nodesOf({ analysis, body }: Subject): SetNodes | undefined {
  const { syntax, resolution } = analysis;
  const named = valueOf(body, 'devices');
  const name = named === undefined ? '' : syntax.text.slice(named.start, named.end);
  const cluster = [...resolution.symbols.symbols.values()].find(
    (symbol) => symbol.kind === 'cluster' && symbol.name === name,
  );
  return cluster === undefined ? undefined : setNodesOf(syntax, cluster);
}
