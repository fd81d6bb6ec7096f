import type { PipelinePlan } from '../values/plan.ts';
import { count, devicesInWords, excludesSome, iterationTime, share } from '../basics/quantities.ts';
import type { PipelineReport } from '../values/report.ts';
import { cutStages } from '../costs/stages.ts';
import { boundNote, boundOrders, withinWords } from '../analyze/boundWithin.ts';
import { isPeriod, peakWords } from '../analyze/figureWords.ts';
import { unitTimesText } from '../analyze/unitWords.ts';
import { textWidth } from './xml.ts';

/** What made the figure: readers of a paper must be able to make it again. */
export interface Provenance {
  /** Name of the file, without its folders. */
  readonly file: string;
  readonly version: string;
}

/**
 * `1f1b, 4 devices, 8 microbatches: iteration 264 ms, bubble 27.3 % (no order can go below 11.1 %, even with split backwards), peak memory 5 GiB of 16 GiB on gpu[0].
 * Pipeline train of quickstart.pipe, Pipewright 0.1.0.`
 */
export function captionOf(plan: PipelinePlan, report: PipelineReport, { file, version }: Partial<Provenance>): string {
  const shape = [
    plan.schedule.name,
    devicesInWords(plan.devices),
    stagesText(plan),
    count(plan.microbatches, 'microbatch', 'microbatches'),
  ].filter((part) => part !== '');
  const peak = peakWords(report);
  const figures = [
    `${isPeriod(report) ? 'period' : 'iteration'} ${iterationTime(report.iteration)}`,
    `bubble ${share(report.bubble.makespan)}${boundText(report)}`,
    ...(peak === undefined ? [] : [`peak memory ${peak}`]),
  ];
  const said = `${shape.join(', ')}: ${figures.join(', ')}.${plan.unitTimes === true ? ` ${unitTimesText}` : ''}`;
  if (file === undefined) return said;
  return `${said} ${plan.unitTimes === true ? 'Schedule' : 'Pipeline'} ${plan.name} of ${file}, Pipewright ${version}.`;
}

/** What the bubble is above, and for which orders. */
function boundText(report: PipelineReport): string {
  const { bound } = report.bubble;
  if (!excludesSome(bound)) return '';
  const memory = withinWords(report);
  return ` (${memory === undefined ? '' : `within ${memory} `}no ${boundOrders(report)} can go below ${share(bound)}${boundNote(report)})`;
}

/** Stages, where there are others than one per device. */
function stagesText(plan: PipelinePlan): string {
  const stages = cutStages(plan).length;
  return stages === plan.devices.length ? '' : count(stages, 'stage', 'stages');
}

/** The text in lines of at most `width` points; a word that is wider is cut. */
export function wrapped(text: string, size: number, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).flatMap((each) => pieces(each, size, width))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && textWidth(longer, size) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return line === '' ? lines : [...lines, line];
}

function pieces(word: string, size: number, width: number): string[] {
  if (textWidth(word, size) <= width) return [word];
  const found: string[] = [];
  let piece = '';
  for (const character of word) {
    if (piece !== '' && textWidth(piece + character, size) > width) {
      found.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...found, piece];
}
