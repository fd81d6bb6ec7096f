/** Text to plan: everything up to, and without, the simulation. */
import { parse } from '../../grammar/parse.ts';
import { type EngineHost, type EngineOptions, defaultOptions } from '../../engine/basics/host.ts';
import type { Resolution } from '../../engine/language/resolution.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import { resolve } from '../../engine/flow/resolve.ts';
import { exampleText, exampleUri, isExample } from './example.ts';
import { type Files, diskHost, hostOf, uri } from './host.ts';

export interface Setting {
  /** Other files, by name. */
  readonly files?: Files;
  readonly options?: EngineOptions;
  readonly overrides?: Readonly<Record<string, number>>;
  readonly host?: EngineHost;
  readonly uri?: string;
}

/** Resolves a text. */
export function resolveText(
  text: string,
  { files, options = defaultOptions, overrides, host = hostOf(files), uri: address = uri }: Setting = {},
): Resolution {
  const syntax = parse(text, { size: options.limits.fileSize, faults: options.limits.findings });
  return resolve({ uri: address, syntax, host, options, overrides });
}

/**
 * The plan of the first pipeline of a text, or of an example by its name (`systems/dualpipe.pipe`).
 * Throws with the messages of the errors if the file has any.
 */
export function planOf(source: string, setting: Setting = {}): PipelinePlan {
  const { plan, findings } = isExample(source)
    ? resolveText(exampleText(source), { host: diskHost, uri: exampleUri(source), ...setting })
    : resolveText(source, setting);
  const errors = findings.filter((finding) => finding.severity === 'error');
  const [pipeline] = plan.pipelines;
  if (pipeline === undefined || errors.length > 0)
    throw new Error(['There is no plan.', ...errors.map(({ message }) => message)].join('\n'));
  return pipeline;
}
