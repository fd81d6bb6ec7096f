import type { ParamPlan } from '../../engine/values/plan.ts';

export interface SliderRange {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/** Without the last digits that units leave behind. */
export const rounded = (value: number): number => Number(value.toPrecision(12));

/** In the unit shown. Without bounds in the file: from a quarter to four times the written value. */
export function sliderRange(param: ParamPlan): SliderRange {
  const { scale } = param;
  const written = param.default / scale;
  const whole = param.dimension === 'number' && Number.isInteger(written);
  const low = param.min === undefined ? Math.min(written / 4, written * 4) : param.min / scale;
  const high = param.max === undefined ? Math.max(written / 4, written * 4, low + 1) : param.max / scale;
  const [min, max] =
    whole && param.min === undefined ? [Math.min(written, Math.max(1, Math.floor(low))), high] : [low, high];
  const step = param.step !== undefined ? param.step / scale : whole ? 1 : (max - min) / 200;
  return { min: rounded(min), max: rounded(Math.max(min, max)), step: step > 0 ? rounded(step) : 1 };
}
