/** `simulate --summary`. */
import { figureRows } from '../../engine/drawing/figureRows.ts';
import type { Run } from '../../engine/schedule/evaluation.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import type { Analysed } from '../analyse.ts';
import { tally } from '../output/findingText.ts';
import { findingCounts, findingItems } from './findingItems.ts';
import { pipelineFields, pipelineItem } from './pipelineItem.ts';
import type { Summary, SummaryItem } from './summary.ts';

interface Simulated {
  readonly file: Analysed;
  readonly simulated: readonly { readonly plan: PipelinePlan; readonly run: Run }[];
  readonly whole: () => string;
}

export function simulateSummary({ file, simulated, whole }: Simulated): Summary {
  const { findings } = file.analysis;
  const nothing = simulated.length === 0 ? ', nothing was simulated' : '';
  return {
    head: [`${file.name}: ${tally(findings)}${nothing}`],
    fields: { ...findingCounts(findings) },
    lists: [
      {
        name: 'pipelines',
        singular: 'pipeline',
        plural: 'pipelines',
        items: simulated.map((each) => simulatedItem(each, simulated.length === 1)),
      },
      findingItems([file], () => findings.filter(({ severity }) => severity !== 'hint')),
    ],
    whole,
  };
}

/** All figures in the words of the editor, a line each; a line for each of several pipelines. */
function simulatedItem(
  { plan, run }: { readonly plan: PipelinePlan; readonly run: Run },
  isOnly: boolean,
): SummaryItem {
  if (!isOnly) return pipelineItem(run.report);
  const rows = Object.entries(figureRows(plan, run.report)).flatMap(([name, words]) =>
    words === undefined ? [] : [`  ${name}: ${words}`],
  );
  return { line: [plan.name, ...rows].join('\n'), data: pipelineFields(run.report) };
}
