/** Runs the engine on the plan that the page sends, and draws the blocks. Of the messages that wait, it handles the newest of each kind. */
import { givenOrder, giveOrder } from '../../engine/policies/searched/given.ts';
import { evaluateJob } from '../../engine/job/evaluateJob.ts';
import { stallOf } from '../../engine/flow/stall.ts';
import type { Question } from '../picture/questions.ts';
import { colouringOf, fits } from './colouring.ts';
import { comparison } from './comparison.ts';
import { draw } from './draw.ts';
import { jobLanesOf } from './makeJobLanes.ts';
import { type MemoryBands, mostLines } from '../picture/memoryBands.ts';
import type { Picture } from '../picture/picture.ts';
import type { FrameView } from './frame.ts';
import { handOver } from './handOver.ts';
import { keptImage } from './keptImage.ts';
import { memoryBands } from './memoryBands.ts';
import type { MemoryTrack } from '../../engine/simulate/memory.ts';
import type { DrawnImage, FromWorker, ToWorker } from './messages.ts';
import type { Palette } from './palette.ts';
import { pictureOf } from './makePicture.ts';
import { answerTo, type Asked } from './questions.ts';
import { sensitivityStudy } from './sensitivity.ts';
import { simulateRows } from './simulateRows.ts';
import { type Pyramid, buildPyramid } from './pyramid.ts';

interface Scope {
  addEventListener(type: 'message', listener: (event: { readonly data: ToWorker }) => void): void;
  postMessage(message: FromWorker, transfer?: readonly ArrayBuffer[]): void;
}
const scope = globalThis as unknown as Scope;

interface Shown extends Asked {
  readonly generation: number;
  pyramid?: Pyramid;
  /** Of the devices that hold anything; empty if each has a line, and no bands are needed. */
  readonly tracks: readonly MemoryTrack[];
  bands?: { readonly pixels: number; readonly bands: MemoryBands };
}
let shown: Shown | undefined;
let palette: Palette | undefined;
let waitingRun: Extract<ToWorker, { type: 'run' }> | undefined;
/** Worked out when nothing else is asked for: a picture comes before the figures of several pipelines together. */
let waitingJobs: Extract<ToWorker, { type: 'run' }> | undefined;
/** Name of a job whose lanes are asked for. */
let waitingLanes: string | undefined;
let newestRun: Extract<ToWorker, { type: 'run' }> | undefined;
let waitingDraw: Extract<ToWorker, { type: 'draw' }> | undefined;
const waitingAsks = new Map<Question['kind'], Extract<ToWorker, { type: 'ask' }>>();
/** Each of them is answered. */
let waitingStudies: readonly Extract<ToWorker, { type: 'sensitivity' | 'slowdown' }>[] = [];
const study = sensitivityStudy();
/** Timelines to compare, each of which is worked out. */
let waitingEntries: Extract<ToWorker, { type: 'enter' }>[] = [];
let waitingStrips: Extract<ToWorker, { type: 'strips' }> | undefined;
let waitingPair: Extract<ToWorker, { type: 'pair' }> | undefined;
let waitingRecorded: Extract<ToWorker, { type: 'enterRun' }> | undefined;
let waitingDifference: Extract<ToWorker, { type: 'difference' }> | undefined;
const compared = comparison();
const overview = keptImage();
let scheduled = false;
/** Milliseconds in which the first picture may be asked for. */
const jobsDelay = 50;
/** Up to this many blocks, a picture is drawn from the blocks themselves in a few milliseconds. */
const manyBlocks = 100_000;

/** Listens to the page from now on. */
export const serve = (): void => scope.addEventListener('message', receive);

