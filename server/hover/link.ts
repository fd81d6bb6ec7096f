/** What pipelines send over a link of a cluster. */
import { bytes, count, share, time } from '../../engine/basics/quantities.ts';
import { paths } from '../../engine/values/plan.ts';
import type { LinkReport } from '../../engine/values/report.ts';
import type { SyntaxNode } from '../../grammar/index.ts';
import { holds } from '../text/convert.ts';
import type { View } from '../view.ts';
import { columns, sections } from './markdown.ts';

/** Pairs of devices that are listed before the rest is counted. */
const mostPairs = 4;

/** Empty unless the node is in a `link` that is the slowest of a route of some pipeline. */
export function linkText({ analysis, uri }: View, path: readonly SyntaxNode[]): string {
  const link = path.findLast((node) => node.kind === 'entry');
  if (link?.kind !== 'entry' || link.key.text !== 'link') return '';
  return sections(
    ...analysis.pipelines.map(({ plan, run }): string => {
      const here = (run?.report.links ?? []).filter((_, at) => {
        const { from, to } = plan.routes[at];
        const place = analysis.resolution.origins.get(paths.route(plan.name, from, to));
        return place?.uri === uri && holds(link, place.start);
      });
      const sent = here.filter(({ bytes: size, exposed }) => size > 0 || exposed > 0);
      return run === undefined || sent.length === 0 ? '' : sentText(plan.name, sent, run.report.iteration);
    }),
  );
}

function sentText(pipeline: string, sent: readonly LinkReport[], iteration: number): string {
  const shown = sent.toSorted((a, b) => b.busy - a.busy).slice(0, mostPairs);
  const rest = sent.length - shown.length;
  return sections(
    `Transfers of \`${pipeline}\` in an iteration of which this is the slowest link:`,
    columns(
      shown.map(({ from, to, bytes: size, busy, exposed }) => [
        `${from} → ${to}`,
        bytes(size),
        iteration > 0 ? `${share(busy / iteration)} busy` : '',
        exposed > 0 ? `${time(exposed)} waited for` : '',
      ]),
      ['left', 'right', 'right', 'right'],
    ),
    rest === 0 ? undefined : `And ${count(rest, 'pair', 'pairs')} more.`,
  );
}
