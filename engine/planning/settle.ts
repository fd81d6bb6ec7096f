/** What a pipeline says with nothing left open: a planner has made its stages, and its iterations are counted. */
import type { PipelineDefinition, SettledPipeline } from '../definitions/pipeline.ts';
import { planCut } from './cut/planCut.ts';
import type { Notes } from './notes.ts';

/** `undefined` where a planner cannot plan, which has been reported. */
export function settle(notes: Notes, pipeline: PipelineDefinition): SettledPipeline | undefined {
  const { cut: written, iterations, microbatches } = pipeline;
  const cut = written.kind === 'plan' ? planCut(notes, pipeline, written) : written;
  if (cut === undefined) return undefined;
  return {
    ...pipeline,
    cut,
    iterations: iterations === 'steady' ? steadyIterations(cut.count, microbatches) : iterations,
  };
}

/** Iterations by whose middle every stage of an asynchronous pipeline has long been in step: a pipeline fills once in two stages' microbatches. */
const steadyIterations = (stages: number, microbatches: number): number =>
  Math.max(16, 8 * Math.ceil(stages / microbatches));
