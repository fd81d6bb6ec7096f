import type { Picture } from '../picture/picture.ts';
import type { FromPage, RaceAgainst, ToPage } from '../protocol/messages.ts';
import { batched } from './batched.ts';
import { racing } from '../session/racing.ts';
import { saidOf } from '../session/raceSaid.ts';
import {
  bestVariants,
  family,
  joinEqual,
  type RaceOrder,
  type Runner,
  type Standings,
  standings,
} from '../session/standings.ts';
import type { RaceTab } from '../view/race/raceControls.ts';
import { raceView } from '../view/race/raceView.ts';
import { paletteFrom, type Theme } from '../view/scene/theme.ts';

type PlanMessage = Extract<ToPage, { readonly type: 'plan' }>;
type PipelinePlan = PlanMessage['plan']['pipelines'][number];

export interface RacesHost {
  post(message: FromPage): void;
  theme(): Theme;
  /** The plan on show, all pipelines of its file, and how the server simulates them. */
  shown():
    | {
        readonly plan: PipelinePlan;
        readonly pipelines: readonly PipelinePlan[];
        readonly options: PlanMessage['options'];
        /** Orders that the server has found, by pipeline. */
        readonly orders?: PlanMessage['orders'];
        /** The order of the timeline on show, if it is of that plan and was searched. */
        readonly order?: Picture['order'];
        readonly tried: boolean;
      }
    | undefined;
  show(content: HTMLElement): void;
  close(): void;
  /** A number that no other request of this page has. */
  nextRequest(): number;
}

const keyOf = ({ plan, pipelines, options }: NonNullable<ReturnType<RacesHost['shown']>>): string =>
  JSON.stringify([plan.name, pipelines, options]);

const undoKey = /Mac/.test(navigator.platform) ? '⌘Z' : 'Ctrl+Z';

/** A row of a search for plans that is compared with the file. */
export interface ComparedPlan {
  /** The request that began the search. */
  readonly search: number;
  readonly row: number;
  /** Its settings in words. */
  readonly settings: string;
  /** Where the reader came from. */
  back(): void;
}

type Entry = Extract<ToPage, { readonly type: 'entry' }>;

/** What a comparison starts with: the pipeline on show, or all of its file. */
function starters(
  { plan, pipelines, options, orders, order, tried }: NonNullable<ReturnType<RacesHost['shown']>>,
  tab: RaceTab,
  adopting: string | undefined,
) {
  return (tab === 'pipelines' ? pipelines : [plan]).map((other) => {
    const schedule = other.schedule.name;
    const { name, note } =
      tab === 'pipelines'
        ? { name: other.name, note: schedule }
        : tab === 'plan'
          ? { name: 'this file', note: tried ? `${schedule}, as tried` : schedule }
          : { name: schedule, note: noteOf(schedule, tried, adopting) };
    const found = orders?.[other.name];
    const entry = { index: 0, name, plan: other, options, adoptable: false };
    const isOwn = other === plan;
    return {
      entry: found === undefined ? entry : { ...entry, order: found },
      note,
      known: isOwn ? order : undefined,
      isOwn,
    };
  });
}

/** Of the schedule of the file. `adopting`: the schedule that was asked to be written into it. */
function noteOf(name: string, tried: boolean, adopting: string | undefined): string {
  if (tried) return 'as tried';
  return adopting === name ? `In the file now. Undo: ${undoKey} in the text` : 'as in the file';
}

/** Which timelines have a row, in which order. */
interface Field {
  readonly own: number;
  readonly baseline: number;
  /** Schedules that the reader took out, until another tab is chosen. */
  readonly leftOut: ReadonlySet<string>;
  readonly tab: RaceTab;
  readonly order: RaceOrder;
  /** What the tab of that name compares with. */
  readonly plan?: ComparedPlan;
}

function standingsOf(runners: readonly Runner[], { own, baseline, leftOut, tab, order }: Field): Standings {
  const kept = [own, baseline];
  const all = runners
    .filter(({ id, name }) => kept.includes(id) || !leftOut.has(family(name)))
    .map((runner) => (runner.id === own ? { ...runner, own: true as const } : runner));
  return standings(tab === 'policies' ? joinEqual(bestVariants(all, kept), kept) : all, order, baseline);
}

/** What a reader sees of it, next to the standings. */
const shownField = (
  { tab, order, plan, leftOut }: Field,
  shown: Pick<NonNullable<ReturnType<RacesHost['shown']>>, 'plan' | 'pipelines'>,
) => ({
  ...{ tab, order, title: shown.plan.name },
  ...{ several: shown.pipelines.length > 1, hasPlan: plan !== undefined, leftOut: leftOut.size },
});

/** What the extension is asked for: one answer at a time is awaited. */
function raceRequests(host: Pick<RacesHost, 'post' | 'shown' | 'nextRequest'>) {
  let request = -1;
  function begin(make: (pipeline: string) => FromPage): void {
    const shown = host.shown();
    if (shown === undefined) return;
    request = host.nextRequest();
    host.post(make(shown.plan.name));
  }
  return {
    now: () => request,
    ask: (against: RaceAgainst): void => begin((pipeline) => ({ type: 'race', request, pipeline, against })),
    askPlan: ({ search, row }: ComparedPlan): void =>
      begin((pipeline) => ({ type: 'racePlan', request, pipeline, search, row })),
    end(): void {
      if (request >= 0) host.post({ type: 'endRace', request });
      request = -1;
    },
  };
}

