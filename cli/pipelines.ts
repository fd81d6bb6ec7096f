import type { UnitRequest } from '../engine/definitions/unitRequest.ts';
import { list } from '../engine/basics/quantities.ts';
import type { Analysis } from '../engine/flow/check.ts';
import { nearest } from '../engine/basics/spelling.ts';
import { unitAdvice } from './unitShape.ts';

/** What has been found out about a file, as far as choosing a pipeline goes. */
export interface Chosen {
  /** As people read it. */
  readonly name: string;
  readonly analysis: Pick<Analysis, 'uri' | 'findings' | 'resolution'>;
}

/** Names of the pipelines that the file itself declares. */
export const declaredPipelines = ({ uri, resolution }: Pick<Analysis, 'uri' | 'resolution'>): readonly string[] =>
  [...resolution.symbols.symbols.values()]
    .filter(({ kind, declaration }) => kind === 'pipeline' && declaration?.uri === uri)
    .map(({ name }) => name);

/** Why nothing can be simulated: the schedule that the call names, or the pipeline. */
export const targetProblem = (
  file: Chosen,
  unit: UnitRequest | undefined,
  chosen: string | undefined,
  format: string | undefined,
): string | undefined =>
  unit === undefined ? pipelineProblem(file, chosen, format) : file.analysis.resolution.problem;

/** Formats that hold one pipeline. */
const ofOnePipeline = new Set(['csv', 'svg', 'png', 'film', 'html', 'trace']);

/** Why `simulate` cannot do what was asked for: no such pipeline, none at all, or several where the format holds one. `option` names a schedule. */
export function pipelineProblem(
  file: Chosen,
  chosen: string | undefined,
  format: string | undefined,
  option?: string,
): string | undefined {
  const { findings } = file.analysis;
  const declared = declaredPipelines(file.analysis);
  if (chosen !== undefined && !declared.includes(chosen)) {
    const guess = nearest(chosen, declared);
    const known = declared.length === 0 ? 'it has none' : `it has ${list(declared)}`;
    return `${file.name} has no pipeline "${chosen}"; ${known}.${guess === undefined ? '' : ` Did you mean "${guess}"?`}`;
  }
  const broken = findings.some((found) => found.severity === 'error');
  if (declared.length === 0 && !broken)
    return `${file.name} declares no pipeline, so there is nothing to simulate.${unitAdvice(file.analysis.resolution, option)}`;
  if (ofOnePipeline.has(format ?? '') && chosen === undefined && declared.length > 1)
    return `${file.name} has the pipelines ${list(declared)}; choose one with --pipeline.`;
  return undefined;
}
