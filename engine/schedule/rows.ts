import { type PlanFinding, planFinding } from '../findings/finding.ts';
import { type PipelinePlan, type RowItem, paths } from '../plan.ts';
import { stageNumber } from '../stages.ts';
import { planCopies } from './copies.ts';
import { type Program, letters, shiftFor } from '../program.ts';

const most = 20;

/**
 * Rows as written → program; or findings `schedule/repeated` for operations that no program can hold (stages, microbatches or
 * devices that are not there). Whether the rows are complete and end is for `validate` to say.
 */
export function programOfRows(
  plan: PipelinePlan,
  rows: readonly (readonly RowItem[])[],
): { readonly program: Program } | { readonly faults: readonly PlanFinding[] } {
  const devices = plan.devices.length;
  const stages = plan.stages.length;
  const microbatches = plan.microbatches;
  const shift = shiftFor(microbatches);
  const total = rows.reduce((sum, row) => sum + row.length, 0);
  const order = new Int32Array(total);
  const items = new Int32Array(total);
  const fused = new Uint8Array(total);
  const offsets = new Int32Array(devices + 1);
  const faults = new Map<string, PlanFinding>();
  let anyFused = false;
  let split = false;
  let at = 0;
  for (const [device, row] of rows.entries()) {
    for (const [index, item] of row.entries()) {
      const problem = outside(item, device, devices, stages, microbatches);
      const path = paths.rowItem(plan.name, device, item.item);
      if (problem !== undefined && faults.size < most && !faults.has(path)) {
        const operation = `${stageNumber(plan, item.stage)}${item.op}${item.microbatch}`;
        const name = plan.devices[device]?.name ?? `device ${device}`;
        faults.set(path, planFinding('schedule/repeated', path, { operation, device: name, reason: problem }));
      }
      const kind = letters.indexOf(item.op);
      order[at] = ((kind * stages + item.stage) << shift) | item.microbatch;
      items[at] = item.item;
      if (item.fusedWithNext === true && index + 1 < row.length) {
        fused[at] = 1;
        anyFused = true;
      }
      if (kind >= 2) split = true;
      at += 1;
    }
    if (device < devices) offsets[device + 1] = at;
  }
  for (let device = rows.length; device < devices; device += 1) offsets[device + 1] = at;
  if (faults.size > 0) return { faults: [...faults.values()] };
  const placement = Int32Array.from(plan.placement);
  const copies = planCopies(plan);
  return {
    program: {
      devices,
      stages,
      microbatches,
      split,
      placement,
      order,
      offsets,
      shift,
      items,
      ...(anyFused ? { fused } : {}),
      ...(copies === undefined ? {} : { copies }),
    },
  };
}

function outside(
  item: RowItem,
  device: number,
  devices: number,
  stages: number,
  microbatches: number,
): string | undefined {
  const within = (value: number, count: number): boolean => Number.isInteger(value) && value >= 0 && value < count;
  if (!within(item.stage, stages)) return `names a stage that does not exist: stages are 0 to ${stages - 1}`;
  if (!within(item.microbatch, microbatches))
    return `names a microbatch that does not exist: microbatches are 0 to ${microbatches - 1}`;
  if (device >= devices) return `is in a row for a device that does not exist: devices are 0 to ${devices - 1}`;
  return undefined;
}
