/** How the sliders differ from what was searched: in words, and what one click does about it. */
import { list, show } from '../../../engine/basics/quantities.ts';
import type { ParamPlan } from '../../../engine/values/plan.ts';
import type { PlanSearchState } from '../../session/planFound.ts';

export type Values = Readonly<Record<string, number>>;

/** Params as the file has them, and the values that sliders have instead. */
export interface Sliders {
  readonly params: readonly ParamPlan[];
  readonly tried: Values;
}

export interface SliderNotice {
  readonly words: string;
  /** Absent if the search has the values of the sliders. */
  readonly button?: string;
}

/** Undefined if neither the sliders nor the search have other values than the file. */
export function sliderNotice({ head, fileRow }: PlanSearchState, { params, tried }: Sliders): SliderNotice | undefined {
  const used = head?.overrides ?? {};
  const isSame = sameValues(used, tried);
  const words = (values: Values): string =>
    list(Object.entries(values).map(([name, value]) => valueWords(params, name, value)));
  if (Object.keys(tried).length === 0) {
    // A row that was written has the values with it.
    if (isSame || fileRow !== undefined) return undefined;
    return {
      words: `This search has other values than the file: ${words(used)}.`,
      button: 'Search with the values of the file',
    };
  }
  if (isSame) return { words: `This search has the values of the sliders: ${words(used)}.` };
  return {
    words: `This search does not have the values of the sliders: ${words(tried)}.`,
    button: 'Search with the sliders',
  };
}

/** `batch 64 instead of 32`. */
function valueWords(params: readonly ParamPlan[], name: string, value: number): string {
  const param = params.find((each) => each.name === name);
  if (param === undefined) return name;
  const text = (number: number): string => param.words?.[number] ?? show(number, param.dimension);
  return `${name} ${text(value)}${value === param.default ? '' : ` instead of ${text(param.default)}`}`;
}

export function sameValues(a: Values, b: Values): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
