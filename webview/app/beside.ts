import type { GivenOrder } from '../../engine/policies/searched/given.ts';
import type { EngineOptions } from '../../engine/basics/host.ts';
import type { PipelinePlan } from '../../engine/values/plan.ts';
import type { FromPage, ToPage } from '../protocol/messages.ts';
import { type DriftedBlock, driftedBlocks, type PairedColumns, type Side, sides } from '../picture/drift.ts';
import { rowPairs } from '../picture/rowPairs.ts';
import { batched } from './batched.ts';
import { type LowerTimeline, lowerTimeline } from '../session/lowerTimeline.ts';
import { driftSentence, type DriftWordsOf, pairedBlockWords, rowsSentence, tolerances } from '../session/driftWords.ts';
import { saidOf } from '../session/raceSaid.ts';
import { racing } from '../session/racing.ts';
import { blockPath } from '../session/source.ts';
import { standings } from '../session/standings.ts';
import { paletteFrom, type Theme } from '../view/scene/theme.ts';
import type { BesideSide } from '../view/race/besideHead.ts';
import { besideView } from '../view/race/besideView.ts';

type Other = Extract<ToPage, { readonly type: 'beside' }>;

/** The timeline of the file on show. */
export interface OwnTimeline {
  /** `quickstart.pipe: train`. */
  readonly name: string;
  readonly note: string;
  /** Absent if the file has none; `problem` then says why. */
  readonly plan?: PipelinePlan;
  readonly options?: EngineOptions;
  readonly order?: GivenOrder;
  /** With a plan: why it is older than the file. */
  readonly problem?: string;
}

export interface BesideHost {
  post(message: FromPage): void;
  theme(): Theme;
  own(): OwnTimeline;
  show(content: HTMLElement): void;
  close(): void;
}

/** A place for a timeline. The one that is drawn stays until a newer one is simulated. */
interface Place {
  readonly key: string;
  readonly wanted: number;
  readonly shown: number;
  readonly plans: ReadonlyMap<number, PipelinePlan>;
}
const nowhere: Place = { key: '', wanted: -1, shown: -1, plans: new Map() };

