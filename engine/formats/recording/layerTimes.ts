/** A layer for each stage, with the times that were measured. */
import { numbered, time } from '../../basics/quantities.ts';
import type { Measured, RowTime } from '../../runs/measure.ts';
import { B, F, I, letters, W } from '../../values/program.ts';
import type { Recording } from '../../values/recording.ts';
import { plain } from '../toPipe.ts';

export function layerTimes(
  { stages }: Recording,
  { times, counts }: Measured,
): { readonly layers: readonly string[]; readonly remarks: readonly string[] } | { readonly problem: string } {
  const layers: string[] = [];
  const both: number[] = [];
  for (let stage = 0; stage < stages; stage += 1) {
    const of = (kind: number): RowTime | undefined => times.get(kind * stages + stage);
    const without = [F, B, I, W].find((kind) => (counts.get(kind * stages + stage) ?? 0) > 0 && of(kind) === undefined);
    if (without !== undefined)
      return {
        problem: `${letters[without]} of stage ${stage} always ran at once with another operation, so nothing tells their times apart. No layer gets the time.`,
      };
    const [forward, whole, input, weight] = [of(F), of(B), of(I), of(W)];
    if (forward === undefined) return { problem: `stage ${stage} ran no forward` };
    const entries = [entry('forward', forward.mean)];
    if (input !== undefined && weight !== undefined) {
      const factor = whole === undefined ? 1 : halvesFactor(whole, input, weight);
      if (whole !== undefined) both.push(stage);
      entries.push(entry('backward_input', input.mean * factor), entry('backward_weight', weight.mean * factor));
    } else if (whole !== undefined) entries.push(entry('backward', whole.mean));
    layers.push(`layer stage${stage} { ${entries.join('  ')} }  // ${notes([forward, whole, input, weight])}`);
  }
  return {
    layers,
    remarks:
      both.length === 0
        ? []
        : [
            `${numbered(both, 'Stage', 'Stages')} ran whole backwards and halves. The halves are scaled so that all backwards of a stage together take as long as measured.`,
          ],
  };
}

/** A layer has halves, and a whole backward is their sum: their scale keeps the sum of all that ran. */
const halvesFactor = (whole: RowTime, input: RowTime, weight: RowTime): number =>
  (whole.count * whole.mean + input.count * input.mean + weight.count * weight.mean) /
  (whole.count * (input.mean + weight.mean) + input.count * input.mean + weight.count * weight.mean);

const entry = (key: string, seconds: number): string => `${key} = ${plain(Number((seconds * 1e3).toFixed(6)))}ms`;

/** `± 20 µs, 35 µs, n = 24`: an interval for each time, as far as there are steps for one. */
function notes(times: readonly (RowTime | undefined)[]): string {
  const known = times.flatMap((one) => (one === undefined ? [] : [one]));
  const halves = known.map(({ half }) => half).filter((half) => half !== undefined);
  const interval = halves.length === known.length ? `± ${halves.map((half) => time(half)).join(', ')}; ` : '';
  return `${interval}n = ${known.map((one) => one.count).join(', ')}`;
}
