/** What a call of `plan` asks for: a pipeline, the values to search, and what each row must meet. */
import { planned } from '../../engine/advice/compare.ts';
import { rememberingHost } from '../../engine/basics/knownFiles.ts';
import { list } from '../../engine/basics/quantities.ts';
import type { Axis, Objective } from '../../engine/definitions/search.ts';
import { objectives } from '../../engine/language/schema/search.ts';
import { overriddenAxes } from '../../engine/sweep/axes.ts';
import { axesProblem } from '../../engine/sweep/axesProblem.ts';
import { sweepBase, type SweepBase } from '../../engine/sweep/base.ts';
import { readAxes } from '../../engine/sweep/readAxes.ts';
import type { LeftOut } from '../../engine/sweep/space/choice.ts';
import { withSequence } from '../../engine/sweep/space/ranks.ts';
import { defaultSpace, emptyProblem } from '../../engine/sweep/space/space.ts';
import { stayingText } from '../../engine/sweep/staying.ts';
import { parse } from '../../grammar/index.ts';
import type { Arguments } from '../arguments.ts';
import { engineRemark, optionsWith } from '../engineOption.ts';
import { diskHost, shownPath, uriOf } from '../host.ts';
import type { Io } from '../io.ts';
import { sourceOf } from '../output/findingText.ts';
import { placeText } from '../output/placeText.ts';
import { overrideProblem, readOverrides } from '../overrides.ts';
import { declaredPipelines, pipelineProblem } from '../pipelines.ts';
import { readOperand } from '../readOperand.ts';
import { madeFile } from './madeFile.ts';

export interface PlanRequest {
  readonly base: SweepBase;
  readonly host: ReturnType<typeof rememberingHost>;
  readonly axes: readonly Axis[];
  /** Only if the space was chosen, all of it or around the axes that the call names. */
  readonly leftOut: readonly LeftOut[] | undefined;
  readonly given: readonly Axis[];
  /** Of a space that was not chosen: ranks and the optimizer, which are as in the file. */
  readonly staying: string;
  readonly limits: readonly string[];
  readonly minimise: Objective;
  /** What was assumed of a file that the call stands for. */
  readonly remarks: readonly string[];
  /** Values of params that the call gives, as it writes them; empty for none. */
  readonly setting: string;
  /** Which engine is used if the call and the pipeline name different ones. */
  readonly engineRemark: string;
}

/** `path`: empty for a file that options of the call stand for. */
export function readRequest(path: string, args: Arguments, io: Io): PlanRequest | string {
  const overrides = readOverrides(args.values('set'));
  if ('problem' in overrides) return overrides.problem;
  const uri = uriOf(path === '' ? 'plan.pipe' : path, io);
  const host = rememberingHost(diskHost(io, uri));
  const read =
    path === ''
      ? madeFile(args, io, { uri, host, options: optionsWith(args) })
      : { remarks: [], asked: undefined, ...readOperand(path, io) };
  if ('problem' in read) return read.problem;
  const { remarks, asked } = read;
  const file = {
    ...{ uri, text: read.text, host, options: optionsWith(args), overrides: overrides.values },
    ...(asked === undefined ? {} : { asked }),
  };
  const { resolution } = planned(file);
  const analysis = { uri, resolution, findings: resolution.findings };
  const chosen = args.value('pipeline');
  const name = path === '' ? 'the plan' : shownPath(path);
  const problem =
    overrideProblem({ resolution, text: read.text }, overrides) ??
    pipelineProblem({ name, analysis }, chosen, undefined);
  if (problem !== undefined) return problem;
  const declared = declaredPipelines(analysis);
  if (chosen === undefined && declared.length > 1)
    return `${name} has the pipelines ${list(declared)}; choose one with --pipeline.`;
  const pipeline = chosen ?? declared[0] ?? '';
  const written = resolution.searches.find((search) => search.pipeline === pipeline);
  const broken = resolution.findings.find(
    ({ severity, place }) => severity === 'error' && place.uri === uri && inSearch(file.text, place.start),
  );
  if (broken !== undefined) return `${name} has an error in a search: ${broken.message}`;
  const limits = [...(written?.limits ?? []), ...args.values('limit')];
  const base = sweepBase(file, pipeline, limits);
  if ('problem' in base) {
    const { code, message } = base.problem;
    // A limit of the call is in no file.
    const found = resolution.findings.find((finding) => finding.code === code && finding.message === message);
    const checked = { uri, findings: analysis.findings, source: sourceOf(name, file.text) };
    const where = found === undefined ? '' : `${placeText(found.place.uri, found.place.start, checked, io)}: `;
    return `"${pipeline}" cannot be searched: ${where}${message} (${code})`;
  }
  const over = args.value('over');
  const added = over === undefined ? [] : readAxes(over);
  if ('problem' in added) return added.problem;
  const named = overriddenAxes(written?.axes ?? [], added);
  // Nobody chose the other values of a file that was made: only those that the call names are fixed.
  const isChosen = path === '' || (named.length === 0 && over === undefined);
  const space = isChosen ? defaultSpace(base, added) : undefined;
  const axes = space?.axes ?? withSequence(base, named, added);
  const wrong = (space && emptyProblem(pipeline, space)) ?? axesProblem(base, axes);
  const minimise =
    objectives.find((objective) => objective === args.value('minimise')) ?? written?.minimise ?? 'iteration';
  return (
    wrong ?? {
      base,
      host,
      axes,
      leftOut: space?.leftOut,
      given: added,
      staying: space === undefined ? stayingText(base, axes) : '',
      limits,
      minimise,
      remarks,
      setting: [...overrides.texts].map(([param, value]) => `${param}=${value}`).join(', '),
      engineRemark: engineRemark(args, resolution, name),
    }
  );
}

/** Whether a place is in a `search` of a text. */
const inSearch = (text: string, at: number): boolean =>
  parse(text).declarations.some(
    (each) => each.kind === 'block' && each.keyword.text === 'search' && each.start <= at && at <= each.end,
  );
