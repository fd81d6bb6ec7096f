import { type Analysis, check } from '../../engine/flow/check.ts';
import { defaultOptions, type EngineHost } from '../../engine/basics/host.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import { resolve } from '../../engine/flow/resolve.ts';
import { parse } from '../../grammar/index.ts';

/** A host without files. */
export const noFiles: EngineHost = { read: () => ({ problem: 'not-found' }), resolve: (path) => path };

export const uri = 'file:///bench.pipe';

/** `overrides`: values of params. */
export const analysisOf = (text: string, overrides: Readonly<Record<string, number>> = {}): Analysis =>
  check({ uri, text, host: noFiles, options: defaultOptions, overrides });

/** The plan of the only pipeline of a text; throws the first finding where there is none. */
export function planOf(text: string): PipelinePlan {
  const { resolution, findings } = analysisOf(text);
  const [plan] = resolution.plan.pipelines;
  if (plan === undefined) throw new Error(findings[0]?.message ?? 'The text has no pipeline.');
  return plan;
}

/** The same without simulating it. */
export function planOnlyOf(text: string): PipelinePlan {
  const { plan, findings } = resolve({ uri, syntax: parse(text), host: noFiles, options: defaultOptions });
  const [pipeline] = plan.pipelines;
  if (pipeline === undefined) throw new Error(findings[0]?.message ?? 'The text has no pipeline.');
  return pipeline;
}
