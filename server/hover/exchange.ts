/** What `sync` of a pipeline means, with the sizes of this file, and what sends each layer's gradients. */
import { pipelineBody, valueOf } from '../../engine/fixes/source.ts';
import type { ExchangeRule } from '../../engine/values/exchangePlan.ts';
import { bytes, count, iterationTime, share, time } from '../../engine/basics/quantities.ts';
import type { ExchangeReport } from '../../engine/values/exchangeReport.ts';
import type { SyntaxNode } from '../../grammar/index.ts';
import { inlineCode } from '../text/userText.ts';
import type { View } from '../view.ts';
import { sections } from './markdown.ts';

/** Layers that are named for each collective. */
const mostNamed = 4;

/** Undefined where the innermost name is not the rule or the collective of a pipeline that runs under a rule. */
export function exchangeText(view: View, path: readonly SyntaxNode[]): string | undefined {
  const block = path.find((node) => node.kind === 'block');
  const entry = path.findLast((node) => node.kind === 'entry');
  const node = path.at(-1);
  if (block?.kind !== 'block' || block.keyword.text !== 'pipeline' || entry?.kind !== 'entry') return undefined;
  if (node?.kind !== 'name' || !['sync', 'collective'].includes(entry.key.text)) return undefined;
  const callee = entry.values?.some((value) => value === node || (value.kind === 'call' && value.callee === node));
  if (callee !== true) return undefined;
  const found = view.analysis.pipelines.find(({ plan }) => plan.name === block.name?.text);
  const rule = found?.plan.exchange?.rule;
  if (rule === undefined) return undefined;
  const report = found?.run?.report.exchange;
  const meaning = entry.key.text === 'sync' ? `Here: ${inlineCode(ruleWords(rule))}.` : undefined;
  return sections(meaning, report === undefined ? undefined : sections(figureWords(report), choiceWords(report)));
}

/** `overlap(order = forward, partition = 3.81 MiB, credit = 15.3 MiB, barrier = false)`: what differs from `overlap`. */
export function ruleWords(rule: ExchangeRule): string {
  const { bucket, first, cycle, fuse, order, partition, credit, strict, ack, barrier, earlyStart, halves } = rule;
  const size = (value: number | string): string => (typeof value === 'number' ? bytes(value) : value);
  const credits = order === 'ready' ? 'unlimited' : 'piece';
  const said: readonly (readonly [string, string | undefined])[] = [
    ['bucket', bucket === 'layer' ? undefined : size(bucket)],
    ['first', first === undefined ? undefined : bytes(first)],
    ['cycle', cycle === undefined ? undefined : time(cycle)],
    ['fuse', fuse === undefined ? undefined : bytes(fuse)],
    ['order', order === 'ready' ? undefined : order],
    ['partition', partition === 'whole' ? undefined : size(partition)],
    ['credit', credit === credits ? undefined : credit === 'piece' ? '1' : size(credit)],
    ['strict', strict ? 'true' : undefined],
    ['ack', ack > 0 ? time(ack) : undefined],
    ['barrier', barrier ? undefined : 'false'],
    ['early_start', earlyStart ? 'true' : undefined],
    ['halves', halves === 'apart' ? 'apart' : undefined],
  ];
  const written = said.flatMap(([name, value]) => (value === undefined ? [] : `${name} = ${value}`));
  return written.length === 0 ? 'overlap' : `overlap(${written.join(', ')})`;
}

/** `8 ms, bound 8 ms`: also the inlay hint behind the rule. */
export const periodWords = ({ period, bound }: Pick<ExchangeReport, 'period' | 'bound'>): string =>
  `${iterationTime(period)}, bound ${iterationTime(bound)}`;

function figureWords({ period, bound, gap, partition, credit, exposed, lanes }: ExchangeReport): string {
  const sizes = [
    partition === undefined ? [] : [`pieces of ${bytes(partition)}`],
    credit === undefined ? [] : [`credit of ${bytes(credit)}`],
  ].flat();
  const found = sizes.length === 0 ? '' : ` \`best\` stands for ${sizes.join(' and ')}.`;
  return `Iteration ${periodWords({ period, bound })}${gap < 0.0005 ? '' : ` (${share(gap)} over it)`}; ${inlineCode(exposed.device)} waits ${time(exposed.total)} for gradients. ${bucketWords(lanes)}${found}`;
}

/** `97.5 MiB go in 5 buckets.` Of several lanes, the one that is busy longest. */
function bucketWords(lanes: ExchangeReport['lanes']): string {
  const longest = lanes.reduce<ExchangeReport['lanes'][number] | undefined>(
    (most, lane) => (most === undefined || lane.busy > most.busy ? lane : most),
    undefined,
  );
  return longest === undefined ? '' : `${bytes(longest.bytes)} go in ${count(longest.buckets, 'bucket', 'buckets')}.`;
}

/** Which layers each collective sends, where they differ. */
function choiceWords({ tensors }: ExchangeReport): string | undefined {
  const layers = new Map<string, string[]>();
  for (const { layer, by } of tensors) {
    const known = layers.get(by) ?? [];
    if (!known.includes(layer)) known.push(layer);
    layers.set(by, known);
  }
  if (layers.size < 2) return undefined;
  return [...layers]
    .map(([by, names]) => {
      const more = names.length - mostNamed;
      const shown = names.slice(0, mostNamed).map(inlineCode).join(', ');
      return `- ${inlineCode(by)}: ${shown}${more > 0 ? ` and ${count(more, 'more layer', 'more layers')}` : ''}`;
    })
    .join('\n');
}

/** The end of `sync` of each pipeline, and the report of its exchange. */
export const exchangesIn = ({
  analysis,
}: View): readonly { readonly offset: number; readonly report: ExchangeReport }[] =>
  analysis.pipelines.flatMap(({ plan, run }) => {
    const body = pipelineBody(analysis.syntax, plan.name);
    const value = body === undefined ? undefined : valueOf(body, 'sync');
    const report = run?.report.exchange;
    return value === undefined || report === undefined ? [] : [{ offset: value.end, report }];
  });