/** Compares the pipeline on show with other schedules, other pipelines, and other versions of its file. */
export function races(host: RacesHost) {
  let open = false;
  /** The timeline under the pointer, or with the focus. */
  let attended = -1;
  let due = false;
  /** The schedule that was asked to be written into the file. */
  let adopting: string | undefined;
  let field: Field = { own: -1, baseline: -1, leftOut: new Set(), tab: 'policies', order: 'iteration' };
  /** What is compared, so that the same plan sent again changes nothing. */
  let compared = '';

  const race = racing({
    palette: () => paletteFrom(host.theme(), 'operation', new Uint8Array(0)),
    // Several answers in one task make one update.
    changed: batched(() => update(), queueMicrotask),
    strip: (image) => view.image(image),
    failed: (message) => host.post({ type: 'error', message }),
  });
  const requests = raceRequests(host);
  const view = raceView({
    tab: (next) => {
      field = { ...field, tab: next, leftOut: new Set() };
      begin();
    },
    against: (against) => requests.ask(against),
    order: (order) => change({ order }),
    baseline: (baseline) => change({ baseline }),
    adopt: (id) => {
      const runner = race.runners().find((each) => each.id === id);
      if (runner?.adopt === undefined) return;
      adopting = family(runner.name);
      host.post({ type: 'adopt', request: requests.now(), index: runner.adopt });
    },
    leaveOut: (id) => {
      const found = ranked().rows.find(({ runner }) => runner.id === id)?.runner;
      const names = found === undefined ? [] : [found.name, ...(found.equal ?? [])];
      change({ leftOut: new Set([...field.leftOut, ...names.map(family)]) });
    },
    showAll: () => change({ leftOut: new Set() }),
    attend: (id) => {
      if (id === attended) return;
      attended = id;
      say();
    },
    draw: race.draw,
    close() {
      const { plan } = field;
      close();
      plan?.back();
    },
  });

  const ranked = (): Standings => standingsOf(race.runners(), field);

  function change(next: Partial<Field>): void {
    field = { ...field, ...next };
    update();
  }

  function say(of: Standings = ranked()): void {
    const behind = (id: number) => race.behind(id, field.baseline);
    const { text, mark } = saidOf(of, {
      attended,
      behind,
      plan: field.tab === 'policies' ? host.shown()?.plan : undefined,
    });
    view.say(text, mark);
  }

  function update(): void {
    const shown = host.shown();
    if (!open || shown === undefined) return;
    const found = ranked();
    view.update({ ...shownField(field, shown), standings: found, theme: host.theme() });
    say(found);
  }

  function begin(): void {
    const shown = host.shown();
    if (!open || shown === undefined) return;
    requests.end();
    race.reset();
    compared = keyOf(shown);
    if (field.tab === 'pipelines' && shown.pipelines.length < 2) field = { ...field, tab: 'policies' };
    const { tab } = field;
    for (const { entry, note, known, isOwn } of starters(shown, tab, adopting)) {
      const id = race.add(entry, note, true, known);
      if (isOwn) field = { ...field, own: id, baseline: id };
    }
    adopting = undefined;
    if (tab === 'policies') requests.ask('policies');
    else if (tab === 'versions') requests.ask('saved');
    else if (tab === 'plan' && field.plan !== undefined) requests.askPlan(field.plan);
  }

  function close(): void {
    if (!open) return;
    open = false;
    requests.end();
    race.reset();
    host.close();
  }

  function show(tab: RaceTab, plan: ComparedPlan | undefined): void {
    if (host.shown() === undefined) {
      // Asked for before the first plan has come.
      due = true;
      return;
    }
    due = false;
    open = true;
    const { plan: _, ...rest } = field;
    field = { ...rest, tab, ...(plan === undefined ? {} : { plan }) };
    host.show(view.element);
    begin();
    view.focus();
  }

  /** Default: the tab that was open last. */
  const openTab = (wanted = field.tab): void => show(wanted === 'plan' ? 'policies' : wanted, undefined);

  return {
    open: openTab,
    /** Compares the file with a row of a search for plans. */
    openPlan: (plan: ComparedPlan): void => show('plan', plan),
    close,
    isOpen: () => open,
    /** An entry of the extension's answer. */
    entry(entry: Entry): void {
      if (!open || entry.request !== requests.now()) return;
      race.add(entry, field.tab === 'plan' ? (field.plan?.settings ?? '') : '', true);
    },
    /** The file has another plan: the comparison starts again. */
    changed(): void {
      const shown = host.shown();
      if (due) return openTab();
      if (open && shown !== undefined && keyOf(shown) !== compared) begin();
    },
    recolour(): void {
      race.recolour();
      update();
    },
  };
}
