import type { Run } from '../../engine/schedule/evaluation.ts';
import {
  type AsynchronousReport,
  bubbleCauses,
  causeNames,
  type PipelineReport,
  type StageReport,
} from '../../engine/values/report.ts';
import { accuracyNote, behind, fitWords } from '../../engine/analyze/accuracyWords.ts';
import { inFlightText, microbatchesInFlight } from '../../engine/analyze/inFlight.ts';
import {
  drawWords,
  exposedWords,
  measuredNote,
  measuredWords,
  throughputWords,
} from '../../engine/analyze/figureWords.ts';
import { exposedCommunication } from '../../engine/analyze/shares.ts';
import { boundNote, boundOrders, searchedWithin, withinWords } from '../../engine/analyze/boundWithin.ts';
import { type ReportDetails, reportDetails } from '../../engine/analyze/reportDetails.ts';
import { lengthWords } from '../../engine/analyze/lengthWords.ts';
import { tokenWords } from '../../engine/analyze/tokenWords.ts';
import { itemTexts, reservedText, unitOf } from '../../engine/analyze/memoryWords.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import {
  amount,
  bytes,
  count,
  devicesInWords,
  excludesSome,
  iterationTime,
  list,
  moment,
  share,
  shareAtMost,
  time,
  timeAtLeast,
} from '../../engine/basics/quantities.ts';
import type { Colours } from '../colours.ts';
import { memoryBar, memoryKinds } from '../drawing/memoryBar.ts';
import { timelineText } from '../drawing/timeline.ts';
import { exchangeRows } from './exchangeRows.ts';
import { fillRows } from './fillRows.ts';
import { placeRows } from './placeRows.ts';
import { planRows } from './planRows.ts';
import { memoryAmount, unitTimesText } from '../../engine/analyze/unitWords.ts';
import { groupWords, trafficByDevice } from '../../engine/analyze/traffic.ts';
import { fullest } from '../../engine/basics/fullest.ts';
import { section } from './section.ts';
import { table } from './table.ts';

