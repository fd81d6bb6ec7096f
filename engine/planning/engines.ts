/** What training engines make of a pipeline: who runs it, what the engine that it names does not run, and what that one does unasked. */
import { onlyBuckets } from '../definitions/exchange.ts';
import { hasExperts } from '../definitions/model.ts';
import type { SettledPipeline } from '../definitions/pipeline.ts';
import type { Setup } from '../engines/engine.ts';
import { commonEngines, findEngine, orderRefusals, refusalWords, setupRefusals, usuals } from '../engines/registry.ts';
import { chunksOf } from '../engines/orders.ts';
import { findPolicy } from '../policies/registry.ts';
import { shapeOf } from '../policies/shape.ts';
import type { EnginesPlan, PipelinePlan } from '../values/plan.ts';
import type { Notes } from './notes.ts';
import { stageModes } from './cost/recomputation.ts';
import { quietNotes } from './notes.ts';
import { sameMesh } from '../costs/mesh.ts';

/** Reports what the chosen engine does not run, and gives what the plan says of engines. */
export function planEngines(notes: Notes, pipeline: SettledPipeline, plan: PipelinePlan): EnginesPlan {
  const setup = setupOf(notes, pipeline, plan);
  const name = pipeline.engine ?? notes.options.engine;
  const chosen = name === undefined ? undefined : findEngine(name);
  const able = commonEngines.filter((engine) => setupRefusals(engine, setup).length === 0);
  if (chosen !== undefined) {
    const orders = isShape(plan) ? orderRefusals(chosen, plan) : [];
    for (const refusal of [...orders, ...setupRefusals(chosen, setup)]) {
      const { key, nearest } = refusal;
      notes.report.report(
        'engine/unsupported',
        pipeline.at(key),
        { engine: chosen.title, reason: refusalWords(refusal) },
        { hint: { kind: 'engine', pipeline: pipeline.name, key, writes: nearest === undefined ? [] : [nearest] } },
      );
    }
    const open = usuals(chosen, setup);
    if (open.length > 0)
      notes.report.report(
        'engine/defaults',
        pipeline.at('engine'),
        { engine: chosen.title, does: open.map(({ does }) => does) },
        { hint: { kind: 'engine', pipeline: pipeline.name, key: 'engine', writes: open.map(({ write }) => write) } },
      );
  }
  return { ...(chosen === undefined ? {} : { chosen: chosen.name }), able: able.map((engine) => engine.name) };
}

/** Whether the order can be at all: a shape that the policy refuses is reported as that. */
function isShape(plan: PipelinePlan): boolean {
  const policy = plan.schedule.kind === 'policy' ? findPolicy(plan.schedule.name) : undefined;
  return policy === undefined || policy.check(shapeOf(plan)).length === 0;
}

function setupOf(notes: Notes, pipeline: SettledPipeline, plan: PipelinePlan): Setup {
  const { cut, mesh, model, optimizer, exchange, sync, transfer, rankOrder, overlap, offload } = pipeline;
  const blocks = cut.kind === 'blocks' ? cut.stages : [];
  // A key that is not written has the place of the pipeline's name, as one that no pipeline has.
  const unwritten = pipeline.at('');
  return {
    ranks: plan.devices.length,
    chunks: chunksOf(plan),
    mesh,
    unlike:
      plan.devices.some((device) => device.mesh !== undefined) ||
      blocks.some(
        (block) => block.replicate !== undefined || (block.mesh !== undefined && !sameMesh(block.mesh, mesh)),
      ),
    hasExperts: hasExperts(model),
    ...(model.sequence === undefined ? {} : { sequence: model.sequence }),
    precision: model.precision,
    recompute: [...new Set(stageModes(quietNotes(notes), pipeline))],
    ...(optimizer === undefined
      ? {}
      : {
          optimizer: {
            shard: optimizer.shard,
            reshard: optimizer.reshard,
            writes: (argument: string) => optimizer.at.has(argument),
          },
        }),
    offload: offload !== undefined,
    overlap,
    sync: {
      name: exchange?.sync?.preset.name ?? (sync === undefined ? 'end' : 'overlap'),
      arguments: exchange?.sync?.preset.name === 'overlap' && !onlyBuckets(exchange.sync),
    },
    ...(exchange?.collective === undefined ? {} : { collective: exchange.collective.name }),
    rankOrder,
    receivesAll: transfer.receive === 'all',
    writes: (key) => pipeline.at(key) !== unwritten,
  };
}
