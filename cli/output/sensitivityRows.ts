import { effectOf, negligible, type Tornado, tornadoOf, tornadoRows } from '../../engine/analyze/tornado.ts';
import { hasSlack, slackWords } from '../../engine/analyze/slackWords.ts';
import { slowdownWords } from '../../engine/analyze/slowdownWords.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import type { SensitivityReport } from '../../engine/values/report.ts';
import { count, share, timeChange } from '../../engine/basics/quantities.ts';
import type { Colours } from '../colours.ts';
import { section } from './section.ts';

/** The effect of times on the iteration (seconds), and its slowdown. */
export function sensitivityText(
  plan: PipelinePlan,
  report: SensitivityReport,
  iteration: number,
  colours: Colours,
): string {
  const tornado = tornadoOf(tornadoRows(plan, report), iteration);
  return [
    section('Sensitivity', sensitivityRows(report.change, tornado), colours),
    ...(tornado.folded > 0 ? [colours.dim(`  ${foldedText(tornado)}\n`)] : []),
    '\n',
    section('Slowdown', slowdownRows(report), colours),
  ].join('');
}

/** Cells of the longest bar on either side. */
const barCells = 16;

/** What has most effect first, as a table with bars: a tornado. */
function sensitivityRows(change: number, { rows }: Tornado): string[][] {
  const most = rows.reduce((all, row) => Math.max(all, effectOf(row)), 0);
  const bar = (seconds: number) => '█'.repeat(Math.round((barCells * Math.max(0, seconds)) / most));
  return rows.length === 0
    ? []
    : [
        ['', `${share(change)} faster`, '', '', `${share(change)} slower`, ''],
        ...rows.map(({ name, slower, faster, slack }) => [
          name,
          timeChange(-faster),
          bar(faster).padStart(barCells),
          bar(slower).padEnd(barCells),
          timeChange(slower),
          slack === undefined || !hasSlack(slack) ? '' : (slackWords(slack) ?? ''),
        ]),
      ];
}

/** `12 others: under 0.1 % of the iteration`. */
const foldedText = ({ rows, folded }: Tornado): string =>
  `${rows.length === 0 ? count(folded, 'part', 'parts') : count(folded, 'other', 'others')}: under ${share(negligible)} of the iteration`;

/** How much the iteration is longer than one of equal operations, and why. */
const slowdownRows = ({ slowdown }: SensitivityReport): string[][] =>
  slowdownWords(slowdown).map(({ symbol, value, meaning }) => [symbol, value, meaning]);
