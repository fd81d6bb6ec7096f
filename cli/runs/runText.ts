/** What a comparison with a run says, as text and as data. */
import { count, iterationTime, share, time } from '../../engine/basics/quantities.ts';
import type { RunComparison } from '../../engine/measured/compareRun.ts';
import type { Stragglers } from '../../engine/runs/stragglers.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import { letters, operationName, type Program } from '../../engine/values/program.ts';
import type { Recording } from '../../engine/values/recording.ts';
import { printable } from '../../server/text/printable.ts';
import { table } from '../output/table.ts';

export interface ShownRun {
  readonly plan: PipelinePlan;
  readonly program: Program;
  /** One for each replica. */
  readonly pipelines: readonly { readonly recording: Recording; readonly comparison: RunComparison }[];
  readonly stragglers: Stragglers;
}

const signed = (seconds: number): string =>
  Math.abs(seconds) < 1e-9 ? '0 ms' : `${seconds > 0 ? '+' : '−'}${time(Math.abs(seconds))}`;

export const runText = ({ plan, program, pipelines, stragglers }: ShownRun): string =>
  [
    ...pipelines.map(({ recording, comparison }) => pipelineText(plan, program, recording, comparison)),
    stragglerText(plan, stragglers),
  ].join('\n');

function pipelineText(plan: PipelinePlan, program: Program, recording: Recording, comparison: RunComparison): string {
  const { planned, measured, steps, shares } = comparison;
  const causes = [
    ['times of operations', shares.times],
    ['hosts between operations', shares.host],
    ['messages', shares.flights],
    ['variation of operations', shares.variation],
    ['another order', shares.order],
    ['not explained', shares.rest],
  ] as const;
  return [
    `${printable(plan.name)}  next to ranks ${recording.ranks.join(', ')}, mean of ${count(steps, 'step', 'steps')}, without the optimizer’s step`,
    '',
    `  Iteration  planned ${iterationTime(planned)}, measured ${iterationTime(measured)}, ${share(measured / planned - 1, true)}`,
    '',
    table(
      causes.map(([name, seconds]) => [`  ${name}`, signed(seconds), share(seconds / planned, true)]),
      1,
    ).trimEnd(),
    '',
    orderText(program, comparison),
    '',
    driftText(comparison),
    '',
    rankText(plan, comparison),
    '',
  ].join('\n');
}

function orderText(program: Program, { order, otherOrder }: RunComparison): string {
  const { cells, of, first, dependsOnTimes } = order;
  if (dependsOnTimes) {
    const apart =
      cells === 0 ? 'It is the order of the plan.' : `The plan would order ${cells} of ${of} operations otherwise.`;
    const saved =
      otherOrder === undefined
        ? ''
        : otherOrder > 0
          ? ` An order made for the measured times would save ${time(otherOrder)}.`
          : ' An order made for the measured times would save nothing.';
    return `  Order  The order that ran is kept here, because the schedule makes its order for the times. ${apart}${saved}`;
  }
  if (cells === 0) return '  Order  as planned';
  const places = first
    .map(
      ({ device, cell, planned, ran }) =>
        `rank ${device} ran ${operationName(program, ran)} at place ${cell}, planned ${operationName(program, planned)}`,
    )
    .slice(0, 8);
  return `  Order  ${cells} of ${of} operations ran at another place: ${places.join('; ')}`;
}

function driftText({ drifts, steps }: RunComparison): string {
  if (drifts.length === 0) return '  Times  Every operation takes what was planned, within its interval.';
  const interval = steps < 4 ? ' (under 4 steps there are no intervals: differences over 2 %)' : '';
  const rows = drifts
    .slice(0, 12)
    .map(({ kind, stage, planned, measured, critical }) => [
      `  ${letters[kind]} of stage ${stage}`,
      time(planned),
      `${time(measured.mean)}${measured.half === undefined ? '' : ` ± ${time(measured.half)}`}`,
      planned > 0 ? share(measured.mean / planned - 1, true) : '',
      String(critical),
    ]);
  const more = drifts.length > 12 ? `\n  and ${drifts.length - 12} more` : '';
  return `  Drifted operations${interval}\n${table([['  operation', 'planned', 'measured', 'change', 'on the critical path'], ...rows], 1).trimEnd()}${more}`;
}

function rankText({ devices }: PipelinePlan, { ranks, simulatedIdle }: RunComparison): string {
  const rows = ranks.map((rank, at) => {
    const idle = rank.within + rank.host + rank.sender + rank.message + rank.other + rank.done;
    const cells = [rank.computing, rank.host + rank.within, rank.sender, rank.message, rank.other, rank.done];
    return [
      `  ${printable(devices[at]?.name ?? `rank ${at}`)}`,
      ...cells.map((seconds) => time(seconds)),
      signed(idle - rank.host - (simulatedIdle[at] ?? 0)),
    ];
  });
  return `  Time of each rank; the parts add up to the iteration\n${table(
    [
      ['  rank', 'computes', 'host', 'sender late', 'message', 'other wait', 'done', 'idle beyond the simulation'],
      ...rows,
    ],
    1,
  ).trimEnd()}`;
}

function stragglerText({ devices }: PipelinePlan, { slowdown, kinds, ranks, replicas, lastStage }: Stragglers): string {
  const names = new Map(letters.map((letter): [string, string] => [letter, letter]));
  const slow = (value: number): string => value.toFixed(3);
  const lines = [
    `Stragglers: the run takes ${slow(slowdown)} × what it would take if every operation kept the planned ratio of times.`,
    `  by kind  ${kinds.map(({ name, slowdown: own }) => `${names.get(name) ?? printable(name)} ${slow(own)}`).join(', ')}`,
    `  by rank  ${ranks.map((own, at) => `${printable(devices[at]?.name ?? String(at))} ${slow(own)}`).join(', ')}`,
    ...(replicas.length > 0 ? [`  by replica  ${replicas.map((own, at) => `${at}: ${slow(own)}`).join(', ')}`] : []),
  ];
  // Of next to nothing, a share says nothing.
  if (slowdown > 1.01)
    lines.push(`  Without the slowness of the last stage alone, ${share(lastStage)} of the loss would go away.`);
  return `${lines.join('\n')}\n`;
}

export const runJson = ({ plan, pipelines, stragglers }: ShownRun): string =>
  `${JSON.stringify({
    version: 1,
    pipeline: plan.name,
    runs: pipelines.map(({ recording, comparison: { figures, drifts, ...rest } }) => ({
      pipeline_ranks: recording.ranks,
      ...rest,
      drifts: drifts.map(({ kind, ...drift }) => ({ kind: letters[kind], ...drift })),
      host: figures.host,
      flight: figures.flight,
    })),
    stragglers,
  })}\n`;
