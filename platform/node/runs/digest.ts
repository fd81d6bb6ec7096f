/** A run on disk → what a plan needs of it, or why it has nothing. */
import { basename, relative } from 'node:path';
import type { RunAnswer } from '../../../engine/basics/host.ts';
import { digestOf, iterationsOf } from '../../../engine/runs/digest.ts';
import { type RunFiles, type RunProgress, readRuns } from './readRuns.ts';

export async function readDigest(
  path: string,
  ranks: readonly number[],
  disk: RunFiles,
  progressOf: (ticks: number) => RunProgress,
): Promise<Exclude<RunAnswer, 'reading'>> {
  const chosen = ranks.length === 0 ? {} : { ranks: new Set(ranks) };
  const shown = (file: string): string => (file === path ? basename(path) : relative(path, file));
  const read = await readRuns({ paths: [path], skip: 0, partial: false, shown, ...chosen }, disk, progressOf);
  if ('problem' in read) return { problem: read.problem.replace(/\.$/, '') };
  if ('recordings' in read) {
    const { recordings, logged } = read;
    return {
      runs: recordings.length === 0 && logged !== undefined ? [iterationsOf(logged)] : recordings.map(digestOf),
    };
  }
  const [{ file, line, character, message }] = read.faults;
  return { problem: `${file}, line ${line + 1}, column ${character + 1}: ${message.replace(/\.$/, '')}` };
}
