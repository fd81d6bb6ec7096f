/** What training engines make of a pipeline: who runs it, what the engine that it names does not run, and what that one does unasked. */
import type { SettledPipeline } from '../definitions/pipeline.ts';
import {
  engines,
  findEngine,
  orderRefusals,
  refusalWords,
  runnersAmong,
  setupRefusals,
  usuals,
  writtenRefusals,
} from '../engines/registry.ts';
import { setupOf } from '../engines/setupOf.ts';
import { findPolicy } from '../policies/registry.ts';
import { shapeOf } from '../policies/shape.ts';
import type { EnginesPlan, PipelinePlan } from '../values/plan.ts';
import type { Notes } from './notes.ts';
import { stageModes } from './cost/recomputation.ts';
import { quietNotes } from './notes.ts';

/** Reports what the chosen engine does not run, and gives what the plan says of engines. */
export function planEngines(notes: Notes, pipeline: SettledPipeline, plan: PipelinePlan): EnginesPlan {
  const setup = setupOf(pipeline, plan, stageModes(quietNotes(notes), pipeline));
  const name = pipeline.engine ?? notes.options.engine;
  const chosen = name === undefined ? undefined : findEngine(name);
  const able = runnersAmong(engines.filter((engine) => setupRefusals(engine, setup).length === 0));
  if (chosen !== undefined) {
    const orders = isShape(plan) ? orderRefusals(chosen, plan) : [];
    // At one place there is one finding, which says all.
    const all = [...orders, ...writtenRefusals(chosen, setup)];
    for (const place of new Set(all.map(({ key }) => pipeline.at(key)))) {
      const refusals = all.filter((refusal) => pipeline.at(refusal.key) === place);
      const { key, nearest } = refusals.find((refusal) => refusal.nearest !== undefined) ?? refusals[0];
      notes.report.report(
        'engine/unsupported',
        place,
        {
          engine: chosen.title,
          refusals: refusals.map((refusal) => ({ reason: refusal.reason, words: refusalWords(refusal) })),
        },
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
