import { check, type Analysis } from '../../../engine/check.ts';
import { type Again, apply, fixesFor, type Fix } from '../../../engine/fixes/fix.ts';
import type { Code } from '../../../engine/findings/catalogue.ts';
import { defaultOptions, type EngineHost } from '../../../engine/host.ts';

const host: EngineHost = { read: () => ({ problem: 'not-found' }), resolve: (path) => path };
const uri = 'file:///test.pipe';

export const analyse: Again = (text) => check({ uri, text, host, options: defaultOptions });

/** Fixes of all findings with this code, in order of position. */
export function fixesOf(analysis: Analysis, code: Code): readonly Fix[] {
  return analysis.findings
    .filter((finding) => finding.code === code)
    .flatMap((finding) => fixesFor(analysis, finding, analyse));
}

/** The file after a fix, checked. */
export const after = (analysis: Analysis, fix: Pick<Fix, 'edits'>): Analysis =>
  analyse(apply(analysis.syntax.text, fix.edits));

export const codesOf = (analysis: Analysis): readonly string[] => analysis.findings.map(({ code }) => code);

export interface PipeParts {
  readonly layers?: string;
  readonly memory?: string;
  readonly link?: string;
  readonly pipeline: string;
  readonly more?: string;
}

/** A file with one model of eight layers on four devices; `pipeline` holds the keys under test. */
export const pipe = ({ layers, memory = '16GiB', link = '25GB/s + 5us', pipeline, more = '' }: PipeParts): string => `
model toy {
  ${layers ?? 'layer block[8] { forward = 4ms  backward = 8ms  weights = 256MiB  activation = 512MiB  output = 16MiB }'}
}
device gpu { memory = ${memory} }
cluster box {
  gpu[4] = gpu
  link   = ${link}
}
pipeline train {
  model   = toy
  devices = box
${pipeline}
}
${more}`;
