/** The files of one run → its summary, for the editor. */
import { dirname, relative } from 'node:path';
import { summaryOf } from '../../../engine/formats/recording/summary.ts';
import { withoutOperations } from '../../../engine/measured/calibratedPlan.ts';
import type { TraceFault } from '../../../engine/formats/kineto/read.ts';
import { withoutFirst } from '../../../engine/runs/iteration.ts';
import { printable } from '../../../server/text/printable.ts';
import type { RunAsked, RunRead, RunShare } from '../../common/runs.ts';
import { byteStream } from './byteStream.ts';
import { faultLines } from './faultLines.ts';
import { filesIn } from './filesIn.ts';
import { readRuns, type RunProgress } from './readRuns.ts';

/** Longer than a summary on disk: a comparison of the same run has the same figures in a terminal. */
const mostLength = 16_000_000;

export async function readRunSummary(asked: RunAsked, tell: (progress: RunShare) => void): Promise<RunRead> {
  const base = commonFolder(asked.paths);
  const shown = (path: string): string => printable(relative(base, path));
  const found = await readRuns({ ...asked, shown }, { openBytes: byteStream, filesIn }, progressTo(tell));
  if ('problem' in found) return found;
  if ('faults' in found) return refused(found.faults);
  if (found.unlabelled !== undefined) return refused([found.unlabelled]);
  if (found.recordings.length === 0) return { problem: `This is no trace: ${withoutOperations}.` };
  const recordings = found.recordings.map((recording) => ({
    ...recording,
    steps: withoutFirst(recording.steps, asked.skip),
  }));
  const { text, left } = summaryOf(recordings, mostLength);
  return {
    text,
    pipelines: recordings.map(({ ranks }) => ranks),
    steps: recordings[0].steps.length - left / recordings.length,
    left,
    remarks: [...faultLines(found.remarks, true), ...(found.skipped === undefined ? [] : [printable(found.skipped)])],
  };
}

function refused(faults: readonly TraceFault[]): RunRead {
  const [first, ...more] = faultLines(faults, false);
  const rest = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return {
    problem: `${first}${rest}`,
    ...(faults[0].partial === undefined ? {} : { partial: true }),
    ...(faults[0].ambiguous === true ? { ambiguous: true } : {}),
  };
}

/** The folder that all paths lie in, so that messages name files by what tells them apart. */
function commonFolder(paths: readonly string[]): string {
  let folder = dirname(paths[0]);
  while (paths.some((path) => relative(folder, path).startsWith('..')) && dirname(folder) !== folder)
    folder = dirname(folder);
  return folder;
}

const progressTo =
  (tell: (progress: RunShare) => void) =>
  (ticks: number): RunProgress => {
    let done = 0;
    let told = 0;
    return {
      tick(what: string): void {
        done += 1;
        const share = Math.min(1, done / Math.max(1, ticks));
        // A hundred messages are enough.
        if (share - told < 0.01) return;
        told = share;
        tell({ share, what });
      },
      end() {},
    };
  };
