import { describe, expect, it } from 'vitest';
import type { Scene } from '../../../webview/view/scene/scene.ts';
import { blockLines } from '../../../webview/picture/describe.ts';
import { fullestHost, hostPeak } from '../../../webview/picture/hostMemory.ts';
import { figuresOf } from '../../../webview/session/figures.ts';
import { memoryCharts } from '../../../webview/view/paint/hostMemory.ts';
import { levelAxis } from '../../../webview/view/paint/memoryAxis.ts';
import { layoutFor } from '../../../webview/view/scene/layout.ts';
import { pictureOf } from '../../../webview/worker/makePicture.ts';
import { runOf } from '../../support/analyse.ts';

/** Activations of 100 MB, so that 25 GB/s takes 4 ms for each. The second device keeps both of its own. */
const text = (row: string): string => `
device d { memory = 64GiB  host = 25GB/s }
cluster box { gpu[2] = d  link = 25GB/s }
model toy { layer block[2] { forward = 4ms  backward = 8ms  activation = 100MB } }
schedule mine { row(0) = ${row}  row(1) = F[0], F[1], B[0], B[1] }
pipeline train { model = toy  devices = box  microbatches = 2  stages = balance(2)  schedule = mine }
`;
function made(row: string) {
  const { plan, run } = runOf(text(row));
  return { plan, run, picture: pictureOf({ plan }, run, 1) };
}
const away = made('F[0], E[0, to = host], F[1], E[1, to = host], L[0], B[0], L[1], B[1]');
const kept = made('F[0], F[1], B[0], B[1]');

describe('the memory of hosts', () => {
  it('goes with the picture as a step function: from the start of a copy there to the end of the copy back', () => {
    const { picture } = away;
    const [first, second] = picture.hosts ?? [];
    expect(second).toBeUndefined();
    // Out from 4 and from 8 ms. Back from 8 to 12 ms. The gradient of the other device is there at 20 ms, so B0 ends at 28 ms;
    // then the second comes back until 32 ms.
    const steps = Array.from(first?.at ?? [], (at, step) => [
      Math.round(at * 1e6) / 1e3,
      (first?.bytes[step] ?? 0) / 1e6,
    ]);
    expect(steps).toEqual([
      [0, 0],
      [4, 100],
      [8, 200],
      [12, 100],
      [32, 0],
    ]);
    expect(fullestHost(picture)).toBe(0);
    expect(hostPeak(picture)).toBe(away.run.report.devices[0].host?.peak);
    expect(kept.picture.hosts).toBeUndefined();
    expect([fullestHost(kept.picture), hostPeak(kept.picture)]).toEqual([-1, 0]);
  });

  it('is in the words on a block', () => {
    const { plan, picture } = away;
    // F0, E0, F1 and so on.
    expect(blockLines(plan, picture, 2)).toContainEqual(['Host holds', '95.4 MiB']);
    expect(blockLines(plan, picture, picture.columns.offsets[1]).map(([label]) => label)).not.toContain('Host holds');
  });

  it('is a figure where something goes to a host', () => {
    const figure = figuresOf(away.plan, away.picture).find(({ key }) => key === 'host');
    // Device 0 waits for its second microbatch from 28 to 32 ms, the other one never: the mean of both.
    expect(figure).toMatchObject({
      value: '191 MiB',
      unit: 'on the host of gpu[0]',
      note: 'exposed copies 2 ms per device',
    });
    expect(figuresOf(kept.plan, kept.picture).map(({ key }) => key)).not.toContain('host');
  });

  it('has a chart under the one of devices, which keeps 96 pixels', () => {
    const layout = layoutFor(1400, 800, 2, true);
    const charts = (height: number, { picture } = away, device?: number) => {
      const scene = { picture, layout: { ...layout, memory: { y: 100, height } } } as unknown as Scene;
      return memoryCharts(device === undefined ? scene : { ...scene, stack: { device } as Scene['stack'] & object });
    };
    expect(charts(139)).toEqual({ devices: { y: 100, height: 139 }, hosts: undefined });
    expect(charts(140)).toEqual({ devices: { y: 100, height: 96 }, hosts: { y: 196, height: 44 } });
    expect(charts(1000)).toEqual({ devices: { y: 100, height: 904 }, hosts: { y: 1004, height: 96 } });
    expect(charts(1000, kept).hosts).toBeUndefined();
    // Of the device whose memory is explained.
    expect(charts(1000, away, 0).hosts).toEqual({ y: 1004, height: 96 });
    expect(charts(1000, away, 1).hosts).toBeUndefined();
  });

  it.each([44, 60, 96])('has an axis from 0 to over the highest level, %d pixels high', (height) => {
    for (const peak of [1, 1000, 2 ** 20, 2.75 * 2 ** 30, 300 * 2 ** 30]) {
      const axis = levelAxis(peak, { y: 10, height });
      expect(axis.y(0)).toBe(axis.bottom);
      expect(axis.y(peak)).toBeGreaterThan(10);
      expect(axis.y(peak)).toBeLessThan(axis.bottom - (axis.bottom - 10) * 0.25);
      expect(axis.ticks.length).toBeGreaterThan(0);
    }
  });
});
