import type { Run } from '../../engine/schedule/evaluation.ts';
import { kindName, stageOf } from '../../engine/values/program.ts';
import { csvField } from '../../server/text/csvField.ts';
import { laneOf } from '../drawing/lane.ts';

/** Lines that are joined before they are handed on. */
const chunk = 4_096;

/**
 * One row an operation (RFC 4180), devices in order and each in the order in which it works:
 * `device,stage,kind,microbatch,start,end`, times in seconds at full precision.
 */
export function* csv(run: Run): Generator<string> {
  const { program, report } = run;
  const stages = report.stages.map((stage) => csvField(stage.name));
  let lines: string[] = ['device,stage,kind,microbatch,start,end\r\n'];
  for (let device = 0; device < program.devices; device += 1) {
    const name = csvField(report.devices[device]?.name ?? String(device));
    const lane = laneOf(run, device);
    for (let position = 0; position < lane.word.length; position += 1) {
      const stage = stages[stageOf(program, lane.word[position] ?? 0)] ?? '';
      const kind = kindName(program, lane.kind(position));
      lines.push(
        `${name},${stage},${kind},${lane.microbatch(position)},${lane.start[position] ?? 0},${lane.end[position] ?? 0}\r\n`,
      );
      if (lines.length >= chunk) {
        yield lines.join('');
        lines = [];
      }
    }
  }
  yield lines.join('');
}
