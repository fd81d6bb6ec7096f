import type { Lane } from '../../picture/lanes.ts';
import type { Rgb } from '../scene/colour.ts';
import type { Scene } from '../scene/scene.ts';
import { deviceY } from './canvas.ts';

/** Place and colours of the lane of a device. */
export const legTop = (scene: Scene, device: number, leg: number): number =>
  Math.round(deviceY(scene, device) + scene.shape.exchangeTop + leg * scene.shape.legHeight);

export const legBand = ({ shape }: Pick<Scene, 'shape'>): number =>
  shape.legHeight >= 8 ? shape.legHeight - 2 : Math.max(1, shape.legHeight - 1);

export const hueOf = ({ theme }: Pick<Scene, 'theme'>, lane: Lane, bucket: number): Rgb =>
  theme.hues[lane.buckets.front[bucket] % theme.hues.length];
