import type { Run } from '../schedule/evaluation.ts';
import type { PipelinePlan } from '../values/plan.ts';
import { bytes } from '../basics/quantities.ts';
import { peakWords } from '../analyze/figureWords.ts';
import { memoryAmount } from '../analyze/unitWords.ts';
import type { PipelineReport } from '../values/report.ts';
import { fullest } from '../basics/fullest.ts';
import { type MemoryTrack, memoryTrack } from '../simulate/memory.ts';
import { repeatTrack } from '../simulate/repeatTrack.ts';
import { asPlayed, type Playing } from './playing.ts';
import { fontSize, type Sheet, xOf } from './sheet.ts';
import { points, xmlText } from './xml.ts';

export const memoryHeight = 56;
/** More lines than this say nothing: then the fullest device's is drawn alone. */
const mostLines = 8;
/** Corners of a line: two for each point of width. */
const cornersPerPoint = 2;

/** What is written at the chart's scale. */
export function memoryLabels(report: PipelineReport): string[] {
  const device = fullest(report);
  if (device === undefined) return [];
  return report.unit_times === true ? [memoryAmount(device.peak, true)] : [bytes(device.peak), bytes(device.capacity)];
}

/**
 * Bytes over time of each device, the fullest in black, with its limit. `period`: seconds after which all comes again, if that is drawn.
 * While a run plays, the memory of the fullest device is filled.
 */
export function* memoryChart(
  plan: PipelinePlan,
  { timeline, report }: Run,
  sheet: Sheet,
  top: number,
  { period, playing }: { readonly period: number | undefined; readonly playing: Playing | undefined },
): Generator<string> {
  const device = fullest(report);
  if (device === undefined) return;
  const worst = report.devices.indexOf(device);
  const most = Math.max(device.peak, device.capacity <= device.peak * 2.5 ? device.capacity : 0) * 1.06;
  const bottom = top + memoryHeight;
  const y = (size: number): number => bottom - (size / most) * memoryHeight;
  yield `<g class="memory" fill="none" stroke-width="0.5">\n<desc>Memory over time. Peak ${xmlText(report.unit_times === true ? (peakWords(report) ?? '') : `${bytes(device.peak)} of ${bytes(device.capacity)} on ${device.name}`)}.</desc>\n`;
  yield `<path stroke="#999999" d="M${points(sheet.left)} ${points(top)}V${points(bottom)}H${points(sheet.right)}"/>\n`;
  if (device.capacity <= most)
    yield `<path stroke="#b00020" stroke-dasharray="3 2" d="M${points(sheet.left)} ${points(y(device.capacity))}H${points(sheet.right)}"/>\n`;
  const shown = (index: number): MemoryTrack => {
    const track = memoryTrack(plan, timeline, index);
    return period === undefined ? track : repeatTrack(track, period);
  };
  const others =
    plan.devices.length > mostLines ? [] : plan.devices.flatMap((_, index) => (index === worst ? [] : [index]));
  function* lines(): Generator<string> {
    for (const index of others) yield `<path stroke="#8a8a8a" d="${line(shown(index), sheet, y)}"/>\n`;
    const fullestLine = line(shown(worst), sheet, y);
    if (playing !== undefined)
      yield `<path fill="#2f5d9e" fill-opacity="0.2" stroke="none" d="${fullestLine}V${points(bottom)}H${points(sheet.left)}Z"/>\n`;
    yield `<path stroke="#000000" stroke-width="0.9" d="${fullestLine}"/>\n`;
  }
  yield* asPlayed(playing, lines());
  yield '</g>\n';
  const label = (at: number, text: string, colour: string): string =>
    `<text x="${points(sheet.left - 3)}" y="${points(at)}" text-anchor="end" fill="${colour}">${xmlText(text)}</text>\n`;
  yield label(y(device.peak) + fontSize * 0.36, memoryAmount(device.peak, report.unit_times), '#000000');
  const apart = Math.abs(y(device.peak) - y(device.capacity)) > fontSize;
  if (device.capacity <= most && apart)
    yield label(y(device.capacity) + fontSize * 0.36, bytes(device.capacity), '#b00020');
  yield label(bottom, '0', '#000000');
}

/** A step line. Of the steps between two corners the highest is drawn, so that no peak is lost. */
function line({ at, bytes: levels }: MemoryTrack, sheet: Sheet, y: (size: number) => number): string {
  const most = Math.ceil((sheet.right - sheet.left) * cornersPerPoint);
  const stride = Math.max(1, Math.ceil(at.length / most));
  const parts: string[] = [];
  for (let step = 0; step < at.length; step += stride) {
    let top = levels[step];
    for (let next = step + 1; next < Math.min(step + stride, at.length); next += 1) top = Math.max(top, levels[next]);
    const x = points(xOf(sheet, Math.min(at[step], sheet.seconds)));
    parts.push(step === 0 ? `M${x} ${points(y(top))}` : `H${x}V${points(y(top))}`);
  }
  return `${parts.join('')}H${points(sheet.right)}`;
}
