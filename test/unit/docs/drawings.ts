import type { Run } from '../../../engine/schedule/evaluation.ts';
import { timelineSvg } from '../../../engine/drawing/timelineSvg.ts';
import type { PipelinePlan } from '../../../engine/values/plan.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { findPolicy } from '../../../engine/policies/registry.ts';
import { analyseExample } from '../../support/analyse.ts';
import { analyseBlock } from './pages.ts';

interface Drawn {
  readonly plan: PipelinePlan;
  readonly run: Run;
}

const known = new Map<string, Drawn>();
/** Several pictures and tables are of one run. */
function once(of: string, draw: () => Drawn): Drawn {
  const found = known.get(of) ?? draw();
  known.set(of, found);
  return found;
}

/** The workload of the schedules page: four devices, eight microbatches, F = I = W = 1 ms for a device, free transfers. */
const drawnUnder = (schedule: string, devices = 4, microbatches = 8): Drawn =>
  once(JSON.stringify([schedule, devices, microbatches]), () => {
    const chunks = findPolicy(schedule.replace(/\(.*/, ''))?.chunks({}) ?? 1;
    const time = `${1 / chunks}ms`;
    const text = `device gpu { memory = 1GiB }
cluster box { gpu[${devices}] = gpu  link = 1000GB/s + 0us }
model toy { layer block[${devices * chunks}] { forward = ${time}  backward_input = ${time}  backward_weight = ${time}  activation = ${1 / chunks}MiB } }
pipeline train { model = toy  devices = box  stages = balance(${devices * chunks})  microbatches = ${microbatches}  schedule = ${schedule} }
`;
    const { pipelines, findings } = analyseBlock(text);
    const [first] = pipelines;
    if (first?.run === undefined) throw new Error(findings.map((finding) => finding.message).join('\n'));
    return { plan: first.plan, run: first.run };
  });

export const runUnder = (policy: string): Run => drawnUnder(policy).run;

/** The first pipeline of a file of the project, as it is. */
function drawnOf(path: string): Drawn {
  const { pipelines, findings } = analyseExample(path.replace(/^examples\//, ''));
  const [first] = pipelines;
  // Consecutive iterations are many: a page has room for the first few and the drain.
  const short = first === undefined ? 1 : Math.max(3, Math.ceil(12 / first.plan.microbatches));
  const run =
    first?.run?.report.asynchronous === undefined
      ? first?.run
      : evaluate({ ...first.plan, iterations: short }, defaultOptions).run;
  if (first === undefined || run === undefined) throw new Error(findings.map(({ message }) => message).join('\n'));
  return { plan: first.plan, run };
}

/**
 * The picture that a page shows: of a schedule under the common workload, with other numbers (`1f1b on 4 devices with 16
 * microbatches`), or of an example (`examples/systems/NAME.pipe`). With `and its memory` there is a chart of memory over time.
 */
export function picture(of: string): string {
  const [, what = of, devices, microbatches, memory] =
    /^(.*?)(?: on (\d+) devices with (\d+) microbatch(?:es)?)?( and its memory)?$/.exec(of) ?? [];
  const { plan, run } = what.endsWith('.pipe')
    ? drawnOf(what)
    : drawnUnder(what, Number(devices ?? 4), Number(microbatches ?? 8));
  return [...timelineSvg(plan, run, { width: '7in', memory: memory !== undefined, page: true })].join('');
}

/** Pictures of a page that the engine draws: `![Timeline of WHAT](FILE.svg)`. */
export const picturesIn = (text: string): readonly { readonly of: string; readonly file: string }[] =>
  [...text.matchAll(/!\[Timeline of ([^\]]+)\]\(([^)]+\.svg)\)/g)].map(([, of, file]) => ({ of, file }));