function receive({ data }: { readonly data: ToWorker }): void {
  if (data.type === 'palette') palette = data.palette;
  else if (data.type === 'run') waitingRun = data;
  else if (data.type === 'ask') waitingAsks.set(data.question.kind, data);
  else if (data.type === 'sensitivity' || data.type === 'slowdown') waitingStudies = [...waitingStudies, data];
  else if (data.type === 'lanes') waitingLanes = data.job;
  else if (data.type === 'enter') waitingEntries.push(data);
  else if (data.type === 'strips') waitingStrips = data;
  else if (data.type === 'pair') waitingPair = data;
  else if (data.type === 'recorded') compared.record(data.text);
  else if (data.type === 'enterRun') waitingRecorded = data;
  else if (data.type === 'leave') {
    waitingEntries = waitingEntries.filter(({ id }) => !data.ids.includes(id));
    if (waitingRecorded !== undefined && data.ids.includes(waitingRecorded.upper)) waitingRecorded = undefined;
    compared.leave(data.ids);
  } else if (data.type === 'difference') waitingDifference = data;
  else waitingDraw = data;
  if (scheduled) return;
  scheduled = true;
  setTimeout(work, 0);
}

function work(): void {
  scheduled = false;
  const run = waitingRun;
  const request = waitingDraw;
  waitingRun = undefined;
  waitingDraw = undefined;
  if (run !== undefined) attempt(run.generation, () => simulate(run));
  if (request !== undefined) attempt(shown?.generation ?? 0, () => answer(request));
  const asks = [...waitingAsks.values()];
  waitingAsks.clear();
  for (const ask of asks) attempt(ask.generation, () => reply(ask));
  const studies = waitingStudies;
  waitingStudies = [];
  for (const asked of studies)
    attempt(0, () => {
      const { id, plan } = asked;
      if (plan !== undefined) study.begin(plan);
      if (asked.type === 'slowdown') scope.postMessage({ type: 'slowdown', id, known: study.slowdown(asked.runs) });
      else scope.postMessage({ type: 'sensitivity', id, rows: asked.targets.map(study.row) });
    });
  const job = waitingLanes;
  waitingLanes = undefined;
  if (job !== undefined) attempt(newestRun?.generation ?? 0, () => sendLanes(job));
  compare();
  if (waitingJobs !== undefined) setTimeout(workJobs, jobsDelay);
}

/** One timeline at a time: between two, newer messages are read. */
function compare(): void {
  const strips = waitingStrips;
  waitingStrips = undefined;
  if (strips !== undefined && palette !== undefined) {
    for (const strip of strips.strips) {
      const drawn = compared.draw(strip, palette);
      if (drawn !== undefined) scope.postMessage({ type: 'strip', ...drawn }, [drawn.buffer]);
    }
  }
  const recorded = waitingRecorded;
  waitingRecorded = undefined;
  if (recorded !== undefined) attempt(0, () => enterRun(recorded));
  const pair = waitingPair;
  waitingPair = undefined;
  if (pair !== undefined)
    attempt(0, () => {
      const { upper, lower } = pair;
      scope.postMessage({ type: 'paired', upper, lower, paired: compared.pair(pair) });
    });
  const asked = waitingDifference;
  waitingDifference = undefined;
  if (asked !== undefined)
    attempt(0, () => {
      const { id, baseline } = asked;
      scope.postMessage({ type: 'behind', id, baseline, device: compared.behind(id, baseline) });
    });
  const [next] = waitingEntries;
  if (next === undefined) return;
  waitingEntries = waitingEntries.slice(1);
  attempt(0, () => scope.postMessage({ type: 'entered', id: next.id, result: compared.enter(next) }));
  if (waitingEntries.length === 0 || scheduled) return;
  scheduled = true;
  setTimeout(work, 0);
}

function enterRun(asked: Extract<ToWorker, { type: 'enterRun' }>): void {
  const { upper, lower } = asked;
  const { planned, plannedIdle = 0, result } = compared.enterRun(asked);
  scope.postMessage({
    ...{ type: 'enteredRun', upper, lower, result },
    ...(planned === undefined ? {} : { planned: { seconds: planned, idle: plannedIdle } }),
  });
}

function workJobs(): void {
  const run = waitingJobs;
  if (run === undefined || scheduled) return;
  waitingJobs = undefined;
  const { generation, jobs, options } = run;
  attempt(generation, () => {
    const reports = jobs.flatMap(({ plan, workers }) => evaluateJob(plan, workers, options).report ?? []);
    scope.postMessage({ type: 'jobs', generation, reports });
  });
}

function sendLanes(name: string): void {
  const job = newestRun?.jobs.find(({ plan }) => plan.name === name);
  if (newestRun === undefined || job === undefined) return;
  const lanes = jobLanesOf(job, newestRun.options);
  if (lanes !== undefined) scope.postMessage({ type: 'lanes', generation: newestRun.generation, lanes });
}

