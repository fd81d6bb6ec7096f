/** A figure or a trace as work that a thread may do: the simulation and the drawing of it. */
import { type FigureRows, figureRows } from './figureRows.ts';
import { evaluate } from '../flow/evaluate.ts';
import { evaluationSize } from '../schedule/evaluation.ts';
import type { EngineOptions } from '../basics/host.ts';
import type { PipelinePlan } from '../values/plan.ts';
import type { Search } from '../basics/searches.ts';
import type { Provenance } from './caption.ts';
import { filmSvg } from './filmSvg.ts';
import { type FigureOptions, timelineSvg } from './timelineSvg.ts';
import { traceParts } from './trace.ts';

/** With `playing` a figure is a film. */
export interface FigureProblem extends Omit<FigureOptions, 'detail' | 'page' | keyof Provenance>, Provenance {
  readonly plan: PipelinePlan;
  readonly options: EngineOptions;
  readonly format: 'svg' | 'trace' | 'figures';
}

/** `rows`: its figures. `problem`: why there is none, as a sentence. */
export type Figure = { readonly text: string } | { readonly rows: FigureRows } | { readonly problem: string };

/** Operations of a trace that is passed on as one text; the command line writes longer ones in parts. */
export const mostTraced = 200_000;

export const figureSearch: Search<FigureProblem, Figure> = {
  name: 'figure',
  large: true,
  // Simulated, then drawn: about twice the work.
  size: ({ plan }) => 2 * evaluationSize(plan),
  *steps({ plan, options, format, playing, ...figure }) {
    const { run, findings } = evaluate(plan, options);
    if (run === undefined) {
      const reason = findings.find(({ severity }) => severity === 'error')?.message;
      return { problem: reason ?? `Pipeline ${plan.name} cannot be simulated.` };
    }
    yield;
    if (format === 'figures') return { rows: figureRows(plan, run.report) };
    if (format === 'svg' && playing !== undefined) return { text: filmSvg(plan, run, { ...figure, playing }) };
    if (format === 'svg') return { text: [...timelineSvg(plan, run, figure)].join('') };
    if (run.program.order.length > mostTraced)
      return {
        problem: `${run.program.order.length.toLocaleString('en-US')} operations are too many for the editor: run pipewright simulate --format trace in a terminal.`,
      };
    return { text: [...traceParts(plan, run, figure)].join('') };
  },
};
