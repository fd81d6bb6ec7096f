import type { PipelinePlan } from '../../engine/values/plan.ts';
import type { Columns } from '../../webview/picture/columns.ts';
import { colouringOf } from '../../webview/worker/colouring.ts';
import { draw } from '../../webview/worker/draw.ts';
import { buildPyramid } from '../../webview/worker/pyramid.ts';
import { measure } from '../measure.ts';
import { ms, type Row, type Table } from '../rows.ts';
import { planOf } from '../workloads/analysis.ts';
import { benchPalette as palette } from '../workloads/palette.ts';
import { pipelineFile } from '../workloads/files.ts';
import { ours } from './simulate.ts';
import { columnsOf } from '../../webview/worker/makeColumns.ts';
import type { FrameView } from '../../webview/worker/frame.ts';

const devices = 64;
const width = 1600;
const height = 900;

/** One frame of the preview, drawn as its worker draws it. */
export function frameTable(): Table {
  const rows: Row[] = [];
  for (const blocks of [1e4, 1e5, 1e6]) {
    const plan: PipelinePlan = planOf(
      pipelineFile({ devices, microbatches: Math.round(blocks / (2 * devices)), schedule: '1f1b' }),
    );
    const timeline = ours(plan);
    const columns = columnsOf(plan, timeline);
    const prepare = measure(() => pyramidOf(columnsOf(plan, timeline)));
    const pyramid = pyramidOf(columns);
    const pixels = new Uint32Array(width * height);
    const { makespan } = timeline;
    for (const [name, from, to] of [
      ['everything in view', 0, 1],
      ['a tenth in view', 0.45, 0.55],
      ['a thousandth in view', 0.5, 0.501],
    ] as const) {
      const view = viewOf(from * makespan, to * makespan);
      const frame = measure(() => draw(view, width, height, columns, pyramid, palette, pixels));
      rows.push({
        cells: [columns.word.length.toLocaleString('en-US'), name, ms(prepare.best), ms(frame.first), ms(frame.best)],
        goal: { text: '≤ 20 ms', met: frame.best <= 20 },
      });
    }
  }
  return {
    title: `Preview frame, ${devices} rows, ${width} × ${height} pixels`,
    head: ['blocks', 'view', 'columns + pyramid, once', 'first frame', 'frame'],
    rows,
  };
}

const pyramidOf = (columns: Columns) => buildPyramid(columns, colouringOf(columns, palette));

const viewOf = (t0: number, t1: number): FrameView => ({
  t0,
  t1,
  top: 0,
  rowHeight: height / devices,
  bandTop: 1,
  bandHeight: height / devices - 2,
  radius: 1,
  notch: 7,
});
