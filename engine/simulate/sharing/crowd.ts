/** Links that operations share while they run. */
import type { PipelinePlan } from '../../values/plan.ts';
import { B, F, I, kindsIn, type Program, U, W } from '../../values/program.ts';
import type { Crowd } from '../../values/timeline.ts';

/** What rounding may add to the rates of operations. */
const rounding = 1 + 1e-9;

/** Undefined where no link is full, whatever runs at the same time. `duration` by row, as operations take alone. */
export function crowdOf(
  { crowdedLinks = [] }: Pick<PipelinePlan, 'crowdedLinks'>,
  program: Program,
  duration: Float64Array,
): Crowd | undefined {
  if (crowdedLinks.length === 0 || program.forwardOnly === true) return undefined;
  const { stages } = program;
  const rows = kindsIn(program) * stages;
  const full = crowdedLinks.flatMap(({ bandwidth, operations }) => {
    const bytes = new Float64Array(rows);
    for (const { stage, forward, input, weight, update } of operations) {
      bytes[F * stages + stage] = forward;
      bytes[B * stages + stage] = input + weight;
      bytes[I * stages + stage] = input;
      bytes[W * stages + stage] = weight;
      if (rows > U * stages) bytes[U * stages + stage] = update;
    }
    return canBeFull(program, bytes, duration, bandwidth) ? [{ bandwidth, bytes }] : [];
  });
  if (full.length === 0) return undefined;
  const bytes = new Float64Array(rows * full.length);
  for (const [link, each] of full.entries())
    for (let row = 0; row < rows; row += 1) bytes[row * full.length + link] = each.bytes[row];
  return { links: Float64Array.from(full, ({ bandwidth }) => bandwidth), bytes };
}

/** By device, seconds that the fullest of its links takes for all that an iteration sends through it. Undefined where lanes carry gradients. */
export function linkSeconds({
  crowdedLinks = [],
  exchange,
  devices,
}: Pick<PipelinePlan, 'crowdedLinks' | 'exchange' | 'devices'>): Float64Array | undefined {
  if (crowdedLinks.length === 0 || exchange !== undefined) return undefined;
  const least = new Float64Array(devices.length);
  for (const { bandwidth, users } of crowdedLinks) {
    const seconds = users.reduce((sum, { bytes }) => sum + bytes, 0) / bandwidth;
    for (const user of users) for (const device of user.devices) least[device] = Math.max(least[device], seconds);
  }
  return least;
}

/** Whether operations that run at the same time can ask more of a link than it carries. */
function canBeFull(
  { stages, placement, devices, fused }: Program,
  bytes: Float64Array,
  duration: Float64Array,
  bandwidth: number,
): boolean {
  const most = new Float64Array(devices);
  for (let row = 0; row < bytes.length; row += 1) {
    if (bytes[row] === 0) continue;
    const device = placement[row % stages];
    most[device] = Math.max(most[device], duration[row] > 0 ? bytes[row] / duration[row] : Infinity);
  }
  // Two operations of a slot run at the same time.
  const atOnce = fused === undefined ? 1 : 2;
  return most.reduce((sum, rate) => sum + rate, 0) * atOnce > bandwidth * rounding;
}
