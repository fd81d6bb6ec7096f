import { sensitivityChange, sensitivityTo } from '../../engine/analyze/sensitivity.ts';
import { hasSlack } from '../../engine/analyze/slackWords.ts';
import { stageSlack } from '../../engine/analyze/stageSlack.ts';
import type { Evaluation } from '../../engine/schedule/evaluation.ts';
import { meshText } from '../../engine/costs/mesh.ts';
import type { StageReport } from '../../engine/values/report.ts';
import type { OffloadedPlan, StagePlan } from '../../engine/values/plan.ts';
import type { SymbolInfo } from '../../engine/language/resolution.ts';
import { stageName, stageNumber, wholeStages } from '../../engine/costs/stages.ts';
import { amount, bytes, count, list, share, time } from '../../engine/basics/quantities.ts';
import type { View } from '../view.ts';
import { partsTable, trafficNote, trafficRows } from './costs.ts';
import { sections, table } from './markdown.ts';
import { memoryText } from './memory.ts';
import { trainableRows } from './trainable.ts';

/** Costs of a stage, and what fills its device at the peak. */
export function stageText(view: View, { name, container }: SymbolInfo): string {
  const pipeline = view.analysis.pipelines.find((evaluation) => `pipeline:${evaluation.plan.name}` === container);
  const index = pipeline === undefined ? -1 : (worstCopy(pipeline, name) ?? -1);
  const stage = pipeline?.plan.stages[index];
  if (pipeline === undefined || stage === undefined) return '';
  const device = pipeline.run?.report.devices[pipeline.plan.placement[index] ?? -1];
  const report = pipeline.run?.report.asynchronous === undefined ? undefined : pipeline.run.report.stages[index];
  const whole = wholeStages(pipeline.plan)[stageNumber(pipeline.plan, index)]?.plan ?? stage;
  return sections(
    stageCosts(
      whole,
      meshText(pipeline.plan, pipeline.plan.devices[pipeline.plan.placement[index]] ?? {}),
      pipeline.plan.lengths !== undefined,
    ),
    report === undefined ? undefined : versionText(report),
    slackText(pipeline, stageNumber(pipeline.plan, index)),
    device === undefined ? undefined : memoryText(pipeline.plan, device, name),
  );
}

/** Operations of a pipeline that a hover simulates again at most. */
const mostOperations = 500_000;

/** What the iteration takes if the stage is slower or faster, and how much slack it has. */
function slackText({ plan, run }: Evaluation, stage: number): string | undefined {
  if (run === undefined || run.program.order.length > mostOperations) return undefined;
  const { slower, faster } = sensitivityTo(plan, run.timeline, { kind: 'stage', index: stage });
  const iteration = run.report.iteration;
  const effect = (seconds: number, word: string) =>
    seconds > 1e-9 * iteration ? `${time(seconds)} ${word} (${share(seconds / iteration)})` : `no ${word}`;
  const change = share(sensitivityChange);
  const effects = `If the stage is ${change} slower, the iteration gets ${effect(slower, 'longer')}. If it is ${change} faster, the iteration gets ${effect(faster, 'shorter')}.`;
  const slack = stageSlack(plan, run.timeline, stage);
  if (slack === undefined) return effects;
  if (!hasSlack(slack)) return `${effects} It has no slack.`;
  const cost =
    run.report.asynchronous === undefined ? 'the iteration gets longer only once' : 'the period stays the same';
  return `${effects} Slack: ${time(slack)} per microbatch. Up to that, ${cost}.`;
}

/** Weights of a stage under an asynchronous schedule. */
const versionText = ({ versions, staleness, staleness_mean, delay, inconsistent }: StageReport): string =>
  `Weights: ${count(versions, 'version', 'versions')} at any time; a gradient is at most ${count(staleness, 'update', 'updates')} late` +
  (staleness_mean === undefined || staleness_mean === staleness ? '' : `, ${figure(staleness_mean)} on average`) +
  `${delay === undefined ? '' : `, with ${figure(delay)} minibatches from a forward to the end of its backward`}.` +
  (inconsistent === true ? ' The backward uses other weights than the forward.' : '');

const figure = (value: number): string => String(Number(value.toPrecision(3)));

/** Index of the stage; of its copies that on the device with the highest peak. */
export function worstCopy({ plan, run }: Evaluation, name: string): number | undefined {
  const peak = (index: number) => run?.report.devices[plan.placement[index] ?? -1]?.peak ?? 0;
  const copies = plan.stages.flatMap((stage, index) => (stageName(stage) === name ? [index] : []));
  return copies.reduce<number | undefined>(
    (worst, copy) => (worst === undefined || peak(copy) > peak(worst) ? copy : worst),
    undefined,
  );
}

function stageCosts(stage: StagePlan, ranks: string, differ: boolean): string {
  const segments = stage.copy?.segments ?? 1;
  return sections(
    `Layers ${list(shortened(stage.layers))}, one microbatch${segments > 1 ? ` (${segments} segments)` : ''}${differ ? ', the mean of different lengths' : ''}:`,
    table([
      ['ranks', ranks === '' ? undefined : ranks],
      ['parameters', positive(stage.parameters, amount)],
      ...trainableRows(stage),
      ['FLOPs of the forward', positive(stage.forwardFlops, (flops) => `${amount(flops)}FLOP`)],
      ['forward', time(stage.forward)],
      ['input gradient', time(stage.backwardInput)],
      [stage.splitKnown ? 'weight gradient' : 'weight gradient (assumed equal)', time(stage.backwardWeight)],
      ['recompute', positive(stage.recompute, time)],
      ['activation', positive(stage.activation, bytes)],
      ['activations on the host', stage.offloaded === undefined ? undefined : offloadedText(stage.offloaded)],
      ...trafficRows(stage.traffic),
    ]),
    trafficNote(stage.traffic),
    stage.activationParts === undefined
      ? undefined
      : sections('Its forward keeps:', partsTable(stage.activationParts, stage.activation)),
  );
}

/** Of one microbatch: what the forward copies away, the time of the copy, and by how much it makes the forward and the backward longer. */
function offloadedText({ layers, bytes: size, busy, exposed }: OffloadedPlan): string {
  const wait = exposed > 0 ? `${time(exposed)} exposed` : 'hidden';
  return `${bytes(size)} of ${count(layers, 'layer', 'layers')}, copied in ${time(busy)} in each direction, ${wait}`;
}

/** Equal neighbours of an array are many; the ends say enough. */
const shortened = (layers: readonly string[]): readonly string[] =>
  layers.length <= 4 ? layers : [layers[0] ?? '', '…', layers.at(-1) ?? ''];

const positive = (value: number, show: (value: number) => string): string | undefined =>
  value > 0 ? show(value) : undefined;
