import type { PipelineDefinition } from '../definitions/pipeline.ts';
import type { Engine } from '../engines/engine.ts';
import { anyEngine, findEngine } from '../engines/registry.ts';
import type { Notes } from './notes.ts';

/** The engine that a pipeline or the workspace names, or the one that alone has its optimizer. */
export const engineOf = (
  notes: Notes,
  { engine, optimizer }: Pick<PipelineDefinition, 'engine' | 'optimizer'>,
): Engine | undefined =>
  findEngine(engine ?? notes.options.engine ?? anyEngine) ?? findEngine(optimizer?.recipe.engine ?? anyEngine);
