import { peakText } from '../../../engine/analyze/itemWords.ts';
import { unitOf } from '../../../engine/analyze/memoryWords.ts';
import { memoryAmount } from '../../../engine/analyze/unitWords.ts';
import { shareOf } from '../../../engine/analyze/shares.ts';
import { slackWords } from '../../../engine/analyze/slackWords.ts';
import { groupWords } from '../../../engine/analyze/traffic.ts';
import type { PipelinePlan, TrafficName, TrafficPlan } from '../../../engine/values/plan.ts';
import type { HostReport } from '../../../engine/values/report.ts';
import { bytes, count, list, moment, time } from '../../../engine/basics/quantities.ts';
import { stageName, stageNumber as cutNumber } from '../../../engine/costs/stages.ts';
import { stagesOn } from '../../../engine/basics/stagesOn.ts';
import { deviceOf, marksOf, paintKindOf, siblingsOf, stageOf, typeOf } from '../../picture/blocks.ts';
import { isGhost } from '../../picture/ghosts.ts';
import { guardsOf } from '../../picture/guards.ts';
import {
  type Line,
  blockLines,
  blockTitle,
  countedKinds,
  gapTitle,
  gapLines,
  shortName,
} from '../../picture/describe.ts';
import { pieceLines, pieceTitle } from '../../picture/laneWords.ts';
import { rangeFigures } from '../../picture/rangeFigures.ts';
import { withoutUnit } from '../../session/figures.ts';
import { changeText } from '../../session/tornadoBars.ts';
import type { Scene } from '../scene/scene.ts';
import { smallShare } from '../../session/smallShare.ts';
import type { Picture } from '../../picture/picture.ts';
import { type Pointed, type Target, targetTimes } from '../../session/selection.ts';
import { groupDetails } from './groupDetails.ts';

export interface Details {
  readonly title: string;
  /** Kind of paint of the block; undefined for what has none. */
  readonly kind: number | undefined;
  /** Marks over the colour; see `marksOf`. */
  readonly marks?: number;
  readonly lines: readonly Line[];
}

/** Under the pointer: also a device or a group, by its name. */
export function pointedDetails(scene: Scene, pointed: Pointed): Details {
  if (pointed.kind === 'device') return deviceDetails(scene, pointed.device);
  if (pointed.kind === 'group') return { kind: undefined, ...groupDetails(scene, pointed.group) };
  return targetDetails(scene, pointed);
}

function targetDetails({ plan, picture, sensitivity, origin }: Scene, target: Target): Details {
  if (target.kind === 'piece')
    return {
      title: pieceTitle(picture, target.piece),
      kind: undefined,
      lines: pieceLines(plan, picture, target.device, target.piece),
    };
  if (target.kind === 'gap')
    return { title: gapTitle(plan, picture, target.gap), kind: undefined, lines: gapLines(plan, picture, target.gap) };
  const kind = paintKindOf(picture, target.block);
  const lines = [
    ...ghostLines(picture, target.block),
    ...blockLines(plan, picture, target.block),
    ...sensitivityLines(plan, picture, stageOf(picture, target.block), sensitivity),
    ...guardLines(plan, picture, target.block),
    ...origin(target.block),
  ];
  return { title: blockTitle(picture, target.block), kind, marks: marksOf(picture, target.block), lines };
}

const ghostLines = (picture: Picture, block: number): readonly Line[] =>
  isGhost(picture, block) ? [['Missing', 'the text lacks it; a greedy order runs it here']] : [];

/** Conditions of a rule that the operation had to pass. */
const guardLines = (plan: PipelinePlan, picture: Picture, block: number): readonly Line[] =>
  guardsOf(plan, typeOf(picture, block), stageOf(picture, block)).map(({ text }): Line => ['Allowed by', text]);

/** `s1 10 % slower`, `+12 ms (+1.2 %)`, and its slack: as simulated; nothing while it is not known. */
function sensitivityLines(
  plan: PipelinePlan,
  { report }: Picture,
  stage: number,
  sensitivity: Scene['sensitivity'],
): readonly Line[] {
  const row = stage < 0 ? undefined : sensitivity(stage);
  if (row === undefined || row === 'none') return [];
  const name = stageName(plan.stages[stage]);
  const slack = slackWords(row.slack);
  return [
    [`${name} 10 % faster`, changeText(-row.faster, report.iteration)],
    [
      `${name} 10 % slower`,
      [changeText(row.slower, report.iteration), ...(slack === undefined ? [] : [slack])].join(', '),
    ],
  ];
}

