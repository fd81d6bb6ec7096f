import type { TraceFault } from '../../engine/formats/kineto/read.ts';
import { faultLines } from '../../platform/node/runs/faultLines.ts';
import type { Runs } from '../../platform/node/runs/readRuns.ts';
import { printable } from '../../server/text/printable.ts';
import type { Io } from '../io.ts';

export async function tellFaults(faults: readonly TraceFault[], io: Io): Promise<void> {
  for (const line of faultLines(faults, false)) await io.err(`${line}\n`);
}

/** What of a run that was read is left out. */
export async function tellLeftOut({ remarks, skipped }: Pick<Runs, 'remarks' | 'skipped'>, io: Io): Promise<void> {
  for (const line of faultLines(remarks, true)) await io.err(`${line}\n`);
  if (skipped !== undefined) await io.err(`${printable(skipped)}\n`);
}

/** Why a run is refused. A file that is no trace may be the one that is missed. */
export async function tellRefused(
  { faults, skipped }: { readonly faults: readonly TraceFault[]; readonly skipped?: string },
  io: Io,
): Promise<void> {
  await tellFaults(faults, io);
  await tellLeftOut({ remarks: [], ...(skipped === undefined ? {} : { skipped }) }, io);
}