/** The figures of one pipeline, its timeline, devices, stages and links. */
export function reportText(plan: PipelinePlan, run: Run, columns: number, colours: Colours): string {
  const { report } = run;
  const names = report.devices.map((device) => device.name);
  const details = reportDetails(plan, run);
  return [
    headline(plan, report, colours),
    figures(report, colours),
    section('Plan', planRows(report), colours, undefined, columns),
    section('Placement', placeRows(report), colours, undefined, columns),
    timelineText(run, names, columns, colours, details.fills),
    section('Memory', memoryRows(report, columns, colours), colours, 2, columns) + peakLine(plan, report, colours),
    section('Host memory', hostRows(report), colours, undefined, columns),
    section('Stages', stageRows(report), colours, undefined, columns),
    linksText(details, report, columns, colours),
    section('Gradients', exchangeRows(report), colours, undefined, columns) + waitLine(details, colours),
    section('Groups', groupRows(report), colours, undefined, columns),
    section('Fill', fillRows(report), colours, undefined, columns),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function headline(plan: PipelinePlan, report: PipelineReport, colours: Colours): string {
  const parts = [
    report.schedule,
    devicesInWords(plan.devices),
    count(report.microbatches, 'microbatch', 'microbatches'),
    ...(report.asynchronous === undefined
      ? []
      : [`${count(report.asynchronous.iterations, 'iteration', 'iterations')} back to back`]),
    count(report.operations, 'operation', 'operations'),
  ];
  return `${colours.bold(report.name)}  ${parts.join(' · ')}\n`;
}

function figures(report: PipelineReport, colours: Colours): string {
  const { bubble } = report;
  const memory = excludesSome(bubble.bound) ? withinWords(report) : undefined;
  const causes = bubbleCauses
    .filter((cause) => (bubble.causes[cause] ?? 0) >= 0.0005)
    .map((cause) => `${causeNames[cause]} ${share(bubble.causes[cause] ?? 0)}`);
  const device = fullest(report);
  const rows: string[][] = [
    [
      'Iteration',
      `${colours.bold(iterationTime(report.iteration))}${behind(report.accuracy?.time)}`,
      throughputWords(report),
    ],
    ['Bubble', colours.bold(share(bubble.makespan)), causes.length === 0 ? withoutGaps(report) : causes.join(', ')],
    ...(excludesSome(bubble.bound)
      ? [
          [
            '',
            '',
            `with these stages${report.exchange === undefined ? '' : ' and this sync'}${memory === undefined ? '' : `, within ${memory},`} no ${boundOrders(report)} can go below ${share(bubble.bound)}${boundNote(report)}`,
          ],
        ]
      : []),
    ...exposedRows(report, colours),
    ...searchRows(report, colours),
  ];
  const { model_flops: flops, tokens, lengths, jitter } = report;
  if (jitter !== undefined) rows.splice(1, 0, ['', `p95 ${iterationTime(jitter.p95)}`, drawWords(jitter)]);
  if (report.measured !== undefined)
    rows.splice(1, 0, ['', '', `${measuredWords(report.measured)}: ${measuredNote(report.measured)}`]);
  if (tokens !== undefined) {
    const { each, all, total } = tokenWords(tokens);
    rows.push(['Tokens', colours.bold(all), each]);
    if (total !== undefined) rows.push(['', '', total]);
  }
  if (lengths !== undefined) {
    const { range, mean, documents, longest } = lengthWords(lengths);
    rows.push(['Samples', colours.bold(range), mean]);
    if (documents !== undefined) rows.push(['', '', documents]);
    rows.push(['', '', longest]);
  }
  if (flops !== undefined)
    rows.push(['Model FLOPs', colours.bold(share(flops.utilisation)), `${amount(flops.rate)}FLOP/s per device (MFU)`]);
  if (report.asynchronous !== undefined) rows.splice(1, 0, ['', '', pace(report.asynchronous)]);
  if (device !== undefined)
    rows.push([
      'Peak memory',
      `${colours.bold(memoryAmount(device.peak, report.unit_times))}${behind(report.accuracy?.memory)}`,
      report.unit_times === true
        ? `on ${device.name}`
        : `of ${bytes(device.capacity)} on ${device.name}${fitNote(report)}`,
    ]);
  if (report.accuracy !== undefined) rows.push(['', '', accuracyNote(report.accuracy)]);
  const units = report.unit_times === true ? `\n  ${unitTimesText}\n` : '';
  return `${table(rows)}${units}`;
}

/** `: fits in 19 of 20 such runs`; nothing where layers are measured. */
const fitNote = ({ accuracy }: PipelineReport): string =>
  accuracy?.memory === undefined ? '' : `: ${fitWords(accuracy.memory)}`;

/** Why there is no bubble: what operations themselves wait for is not in it. */
const withoutGaps = (report: PipelineReport): string =>
  excludesSome(exposedCommunication(report))
    ? 'no gap between operations; what they wait for inside is exposed communication'
    : 'no device ever waits';

/** What devices wait for communication, by kind; nothing where no share of it shows. */
function exposedRows(report: PipelineReport, colours: Colours): string[][] {
  const exposed = exposedCommunication(report);
  if (!excludesSome(exposed)) return [];
  return [['Exposed', colours.bold(share(exposed)), `communication: ${exposedWords(report)}`]];
}

/** The certificate of a searched order. */
function searchRows(report: PipelineReport, colours: Colours): string[][] {
  const { search } = report;
  if (search === undefined) return [];
  const within = withinWords(report);
  const memory = within === undefined ? '' : ` within ${within}`;
  const limit = searchedWithin(search);
  const { span, p95 } = search;
  return [
    search.status === 'optimal'
      ? ['Order', colours.bold('optimal'), `no ${boundOrders(report)}${memory} is shorter`]
      : [
          'Order',
          colours.bold(`gap ${shareAtMost(search.gap)}`),
          `no ${boundOrders(report)}${memory} takes less than ${timeAtLeast(search.bound, 4)}`,
        ],
    ...(span === undefined
      ? []
      : [
          [
            'Longest span',
            colours.bold(iterationTime(span.longest)),
            span.status === 'optimal'
              ? `optimal: no order within ${limit} has a shorter one`
              : `no order within ${limit} has one under ${timeAtLeast(span.bound, 4)}`,
          ],
        ]),
    ...(p95 === undefined
      ? []
      : [
          [
            'Chosen for',
            `p95 ${iterationTime(p95.p95)}`,
            `the least of ${count(p95.orders, 'order', 'orders')}${p95.slow === true ? ' without "slow"' : ''}; the shortest ends at ${iterationTime(p95.shortest)}, with a p95 of ${iterationTime(p95.shortest_p95)}`,
          ],
        ]),
  ];
}

/** What the iteration of an asynchronous schedule is. */
const pace = ({ iterations, steady, makespan }: AsynchronousReport): string =>
  `${steady ? 'from one update to the next, once full' : 'a mean: the times between updates do not repeat'}; ${iterationTime(makespan)} for all ${iterations}`;

/** One column for each kind of memory that any device has. */
function memoryRows({ devices, unit_times: unlimited }: PipelineReport, columns: number, colours: Colours): string[][] {
  const kinds = memoryKinds.filter((kind) => devices.some((device) => (device.memory[kind] ?? 0) > 0));
  // Of devices that do not exist no limit is known, so a bar would be a share of nothing.
  const limit = (text: string): string[] => (unlimited === true ? [] : [text]);
  const head = [
    '',
    ...limit(''),
    'peak',
    ...limit('of'),
    ...kinds.map((kind) => kind.replace('_', ' ')),
    'in flight',
  ].map((cell) => colours.dim(cell));
  const rows = devices.map((device) => [
    device.name,
    ...limit(memoryBar(device, columns < 110 ? 16 : 24, colours)),
    device.peak > device.capacity
      ? colours.bold(colours.red(`${bytes(device.peak)} !`))
      : memoryAmount(device.peak, unlimited),
    ...limit(bytes(device.capacity)),
    ...kinds.map((kind) => memoryAmount(device.memory[kind] ?? 0, unlimited)),
    inFlightText(microbatchesInFlight(device)),
  ]);
  return devices.length === 0 ? [] : [head, ...rows];
}

/** What hosts keep for their devices. */
const hostRows = ({ devices, iteration }: PipelineReport): string[][] =>
  devices.flatMap(({ name, host }) =>
    host === undefined
      ? []
      : [
          [
            name,
            `${bytes(host.peak)} at most`,
            host.back === undefined
              ? `${bytes(host.bytes)} in each direction`
              : `${bytes(host.bytes)} there, ${bytes(host.back)} back`,
            `busy ${share(iteration > 0 ? host.busy / iteration : 0)}`,
            `exposed ${share(iteration > 0 ? host.exposed / iteration : 0)}`,
            ...(host.optimizer === undefined ? [] : [`update ${time(host.optimizer.update)}`]),
          ],
        ],
  );

/** What the fullest device holds at the moment of its peak. */
function peakLine(plan: PipelinePlan, report: PipelineReport, colours: Colours): string {
  const device = fullest(report);
  if (device === undefined || device.memory_items.length === 0) return '';
  const items =
    report.unit_times === true
      ? memoryAmount(device.peak, true)
      : itemTexts(device.memory_items, unitOf(plan)).join(', ');
  const reserved = reservedText(device);
  const at = `${moment(device.peak_at)}${device.peak_operation === '' ? '' : ` (${device.peak_operation})`}`;
  return `${colours.dim(`  ${device.name} at ${at}: ${items}${reserved === '' ? '' : `; ${reserved}`}`)}\n`;
}

function stageRows(report: PipelineReport): string[][] {
  const known = report.stages.some(({ parameters }) => parameters > 0);
  return report.stages.map((stage) => {
    const host = report.devices.find((device) => device.stages.includes(stage.name))?.name ?? '';
    const cost = `F ${time(stage.forward)}${stage.recompute === undefined ? '' : `  R ${time(stage.recompute)}`}  I ${time(stage.backward_input)}  W ${time(stage.backward_weight)}`;
    const versions = report.asynchronous === undefined ? '' : versionWords(stage);
    // A schedule without a pipeline has no layers.
    const layers =
      report.unit_times === true ? [] : [count(stage.layers.length, 'layer', 'layers'), ends(stage.layers)];
    return [stage.name, host, cost, ...layers, ...(known ? [parameterWords(stage)] : []), versions];
  });
}

/** `2.01 G parameters (10 M train)`; nothing where the file does not say. */
const parameterWords = ({ parameters, trainable }: StageReport): string =>
  parameters === 0
    ? ''
    : `${amount(parameters)} parameters${trainable === undefined ? '' : ` (${amount(trainable)} train)`}`;

/** `4 versions, staleness 3`, and what else the schedule does to the weights. */
const versionWords = ({ versions, staleness, inconsistent, prediction }: StageReport): string =>
  [
    count(versions, 'version', 'versions'),
    `staleness ${staleness}`,
    ...(inconsistent === true ? ['backward uses other weights'] : []),
    ...(prediction === undefined ? [] : [`predicts ${prediction.forward} forward, ${prediction.backward} backward`]),
  ].join(', ');

/** First and last of many names. */
const ends = (names: readonly string[]): string =>
  names.length <= 3 ? list(names) : `${names[0] ?? ''} … ${names.at(-1) ?? ''}`;

function linkRows(report: PipelineReport): string[][] {
  return report.links
    .filter((link) => link.bytes > 0 || link.exposed > 0)
    .toSorted((a, b) => b.exposed - a.exposed || b.busy - a.busy)
    .map((link) => [
      `${link.from} → ${link.to}`,
      bytes(link.bytes),
      `busy ${share(report.iteration > 0 ? link.busy / report.iteration : 0)}`,
      `exposed ${time(link.exposed)}`,
    ]);
}

/** Links that carry anything, or that devices wait for. */
function linksText(details: ReportDetails, report: PipelineReport, columns: number, colours: Colours): string {
  const silent = silentLine(details, colours);
  const links = section('Links', linkRows(report), colours, undefined, columns);
  return links === '' && silent !== '' ? `${colours.bold('Links')}\n${silent}` : links + silent;
}

/** That stages send nothing, and what to write: transfers then cost no more than their latency. */
function silentLine({ silent: [first, ...others] }: ReportDetails, colours: Colours): string {
  if (first === undefined) return '';
  const more =
    others.length === 0 ? '' : `, like ${count(others.length, 'other pair of stages', 'other pairs of stages')}`;
  return `${colours.dim(`  ${first.from} sends 0 B to ${first.to}${more}: write in its layers what one microbatch passes on, such as output = 16MiB.`)}\n`;
}

/** Why a forward waits for gradients where no barrier does: the longest wait, as the editor explains it. */
function waitLine({ wait }: ReportDetails, colours: Colours): string {
  if (wait === undefined) return '';
  const { title, sentences } = wait;
  const text = sentences.map(({ before, strong, after }) => `${before}${strong}${after}`).join(' ');
  return `${colours.dim(`  ${title}. ${text}`)}\n`;
}

/** Exchanges of ranks in one iteration, by kind, on the device with the most exposed time; otherwise with the most bytes. */
function groupRows(report: PipelineReport): string[][] {
  return trafficByDevice(report).map(({ kind, devices }) => {
    const most = devices.reduce((top, device, index) => {
      const { exposed, time: moving } = devices[top];
      return device.exposed > exposed || (device.exposed === exposed && device.time > moving) ? index : top;
    }, 0);
    const device = devices[most];
    return [
      groupWords[kind],
      bytes(device.bytes),
      time(device.time),
      `exposed ${time(device.exposed)} (${share(report.iteration > 0 ? device.exposed / report.iteration : 0)}) on ${report.devices[most].name}`,
    ];
  });
}