function attempt(generation: number, task: () => void): void {
  try {
    task();
  } catch (error) {
    scope.postMessage({ type: 'failed', generation, reason: error instanceof Error ? error.message : String(error) });
  }
}

function simulate(run: Extract<ToWorker, { type: 'run' }>): void {
  const { generation } = run;
  waitingJobs = undefined;
  newestRun = run;
  if (run.order !== undefined) giveOrder(run.plan, run.order);
  const found = simulateRows(run.plan);
  if ('faults' in found) {
    const reasons = found.faults.filter(({ severity }) => severity === 'error').map(({ message }) => message);
    const stall = found.faults.some(({ code }) => code === 'schedule/deadlock') ? stallOf(run.plan) : undefined;
    if (stall === undefined) scope.postMessage({ type: 'none', generation, reasons });
    else scope.postMessage({ type: 'stalled', generation, stall, reasons });
    return;
  }
  const { plan, missing } = found;
  const { program, report } = found.run;
  const order = report.search === undefined ? undefined : givenOrder(plan, program, report.search);
  const picture = {
    ...pictureOf({ plan }, found.run, generation),
    ...(missing === undefined ? {} : { missing }),
    ...(order === undefined ? {} : { order }),
  };
  const { columns } = picture;
  shown = { generation, plan, timeline: found.run.timeline, columns, tracks: bandTracks(picture) };
  if (run.jobs.length > 0) waitingJobs = run;
  const { picture: given, buffers } = handOver(picture, shown.tracks.length > 0);
  scope.postMessage({ type: 'picture', picture: given }, buffers);
}

function reply({ id, generation, question }: Extract<ToWorker, { type: 'ask' }>): void {
  const answered = shown?.generation === generation ? answerTo(shown, question) : undefined;
  scope.postMessage({ type: 'answer', id, answer: answered });
}

function answer({ id, requests }: Extract<ToWorker, { type: 'draw' }>): void {
  if (shown === undefined || palette === undefined) return;
  const { columns, pyramid, generation } = shown;
  const began = performance.now();
  const images: DrawnImage[] = [];
  let bands: MemoryBands | undefined;
  for (const { region, view, width, height, buffer, bands: wanted } of requests) {
    if (wanted !== undefined && shown.tracks.length > 0) bands = bandsOf(shown, view, wanted);
    const old = buffer !== undefined && buffer.byteLength === width * height * 4 ? new Uint32Array(buffer) : undefined;
    const image = { view, width, height, columns, pyramid, palette };
    const paint = () => draw(view, width, height, columns, pyramid, image.palette, old);
    const pixels = region === 'overview' ? overview(image, old, paint) : paint();
    images.push({ region, width, height, buffer: pixels.buffer as ArrayBuffer });
  }
  scope.postMessage(
    { type: 'frame', id, generation, images, bands, milliseconds: performance.now() - began },
    images.map((image) => image.buffer),
  );
  if (columns.word.length > manyBlocks && (pyramid === undefined || !fits(pyramid.colouring, palette)))
    setTimeout(preparePyramid, 0);
}

const bandTracks = ({ memory, report }: Picture): readonly MemoryTrack[] => {
  const holding = memory.filter((_, device) => report.devices[device].peak > 0);
  return holding.length > mostLines ? holding : [];
};

/** The last ones if the stretch of time is the same: only colours or rows have changed. */
function bandsOf(of: Shown, { t0, t1 }: FrameView, pixels: number): MemoryBands {
  const last = of.bands;
  const bands =
    last?.bands.t0 === t0 && last.bands.t1 === t1 && last.pixels === pixels
      ? last.bands
      : memoryBands(of.tracks, t0, t1, pixels);
  of.bands = { pixels, bands };
  return bands;
}

/** The first picture is drawn from the blocks; the next ones, of many blocks, from their shares of time. */
function preparePyramid(): void {
  if (shown === undefined || palette === undefined || scheduled) return;
  const { columns, pyramid } = shown;
  if (pyramid === undefined || !fits(pyramid.colouring, palette))
    shown.pyramid = buildPyramid(columns, colouringOf(columns, palette));
}