/** Shows the file on show and another one side by side, and follows both. */
export function beside(host: BesideHost) {
  let other: Other | undefined;
  let late = false;
  let lowerName = '';
  let places: Readonly<Record<Side, Place>> = { upper: nowhere, lower: nowhere };
  let tolerance: number = tolerances[1];
  /** Which timelines were to be paired, and their operations; `undefined` in it: they are too many. */
  let asked = '';
  let found: { readonly pair: PairedColumns | undefined } | undefined;
  let drifted:
    { readonly of: PairedColumns; readonly tolerance: number; readonly blocks: readonly DriftedBlock[] } | undefined;
  let words: DriftWordsOf | undefined;

  const race = racing({
    palette: () => paletteFrom(host.theme(), 'operation', new Uint8Array(0)),
    changed: batched(() => update(), queueMicrotask),
    strip: (image) => view.image(image),
    failed: (message) => host.post({ type: 'error', message }),
    paired({ upper, lower, paired }) {
      if (`${upper} ${lower}` !== asked) return;
      found = { pair: paired };
      update();
    },
  });
  const view = besideView({
    close,
    choose: () => host.post({ type: 'chooseBeside' }),
    tolerance(share) {
      tolerance = share;
      update();
    },
    draw: race.draw,
    words: (at) => (found?.pair === undefined || words === undefined ? '' : pairedBlockWords(found.pair, at, words)),
    source,
  });

  function source({ side, block }: DriftedBlock): void {
    if (found?.pair === undefined || words === undefined) return;
    const path = blockPath(words.plans[side], { columns: found.pair.columns[side] }, block);
    if (side === 'upper') host.post({ type: 'reveal', path, preserveFocus: false });
    // The text of a version is not open anywhere.
    else if (other?.note === undefined) host.post({ type: 'revealBeside', path });
  }

  /** What is to be drawn there; without a plan nothing is. */
  function enter(side: Side, name: string, given: Pick<OwnTimeline, 'plan' | 'options' | 'order'> | undefined): void {
    const { plan, options, order } = given ?? {};
    const place = places[side];
    const key = plan === undefined ? '' : JSON.stringify([plan, options]);
    if (key === place.key) return;
    for (const id of new Set([place.wanted, ...(plan === undefined ? [place.shown] : [])]))
      if (id >= 0 && (plan === undefined || id !== place.shown)) race.leave(id);
    if (plan === undefined) {
      places = { ...places, [side]: nowhere };
      return;
    }
    const id = race.add({ index: 0, name, plan, options, adoptable: false }, '', true, order);
    places = { ...places, [side]: { ...place, key, wanted: id, plans: new Map([...place.plans, [id, plan]]) } };
  }

  /** What was simulated takes the place of what is drawn. Why it cannot run, if that has come. */
  function settle(side: Side): string | undefined {
    const place = places[side];
    const result = race.runners().find(({ id }) => id === place.wanted)?.result;
    if (result === undefined) return undefined;
    const isReason = 'reason' in result;
    const shown = isReason ? -1 : place.wanted;
    if (place.shown >= 0 && place.shown !== shown) race.leave(place.shown);
    const plans = new Map([...place.plans].filter(([id]) => id === place.wanted));
    places = { ...places, [side]: { ...place, shown, plans } };
    return isReason ? result.reason : undefined;
  }

  function update(): void {
    if (other === undefined) return;
    const own = host.own();
    enter('upper', own.name, own);
    const below = lowerTimeline(other, own.plan?.name);
    const clash = clashWords(own, below);
    if (other.broken !== true) enter('lower', below.name, clash === undefined ? below : undefined);
    // A text with an error does not say which pipelines it has.
    if (other.broken !== true || lowerName === '') lowerName = below.name;
    const reasons = { upper: settle('upper'), lower: settle('lower') };
    const [upper, lower] = [places.upper.shown, places.lower.shown];
    const names = { upper: own.name, lower: lowerName };
    const runners = race
      .runners()
      .flatMap((runner) =>
        sides.flatMap((side) => (runner.id === places[side].shown ? { ...runner, name: names[side] } : [])),
      );
    const standing = standings(runners, 'iteration', upper);
    const of = (side: Side) => standing.rows.find(({ runner }) => runner.id === places[side].shown);
    const plans = { upper: places.upper.plans.get(upper), lower: places.lower.plans.get(lower) };
    const rows = rowPairs(devices(plans.upper), devices(plans.lower));
    pairUp(upper, lower, rows.rows);
    const iteration = of('upper')?.figures?.iteration ?? of('lower')?.figures?.iteration ?? 0;
    words =
      plans.upper === undefined || plans.lower === undefined
        ? undefined
        : { names, plans: { upper: plans.upper, lower: plans.lower }, tolerance, iteration };
    const pair = found?.pair;
    const blocks = pair === undefined ? [] : driftOfAll(pair, tolerance * iteration);
    const said = saidOf(standing, { attended: lower, behind: (id) => race.behind(id, upper), plan: undefined });
    const isPaired = words !== undefined;
    view.update({
      of: {
        upper: sideOf(of('upper'), own, reasons.upper, own.problem !== undefined && own.plan !== undefined),
        lower: sideOf(
          of('lower'),
          {
            name: lowerName,
            note: other.note ?? '',
            problem: clash ?? lowerProblem(other, below, { late, isDrawn: lower >= 0 }),
          },
          reasons.lower,
          other.broken === true || late,
        ),
      },
      ids: { ...(upper < 0 ? {} : { upper }), ...(lower < 0 ? {} : { lower }) },
      rows,
      longest: standing.longest,
      ...(pair === undefined ? {} : { pair }),
      drifted: blocks,
      tolerance,
      iteration,
      sentence: [
        isPaired ? said.text : '',
        isPaired ? rowsSentence(rows, names) : '',
        pair !== undefined && words !== undefined ? driftSentence(pair, blocks, words) : '',
        found !== undefined && pair === undefined ? 'There are too many operations to compare them one by one.' : '',
      ]
        .filter((text) => text !== '')
        .join(' '),
      behind: said.mark?.device ?? -1,
      theme: host.theme(),
    });
  }

  function pairUp(upper: number, lower: number, rows: Parameters<typeof race.pair>[2]): void {
    const key = upper < 0 || lower < 0 ? '' : `${upper} ${lower}`;
    if (key === asked) return;
    asked = key;
    found = undefined;
    drifted = undefined;
    if (key !== '') race.pair(upper, lower, rows);
  }

  function driftOfAll(pair: PairedColumns, seconds: number): readonly DriftedBlock[] {
    if (drifted?.of !== pair || drifted.tolerance !== seconds)
      drifted = { of: pair, tolerance: seconds, blocks: driftedBlocks(pair, seconds) };
    return drifted.blocks;
  }

  function forget(): void {
    race.reset();
    places = { upper: nowhere, lower: nowhere };
    asked = '';
    found = undefined;
    drifted = undefined;
    late = false;
    lowerName = '';
    view.forget();
  }

  function close(): void {
    if (other === undefined) return;
    host.post({ type: 'endBeside', pair: other.pair });
    other = undefined;
    forget();
    host.close();
  }

  return {
    close,
    /** What is below has been chosen, or has another timeline. */
    receive(message: Other): void {
      const isNew = other?.pair !== message.pair;
      if (isNew) {
        forget();
        host.show(view.element);
      }
      other = message;
      update();
      if (isNew) view.focus();
    },
    late(next: boolean): void {
      late = next;
      update();
    },
    /** The file on show has another plan, or none. */
    changed: update,
    /** Shows the whole of both; false if nothing is side by side. */
    showAll(): boolean {
      if (other !== undefined) view.showAll();
      return other !== undefined;
    },
    recolour(): void {
      race.recolour();
      update();
    },
  };
}

const devices = (plan: PipelinePlan | undefined): readonly string[] => plan?.devices.map(({ name }) => name) ?? [];

function lowerProblem(
  { broken }: Other,
  { problem }: LowerTimeline,
  { late, isDrawn }: { readonly late: boolean; readonly isDrawn: boolean },
): string | undefined {
  if (problem !== undefined) return broken === true && isDrawn ? `${problem} Its last valid timeline stays.` : problem;
  return late ? 'Planning the newest text …' : undefined;
}

/** Times of a schedule without a pipeline are no times of a machine. */
function clashWords({ plan, name }: OwnTimeline, other: LowerTimeline): string | undefined {
  if (plan === undefined || other.plan === undefined) return undefined;
  if ((plan.unitTimes === true) === (other.plan.unitTimes === true)) return undefined;
  const [unit, real] = plan.unitTimes === true ? [name, other.name] : [other.name, name];
  return `${unit} is a schedule without a pipeline, in which a forward takes 1 s. ${real} has the times of a machine. They have no common axis.`;
}

function sideOf(
  standing: BesideSide['standing'],
  { name, note, problem }: { readonly name: string; readonly note: string; readonly problem?: string | undefined },
  reason: string | undefined,
  stale: boolean,
): BesideSide {
  const wrong = problem ?? reason;
  return {
    ...{ name, note, stale },
    ...(standing === undefined ? {} : { standing }),
    ...(wrong === undefined ? {} : { problem: wrong }),
  };
}