/** All that is known of the selection. */
export function selectionDetails(scene: Scene): Details | undefined {
  const { selection, picture, plan } = scene;
  if (selection === undefined) return undefined;
  if (selection.kind === 'range') {
    const figures = rangeFigures(picture, selection.t0, selection.t1, selection.from, selection.to);
    const kinds = Array.from(figures.kinds, ([type, { count: number, seconds }]): Line => [
      type,
      `${count(number, ...countedKinds[type])}, ${time(seconds)}`,
    ]);
    return {
      title: `${time(selection.t1 - selection.t0)} × ${count(selection.to - selection.from + 1, 'device', 'devices')}`,
      kind: undefined,
      lines: [
        ['Interval', `${moment(selection.t0)} – ${moment(selection.t1)}`],
        ['Bubble', smallShare(figures.idle)],
        ...kinds,
        ['Peak', `${memoryAmount(figures.peak, plan.unitTimes)} on ${plan.devices[figures.peakDevice].name}`],
      ],
    };
  }
  if (selection.kind === 'device') return deviceDetails(scene, selection.device);
  const details = targetDetails(scene, selection);
  if (selection.kind !== 'block') return details;
  const siblings = siblingsOf(picture, selection.block);
  const total = siblings.reduce((sum, block) => sum + picture.columns.end[block] - picture.columns.start[block], 0);
  const name: Line = [
    'Operation',
    `${shortName(plan, picture, selection.block)} on ${plan.devices[deviceOf(picture, selection.block)].name}`,
  ];
  const rest = details.lines.filter(([label]) => label !== 'Device' && label !== 'Stage');
  const same: Line[] =
    siblings.length > 1 ? [['This microbatch', `${count(siblings.length, 'block', 'blocks')} · ${time(total)}`]] : [];
  return { ...details, lines: [name, ...rest, ...same, ...exchangeLines(plan, picture, selection.block)] };
}

/** The card of the device has the rest, item by item. */
function deviceDetails({ plan, picture, sensitivity }: Scene, device: number): Details {
  const report = picture.report.devices[device];
  const left = report.capacity - report.peak;
  return {
    title: report.name,
    kind: undefined,
    lines: [
      ['Stages', list(report.stages)],
      ['Busy', smallShare(shareOf(report.busy, picture.report.iteration))],
      ['Peak', peakText(report, unitOf(plan), plan.unitTimes)],
      [left < 0 ? 'Over' : 'Left', memoryAmount(Math.abs(left), plan.unitTimes)],
      ...(report.host === undefined ? [] : hostLines(report.host)),
      // Parts of one stage of the cut are faster together.
      ...stagesOn(plan.placement, device)
        .filter((stage, at, all) => all.findIndex((each) => cutNumber(plan, each) === cutNumber(plan, stage)) === at)
        .flatMap((stage) => sensitivityLines(plan, picture, stage, sensitivity)),
    ],
  };
}

/** What the host keeps for a device, and how long the device waits for copies. */
const hostLines = ({ peak, exposed }: HostReport): readonly Line[] => [
  ['Host', `${bytes(peak)} at most`],
  ...(exposed > 0 ? [['Waits for its host', time(exposed)] as const] : []),
];

/** What ranks of the block's stage exchange for one microbatch, summed over its passes. */
function exchangeLines(plan: PipelinePlan, picture: Picture, block: number): readonly Line[] {
  const exchanged = plan.stages[stageOf(picture, block)]?.traffic ?? {};
  return (Object.entries(exchanged) as [TrafficName, TrafficPlan][]).map(([name, traffic]) => [
    `${groupWords[name]}, all passes`,
    `${time(traffic.time)}, ${time(traffic.exposed)} exposed`,
  ]);
}

/** The selection in one line: its name, and what is asked for most. */
export function selectionSummary(
  scene: Scene,
): { readonly title: string; readonly rest: readonly string[] } | undefined {
  const { selection, plan, picture } = scene;
  if (selection === undefined) return undefined;
  if (selection.kind === 'block') {
    const { start, end } = picture.columns;
    const { block } = selection;
    const slack = picture.slack?.[block];
    return {
      title: `${shortName(plan, picture, block)} on ${plan.devices[deviceOf(picture, block)].name}`,
      rest: [interval(start[block], end[block]), ...(slack === undefined ? [] : [`slack ${time(slack)}`])],
    };
  }
  if (selection.kind === 'piece') {
    const [from, to] = targetTimes(picture, selection);
    const lines = pieceLines(plan, picture, selection.device, selection.piece);
    const slack = lines.find(([label]) => label === 'Slack');
    return {
      title: pieceTitle(picture, selection.piece),
      rest: [interval(from, to), ...(slack === undefined ? [] : [`slack ${slack[1]}`])],
    };
  }
  if (selection.kind === 'gap') {
    const { gap } = selection;
    return { title: gapTitle(plan, picture, gap), rest: [interval(gap.from, gap.to)] };
  }
  const details = selectionDetails(scene);
  return details === undefined
    ? undefined
    : { title: details.title, rest: details.lines.map(([label, value]) => `${label.toLowerCase()} ${value}`) };
}

/** `136.1–152.1 ms`; `at 152.1 ms` of what takes no time. */
function interval(from: number, to: number): string {
  const end = moment(to);
  if (from === to) return `at ${end}`;
  return `${withoutUnit(moment(from), end)}–${end}`;
}
