import { PassThrough } from 'node:stream';
import {
  createConnection,
  createProtocolConnection,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  InitializedNotification,
  InitializeRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { simulated } from '../../engine/flow/evaluate.ts';
import { nodePlatform } from '../../platform/node/platform.ts';
import { startServer } from '../../server/server.ts';
import { methods, type PlanAnswer } from '../../webview/protocol/requests.ts';
import { draw } from '../../webview/worker/draw.ts';
import { handOver } from '../../webview/worker/handOver.ts';
import { pictureOf } from '../../webview/worker/makePicture.ts';
import { percentile, threadMs } from '../measure.ts';
import { ms, type Table } from '../rows.ts';
import { uri } from '../workloads/analysis.ts';
import { pipelineFile } from '../workloads/files.ts';
import { benchPalette } from '../workloads/palette.ts';

const edits = 12;
const warmup = 4;
const [width, height] = [1400, 640];

/**
 * From an edit to the pixels: the server plans, the plan is copied as messages copy it, and the preview's worker simulates and
 * draws. Without the browser's part: laying out and painting the page. Goals are for the CPU time of the thread of both.
 */
export async function redrawTable(): Promise<Table> {
  const rows = [];
  for (const { devices, microbatches, goal } of [
    { devices: 16, microbatches: 128, goal: 100 },
    { devices: 64, microbatches: 512, goal: 300 },
    { devices: 64, microbatches: 7812, goal: 400 },
  ]) {
    const { plan, worker, own } = await edit(pipelineFile({ devices, microbatches, schedule: '1f1b' }), devices);
    const whole = percentile(
      plan.map((time, at) => time + worker[at]),
      0.5,
    );
    rows.push({
      cells: [
        (2 * devices * microbatches).toLocaleString('en-US'),
        ms(percentile(plan, 0.5)),
        ms(percentile(worker, 0.5)),
        ms(whole),
        ms(percentile(own, 0.5)),
      ],
      took: percentile(own, 0.5),
      goal: { text: `thread ≤ ${goal} ms`, met: percentile(own, 0.5) <= goal },
    });
  }
  return {
    title: 'Edit → blocks drawn, without the pause for typing',
    head: ['operations', 'edit to plan', 'plan to pixels', 'whole', 'thread'],
    rows,
  };
}

/** Milliseconds of each edit. `own`: CPU of this thread. */
async function edit(text: string, devices: number): Promise<{ plan: number[]; worker: number[]; own: number[] }> {
  const up = new PassThrough();
  const down = new PassThrough();
  const server = startServer(createConnection(new StreamMessageReader(up), new StreamMessageWriter(down)), {
    platform: nodePlatform,
  });
  const client = createProtocolConnection(new StreamMessageReader(down), new StreamMessageWriter(up));
  let changed: (() => void) | undefined;
  client.onNotification(methods.planChanged, () => changed?.());
  client.listen();
  await client.sendRequest(InitializeRequest.type, { processId: null, rootUri: null, capabilities: {} });
  await client.sendNotification(InitializedNotification.type, {});
  const textDocument = { uri, languageId: 'pipe', version: 1, text };
  void client.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
  await client.sendRequest<PlanAnswer>(methods.plan, { uri });
  const plan: number[] = [];
  const worker: number[] = [];
  const own: number[] = [];
  const pixels = new Uint32Array(width * height);
  for (let at = 0; at < edits + warmup; at += 1) {
    // The check of the text before is over by then, as between two keys.
    await new Promise((resolve) => setTimeout(resolve, 400));
    const told = new Promise<void>((resolve) => (changed = resolve));
    const before = performance.now();
    const ownBefore = process.threadCpuUsage();
    const next = text.replace(/forward = 4ms/, `forward = ${at % 2 === 0 ? 5 : 4}ms`);
    void client.sendNotification(DidChangeTextDocumentNotification.type, {
      textDocument: { uri, version: at + 2 },
      contentChanges: [{ text: next }],
    });
    await told;
    const answer = await client.sendRequest<PlanAnswer>(methods.plan, { uri });
    const planned = performance.now();
    const [pipeline] = structuredClone(answer.plan?.pipelines ?? []);
    const found = simulated(pipeline);
    if ('faults' in found) throw new Error('The pipeline of the benchmark does not run.');
    const { picture, buffers } = handOver(pictureOf({ plan: pipeline }, found.run, at), true);
    const { columns } = structuredClone(picture, { transfer: [...buffers] });
    const rowHeight = height / devices;
    const view = { t0: 0, t1: columns.makespan, top: 0, rowHeight, bandTop: 0, bandHeight: rowHeight - 1 };
    draw({ ...view, radius: 1, notch: 7 }, width, height, columns, undefined, benchPalette, pixels);
    if (at < warmup) continue;
    plan.push(planned - before);
    worker.push(performance.now() - planned);
    own.push(threadMs(ownBefore));
  }
  client.dispose();
  server.dispose();
  return { plan, worker, own };
}
