import type { FromPage, ToPage } from '../protocol/messages.ts';
import { rounded, sliderRange } from '../controls/sliderRange.ts';
import { racing } from '../session/racing.ts';
import { sweepValues } from '../session/sweepValues.ts';
import { sweepChart } from '../view/race/sweepChart.ts';
import { paletteFrom, type Theme } from '../view/scene/theme.ts';

type PlanMessage = Extract<ToPage, { readonly type: 'plan' }>;
type ParamPlan = PlanMessage['plan']['params'][number];

export interface SweepsHost {
  post(message: FromPage): void;
  theme(): Theme;
  pipeline(): string | undefined;
  /** The value of a param on show, in base units. */
  value(name: string): number | undefined;
  turn(name: string, value: number): void;
  nextRequest(): number;
}

type Entry = Extract<ToPage, { readonly type: 'entry' }>;

/** The chart of iteration, bubble and peak over the range of a param. */
export function sweeps(host: SweepsHost) {
  let param: ParamPlan | undefined;
  let values: readonly number[] = [];
  let request = -1;
  /** Runner of each value, by its place. */
  const ids = new Map<number, number>();
  /** The other params that are tried, and the value of this one, as of the last plan. */
  let around: Readonly<Record<string, number>> = {};
  let last: number | undefined;
  const chart = sweepChart((shown) => {
    if (param !== undefined) host.turn(param.name, shown * param.scale);
  });
  const race = racing({
    palette: () => paletteFrom(host.theme(), 'operation', new Uint8Array(0)),
    changed: update,
    strip: () => undefined,
    failed: (message) => host.post({ type: 'error', message }),
  });

  function update(): void {
    if (param === undefined) return;
    const runners = race.runners();
    const points = values.map((value, index) => {
      const result = runners.find(({ id }) => id === ids.get(index))?.result;
      return result === undefined ? { value } : { value, result };
    });
    const current = rounded((host.value(param.name) ?? param.value) / param.scale);
    chart.update({ name: param.argument?.parameter ?? param.name, unit: param.unit, points, current });
  }

  function begin(): void {
    const pipeline = host.pipeline();
    if (param === undefined || pipeline === undefined) return;
    const { name, scale } = param;
    const now = rounded((host.value(name) ?? param.value) / scale);
    race.reset();
    ids.clear();
    values = sweepValues(sliderRange(param), [...new Set([rounded(param.default / scale), now])]);
    request = host.nextRequest();
    host.post({ type: 'sweep', request, pipeline, name, values: values.map((value) => value * scale) });
    update();
  }

  return {
    /** The chart of a param, to be put into a popover; `close` ends its work. */
    open(wanted: ParamPlan): HTMLElement {
      param = wanted;
      begin();
      return chart.element;
    },
    close(): void {
      if (param === undefined) return;
      host.post({ type: 'endRace', request });
      param = undefined;
      race.reset();
    },
    entry(entry: Entry): void {
      if (param !== undefined && entry.request === request) ids.set(entry.index, race.add(entry, '', false));
    },
    /** Another plan is on show. If only this param was turned, what was simulated holds: each value has its own plan. */
    received({ overrides }: PlanMessage, params: readonly ParamPlan[]): void {
      const next = params.find(({ name }) => name === param?.name);
      if (next === undefined) return;
      const { [next.name]: _, ...others } = overrides;
      const turned =
        JSON.stringify(others) === JSON.stringify(around) &&
        JSON.stringify(next.default) === JSON.stringify(param?.default);
      const again = !turned || overrides[next.name] === last;
      around = others;
      last = overrides[next.name];
      param = next;
      if (again) begin();
      else update();
    },
  };
}
