import { bytes } from '../../../engine/basics/quantities.ts';
import type { MemoryTrack } from '../../../engine/simulate/memory.ts';
import { deviceOf } from '../../picture/blocks.ts';
import { fullestHost, hostPeak } from '../../picture/hostMemory.ts';
import { mostLines } from '../../picture/memoryBands.ts';
import { highest } from '../../picture/memoryLevel.ts';
import { selectedDevice } from '../../session/selection.ts';
import type { Band } from '../scene/layout.ts';
import type { Scene } from '../scene/scene.ts';
import { css } from '../scene/theme.ts';
import { type Ink, clipped, timeX } from './canvas.ts';
import { type Labels, aroundPoint, labels } from './labels.ts';
import { levelAxis } from './memoryAxis.ts';
import { paintMemoryAxis } from './memoryFrame.ts';
import { levelLine } from './memoryLine.ts';
import { paintPlayedMemory } from './played.ts';

/** The memory of hosts has its chart under the one of devices, if there is room for both. */
const leastOfDevices = 96;
const sizes = { share: 0.3, least: 44, most: 96 };

/** Room for the memory of devices, and under it for the memory of hosts; the latter undefined where nothing goes there, or without room. */
export function memoryCharts({ layout, picture, stack }: Scene): {
  readonly devices: Band;
  readonly hosts: Band | undefined;
} {
  const { y, height } = layout.memory;
  const shown = stack === undefined ? fullestHost(picture) >= 0 : picture.hosts?.[stack.device] !== undefined;
  const wanted = Math.min(sizes.most, Math.max(sizes.least, Math.floor(height * sizes.share)));
  if (!shown || height - wanted < leastOfDevices) return { devices: layout.memory, hosts: undefined };
  return { devices: { y, height: height - wanted }, hosts: { y: y + height - wanted, height: wanted } };
}

/** What hosts keep for their devices over time. It has no limit: files do not say how much memory hosts have. */
export function paintHostMemory(ink: Ink, scene: Scene): void {
  const { picture, theme, plan, stack } = scene;
  const { hosts: panel } = memoryCharts(scene);
  if (panel === undefined || picture.hosts === undefined) return;
  const within: Scene = { ...scene, layout: { ...scene.layout, memory: panel } };
  const { layout } = within;
  const chosen = stack?.device ?? selectedDevice(scene.selection, (block) => deviceOf(picture, block));
  const fullest = stack?.device ?? fullestHost(picture);
  const axis = levelAxis(hostPeak(picture), panel);
  ink.fillStyle = css(theme.line);
  ink.fillRect(0, panel.y, layout.left + layout.plot, 1);
  paintMemoryAxis(ink, within, axis, stack === undefined ? 'per device' : plan.devices[stack.device].name, 'Host');
  clipped(ink, layout.left, panel.y + 1, layout.plot, panel.height - 1, () => {
    const names = labels(ink, within);
    const isFew = (picture.hosts?.length ?? 0) <= mostLines;
    for (const [device, host] of picture.hosts?.entries() ?? []) {
      if (host === undefined || device === fullest || device === chosen || !isFew || stack !== undefined) continue;
      levelLine(ink, within, host, axis.y, theme.dim, theme.highContrast ? 0.6 : 0.45, 1);
    }
    for (const [device, width] of [
      [fullest, 1.3],
      [chosen, 2],
    ] as const) {
      const host = picture.hosts?.[device];
      if (host !== undefined) levelLine(ink, within, host, axis.y, theme.foreground, 1, width);
    }
    for (const device of new Set([chosen, fullest])) {
      const host = picture.hosts?.[device];
      if (host !== undefined) paintPeak(ink, within, host, `host of ${plan.devices[device].name}`, axis.y, names);
    }
    const tracks = picture.hosts?.flatMap((host) => host ?? []) ?? [];
    paintPlayedMemory(ink, within, tracks, axis.y);
  });
}

function paintPeak(
  ink: Ink,
  scene: Scene,
  host: MemoryTrack,
  name: string,
  y: (level: number) => number,
  names: Labels,
): void {
  const { theme } = scene;
  const peak = highest(host);
  const [x, at] = [timeX(scene, peak.at), y(peak.bytes)];
  ink.fillStyle = css(theme.foreground);
  ink.beginPath();
  ink.arc(x, at, 3, 0, 2 * Math.PI);
  ink.fill();
  names.write(`peak ${bytes(peak.bytes)}, ${name}`, theme.foreground, aroundPoint(x, at));
}
