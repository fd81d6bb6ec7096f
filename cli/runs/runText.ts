/** What a comparison with a run says, as text and as data. */
import { count, iterationTime, share, time, timeChange } from '../../engine/basics/quantities.ts';
import type { RunComparison } from '../../engine/measured/compareRun.ts';
import { shareNames } from '../../engine/measured/shares.ts';
import {
  type MemoryBeside,
  memoryHead,
  memoryNotes,
  memoryRows,
  memoryTitle,
} from '../../engine/measured/memoryBeside.ts';
import { lastStageWords, orderWords, slowdownWords } from '../../engine/measured/runWords.ts';
import { slowLinkWords } from '../../engine/runs/flights.ts';
import type { Stragglers } from '../../engine/runs/stragglers.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import { letters, type Program } from '../../engine/values/program.ts';
import type { Recording } from '../../engine/values/recording.ts';
import { printable } from '../../server/text/printable.ts';
import { table } from '../output/table.ts';
import { wrapped } from '../output/wrapped.ts';

interface ShownPipeline {
  readonly recording: Recording;
  readonly comparison: RunComparison;
  readonly memory: readonly MemoryBeside[];
}

export interface ShownRun {
  readonly plan: PipelinePlan;
  readonly program: Program;
  /** One for each replica. */
  readonly pipelines: readonly ShownPipeline[];
  readonly stragglers: Stragglers;
}

export const runText = ({ plan, program, pipelines, stragglers }: ShownRun): string =>
  [...pipelines.map((one) => pipelineText(plan, program, one)), stragglerText(plan, stragglers)].join('\n');

function pipelineText(plan: PipelinePlan, program: Program, { recording, comparison, memory }: ShownPipeline): string {
  const { planned, measured, steps, shares } = comparison;
  return [
    `${printable(plan.name)}  next to ranks ${recording.ranks.join(', ')}, mean of ${count(steps, 'step', 'steps')}, without the optimizer’s step`,
    '',
    `  Iteration  planned ${iterationTime(planned)}, measured ${iterationTime(measured)}, ${share(measured / planned - 1, true)}`,
    '',
    table(
      shareNames.map(([part, name]) => [`  ${name}`, timeChange(shares[part]), share(shares[part] / planned, true)]),
      1,
    ).trimEnd(),
    '',
    `  Order  ${orderWords(program, comparison)}`,
    '',
    ...linkText(plan, comparison),
    driftText(comparison),
    '',
    rankText(plan, comparison),
    '',
    ...memoryText(plan, memory),
  ].join('\n');
}

const linkText = ({ devices }: PipelinePlan, { slowLinks, otherLinks }: RunComparison): readonly string[] =>
  slowLinks.length === 0
    ? []
    : [
        ...slowLinks.map(
          (link) =>
            `  Slow link  ${slowLinkWords(link, otherLinks, (rank) => printable(devices[rank]?.name ?? `rank ${rank}`))}`,
        ),
        '',
      ];

function driftText({ drifts, steps }: RunComparison): string {
  if (drifts.length === 0) return '  Times  Every operation takes what was planned, within its interval.';
  const interval = steps < 4 ? ' (fewer than 4 steps give no intervals: differences over 2 % are listed)' : '';
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
      timeChange(idle - rank.host - (simulatedIdle[at] ?? 0)),
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

function memoryText({ devices }: PipelinePlan, memory: readonly MemoryBeside[]): readonly string[] {
  if (memory.length === 0) return [];
  const rows = memoryRows(
    memory,
    devices.map(({ name }) => printable(name)),
  );
  const indented = [memoryHead, ...rows].map(([first, ...others]) => [`  ${first}`, ...others]);
  return [
    `  ${memoryTitle}`,
    table(indented, 1).trimEnd(),
    ...memoryNotes(memory).map((note) => wrapped(note, 100, '  ').trimEnd()),
    '',
  ];
}

function stragglerText({ devices }: PipelinePlan, stragglers: Stragglers): string {
  const { slowdown, kinds, ranks, replicas } = stragglers;
  const names = new Map(letters.map((letter): [string, string] => [letter, letter]));
  const slow = (value: number): string => value.toFixed(3);
  const lines = [
    `Stragglers: ${slowdownWords(slow(slowdown))}`,
    `  by kind  ${kinds.map(({ name, slowdown: own }) => `${names.get(name) ?? printable(name)} ${slow(own)}`).join(', ')}`,
    `  by rank  ${ranks.map((own, at) => `${printable(devices[at]?.name ?? String(at))} ${slow(own)}`).join(', ')}`,
    ...(replicas.length > 0 ? [`  by replica  ${replicas.map((own, at) => `${at}: ${slow(own)}`).join(', ')}`] : []),
  ];
  const last = lastStageWords(stragglers);
  if (last !== '') lines.push(`  ${last}`);
  return `${lines.join('\n')}\n`;
}

export const runJson = ({ plan, pipelines, stragglers }: ShownRun): string =>
  `${JSON.stringify({
    version: 1,
    pipeline: plan.name,
    runs: pipelines.map(({ recording, memory, comparison: { figures, drifts, ...rest } }) => ({
      pipeline_ranks: recording.ranks,
      ...rest,
      drifts: drifts.map(({ kind, ...drift }) => ({ kind: letters[kind], ...drift })),
      host: figures.host,
      flight: figures.flight,
      ...(memory.length === 0 ? {} : { memory }),
    })),
    stragglers,
  })}\n`;
