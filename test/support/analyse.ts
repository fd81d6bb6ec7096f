/** Text to reports and findings: what the command line and the editor show. */
import { type Analysis, type CheckRequest, check } from '../../engine/flow/check.ts';
import type { Run } from '../../engine/schedule/evaluation.ts';
import type { Code } from '../../engine/findings/catalogue.ts';
import { type Fix, fixesFor } from '../../engine/fixes/fix.ts';
import { apply } from '../../engine/fixes/proposal.ts';
import { defaultOptions } from '../../engine/basics/host.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import { exampleText, exampleUri } from './example.ts';
import { type Files, diskHost, hostOf, uri } from './host.ts';

export interface AnalysisSetting extends Partial<Omit<CheckRequest, 'text'>> {
  /** Other files, by name. */
  readonly files?: Files;
}

/** Checks a text. */
export const analyse = (text: string, { files, ...setting }: AnalysisSetting = {}): Analysis =>
  check({ uri, text, host: hostOf(files), options: defaultOptions, ...setting });

const examples = new Map<string, Analysis>();

/** Checks an example (`systems/dualpipe.pipe`), or another text in its place. An example as it is gets checked once for all tests. */
export function analyseExample(
  name: string,
  overrides: Readonly<Record<string, number>> = {},
  text: string = exampleText(name),
): Analysis {
  const key = JSON.stringify([name, overrides, text]);
  const found = examples.get(key) ?? analyse(text, { uri: exampleUri(name), host: diskHost, overrides });
  if (text === exampleText(name)) examples.set(key, found);
  return found;
}

/** Plan and run of the first pipeline. Throws with the messages of all findings if it does not run. */
export function runOf(
  text: string,
  setting: AnalysisSetting = {},
): { readonly plan: PipelinePlan; readonly run: Run; readonly analysis: Analysis } {
  const analysis = analyse(text, setting);
  const [pipeline] = analysis.pipelines;
  if (pipeline?.run === undefined) throw new Error(analysis.findings.map(({ message }) => message).join('\n'));
  return { plan: pipeline.plan, run: pipeline.run, analysis };
}

export const codesOf = ({ findings }: Pick<Analysis, 'findings'>): readonly string[] =>
  findings.map(({ code }) => code);

/** Checks each text once, as the server does for one request: fixes of a file's findings try many texts again. */
export function checkedOnce(check: (text: string) => Analysis = analyse): (text: string) => Analysis {
  const known = new Map<string, Analysis>();
  return (text) => {
    const found = known.get(text) ?? check(text);
    known.set(text, found);
    return found;
  };
}

/** The same for other texts of a checked file: what they share with it is not planned and simulated again. */
export const checkedAfter = (analysis: Analysis): ((text: string) => Analysis) =>
  checkedOnce((text) => analyse(text, { uri: analysis.uri, host: diskHost, earlier: analysis }));

/** Fixes of all findings with this code, in order of position. */
export function fixesOf(
  analysis: Analysis,
  code: Code,
  check: (text: string) => Analysis = checkedAfter(analysis),
): readonly Fix[] {
  const again = checkedOnce(check);
  return analysis.findings
    .filter((finding) => finding.code === code)
    .flatMap((finding) => fixesFor(analysis, finding, again));
}

/** The file after a fix, checked. */
export const after = (analysis: Analysis, fix: Pick<Fix, 'edits'>): Analysis =>
  analyse(apply(analysis.syntax.text, fix.edits));
