import { memoryAmount } from '../../../engine/analyze/unitWords.ts';
import { firstOverLimit, highest, worstDevice } from '../../picture/memoryLevel.ts';
import { type Scene } from '../scene/scene.ts';
import { deviceOf } from '../../picture/blocks.ts';
import { staticWords } from '../../picture/staticWords.ts';
import { css, font } from '../scene/theme.ts';
import { memoryAxis } from './memoryAxis.ts';
import { paintPlayedMemory } from './played.ts';
import { type Ink, clipped, timeX } from './canvas.ts';
import { type Labels, aroundPoint, labels } from './labels.ts';
import { nameMemoryBands, paintMemoryBands } from './memoryBands.ts';
import { levelLine } from './memoryLine.ts';
import { paintLimit, paintMemoryAxis, paintOverLimit } from './memoryFrame.ts';
import { selectedDevice } from '../../session/selection.ts';

/** Memory of all devices over time, from 0 to the limit of the fullest one. */
export function paintMemory(ink: Ink, scene: Scene): void {
  const { layout, theme, picture } = scene;
  const panel = layout.memory;
  if (panel.height < 60) return;
  const { memory } = picture;
  const { devices } = picture.report;
  const worst = worstDevice(picture.report);
  const fullest = devices[worst];
  const peak = devices.reduce((most, device) => Math.max(most, device.peak), 0);
  const axis = memoryAxis(peak, fullest.capacity, panel);
  const { y, bottom } = axis;
  const chosen = selectedDevice(scene.selection, (block) => deviceOf(picture, block));

  paintMemoryAxis(ink, scene, axis, 'per device');
  clipped(ink, layout.left, panel.y, layout.plot, panel.height, () => {
    const base = y(picture.memory[worst].base);
    ink.fillStyle = css(theme.dim, 0.12);
    ink.fillRect(layout.left, base, layout.plot, bottom - base);
    paintOverLimit(ink, scene, axis, fullest);
    if (scene.bands !== undefined) paintMemoryBands(ink, scene, scene.bands, y);
    else
      for (let device = 0; device < devices.length; device += 1)
        if (device !== worst && device !== chosen)
          levelLine(ink, scene, memory[device], y, theme.dim, theme.highContrast ? 0.6 : 0.45, 1);
    levelLine(ink, scene, memory[worst], y, theme.foreground, 1, 1.3);
    if (chosen >= 0) levelLine(ink, scene, memory[chosen], y, theme.foreground, 1, 2);
    const names = labels(ink, scene);
    paintLimit(ink, scene, axis, fullest, names);
    if (peak === 0) return paintNothing(ink, scene, names, (bottom + (axis.cut ?? axis.limit)) / 2);
    if (chosen >= 0 && chosen !== worst) paintPeak(ink, scene, chosen, y, names);
    paintPeak(ink, scene, worst, y, names);
    if (scene.bands !== undefined) nameMemoryBands(scene, scene.bands, y, names);
    const over = firstOverLimit(picture.memory[worst]);
    if (over !== undefined) paintOver(ink, scene, over, axis.limit);
    paintPlayedMemory(ink, scene, memory, y);
    if (bottom - base > 16)
      for (const text of staticWords(fullest))
        if (fits(ink, scene, text)) {
          names.write(text, theme.dim, [[layout.left + 8, bottom - 9, 'left']], 400);
          break;
        }
  });
}

/** A peak of 0 bytes is no figure of a device: most likely the file has no bytes yet. */
const nothing = [
  'The layers of this pipeline hold no bytes: give them weights and activations to see its memory.',
  'No bytes: give the layers weights and activations.',
  'No layer holds bytes.',
];

function paintNothing(ink: Ink, scene: Scene, names: Labels, y: number): void {
  const { left, plot } = scene.layout;
  const text = nothing.find((each) => fits(ink, scene, each));
  if (text === undefined) return;
  names.write(text, scene.theme.dim, [[left + plot / 2 - ink.measureText(text).width / 2, y, 'left']], 400);
}

function fits(ink: Ink, { theme, layout }: Scene, text: string): boolean {
  ink.font = font(theme, 11);
  return ink.measureText(text).width + 16 < layout.plot;
}

/** A dot at the highest level of a device, with its name if there is room. */
function paintPeak(ink: Ink, scene: Scene, device: number, y: (level: number) => number, names: Labels): void {
  const { theme, plan, picture } = scene;
  const peak = highest(picture.memory[device]);
  const [x, at] = [timeX(scene, peak.at), y(peak.bytes)];
  ink.fillStyle = css(theme.foreground);
  ink.beginPath();
  ink.arc(x, at, 3.5, 0, 2 * Math.PI);
  ink.fill();
  names.write(
    `peak ${memoryAmount(peak.bytes, plan.unitTimes)}, ${plan.devices[device].name}`,
    theme.foreground,
    aroundPoint(x, at),
  );
}

/** Where the limit is first passed. */
function paintOver(ink: Ink, scene: Scene, time: number, limit: number): void {
  const x = timeX(scene, time);
  ink.fillStyle = css(scene.theme.error);
  ink.beginPath();
  ink.arc(x, limit, 8, 0, 2 * Math.PI);
  ink.fill();
  ink.fillStyle = css(scene.theme.background);
  ink.font = font(scene.theme, 12, 700);
  ink.textAlign = 'center';
  ink.fillText('!', x, limit + 0.5);
}
