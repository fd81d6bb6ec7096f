import type { Run } from '../../../engine/schedule/evaluation.ts';
import picocolors from 'picocolors';
import { timelineText } from '../../../cli/drawing/timeline.ts';
import { evaluate } from '../../../engine/flow/evaluate.ts';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { findPolicy } from '../../../engine/policies/registry.ts';
import { analyseBlock, textOf } from './pages.ts';

/** The workload of the schedules page: four devices, eight microbatches, F = I = W = 1 ms for a device, free transfers. */
export function runUnder(policy: string): Run {
  const chunks = findPolicy(policy)?.chunks({}) ?? 1;
  const time = `${1 / chunks}ms`;
  const text = `device gpu { memory = 1GiB }
cluster box { gpu[4] = gpu  link = 1000GB/s + 0us }
model toy { layer block[${4 * chunks}] { forward = ${time}  backward_input = ${time}  backward_weight = ${time} } }
pipeline train { model = toy  devices = box  stages = balance(${4 * chunks})  microbatches = 8  schedule = ${policy} }
`;
  const { pipelines, findings } = analyseBlock(text);
  const run = pipelines[0]?.run;
  if (run === undefined) throw new Error(findings.map((finding) => finding.message).join('\n'));
  return run;
}

/** The first pipeline of a file of the project, as it is. */
function runOf(path: string): Run {
  const { pipelines, findings } = analyseBlock(textOf(path));
  const [first] = pipelines;
  // Iterations that run on end are many: a page has room for the first few and the drain.
  const short = first === undefined ? 1 : Math.max(3, Math.ceil(12 / first.plan.microbatches));
  const run =
    first?.run?.report.asynchronous === undefined
      ? first?.run
      : evaluate({ ...first.plan, iterations: short }, defaultOptions).run;
  if (run === undefined) throw new Error(findings.map((finding) => finding.message).join('\n'));
  return run;
}

/** The drawing that a page shows, of a policy under the common workload or of an example (`examples/systems/NAME.pipe`). */
export function drawing(of: string): string {
  const run = of.endsWith('.pipe') ? runOf(of) : runUnder(of);
  // Shorter operations need more room; quarters would need more than a page has, so some go without their number.
  const columns = of.endsWith('.pipe') ? 140 : ({ 1: 90, 2: 126 }[run.program.stages / run.program.devices] ?? 160);
  const text = timelineText(
    run,
    run.report.devices.map((device) => device.name),
    columns,
    picocolors.createColors(false),
  );
  return text
    .split('\n')
    .slice(1, 1 + run.report.devices.length)
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
