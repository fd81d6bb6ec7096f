import type { Picture } from '../picture/picture.ts';
import type { FromPage, RaceAgainst, ToPage } from '../protocol/messages.ts';
import { racing } from '../session/racing.ts';
import { saidOf } from '../session/raceSaid.ts';
import { bestVariants, family, joinEqual, type RaceOrder, type Standings, standings } from '../session/standings.ts';
import { type RaceTab, raceView } from '../view/race/raceView.ts';
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

type Entry = Extract<ToPage, { readonly type: 'entry' }>;

/** Compares the pipeline on show with other schedules, other pipelines, and other versions of its file. */
export function races(host: RacesHost) {
  let open = false;
  let tab: RaceTab = 'policies';
  let order: RaceOrder = 'iteration';
  let request = -1;
  let baseline = -1;
  let own = -1;
  /** The timeline under the pointer, or with the focus. */
  let attended = -1;
  let queued = false;
  let due = false;
  /** The schedule that was asked to be written into the file. */
  let adopting: string | undefined;
  /** Schedules that the user took out of the comparison, until another tab is chosen. */
  const leftOut = new Set<string>();
  /** What is compared, so that the same plan sent again changes nothing. */
  let compared = '';

  const race = racing({
    palette: () => paletteFrom(host.theme(), 'operation', new Uint8Array(0)),
    changed: schedule,
    strip: (image) => view.image(image),
    failed: (message) => host.post({ type: 'error', message }),
  });
  const view = raceView({
    tab: (next) => {
      tab = next;
      leftOut.clear();
      begin();
    },
    against: (against) => ask(against),
    order: (next) => {
      order = next;
      update();
    },
    baseline: (id) => {
      baseline = id;
      update();
    },
    adopt: (id) => {
      const runner = race.runners().find((each) => each.id === id);
      if (runner?.adopt === undefined) return;
      adopting = family(runner.name);
      host.post({ type: 'adopt', request, index: runner.adopt });
    },
    leaveOut: (id) => {
      const found = ranked().rows.find(({ runner }) => runner.id === id)?.runner;
      for (const name of found === undefined ? [] : [found.name, ...(found.equal ?? [])]) leftOut.add(family(name));
      update();
    },
    showAll: () => {
      leftOut.clear();
      update();
    },
    attend: (id) => {
      if (id === attended) return;
      attended = id;
      say();
    },
    draw: race.draw,
    close,
  });

  /** Several answers in one task make one update. */
  function schedule(): void {
    if (queued) return;
    queued = true;
    queueMicrotask(() => {
      queued = false;
      update();
    });
  }

  const ranked = (): Standings => {
    const kept = [own, baseline];
    const all = race
      .runners()
      .filter(({ id, name }) => kept.includes(id) || !leftOut.has(family(name)))
      .map((runner) => (runner.id === own ? { ...runner, own: true as const } : runner));
    return standings(tab === 'policies' ? joinEqual(bestVariants(all, kept), kept) : all, order, baseline);
  };

  function say(of: Standings = ranked()): void {
    const behind = (id: number) => race.behind(id, baseline);
    const { text, mark } = saidOf(of, { attended, behind, plan: tab === 'policies' ? host.shown()?.plan : undefined });
    view.say(text, mark);
  }

  function update(): void {
    const shown = host.shown();
    if (!open || shown === undefined) return;
    const found = ranked();
    view.update({
      title: shown.plan.name,
      tab,
      order,
      standings: found,
      theme: host.theme(),
      several: shown.pipelines.length > 1,
      leftOut: leftOut.size,
    });
    say(found);
  }

  function begin(): void {
    const shown = host.shown();
    if (!open || shown === undefined) return;
    if (request >= 0) host.post({ type: 'endRace', request });
    race.reset();
    compared = keyOf(shown);
    const { plan, pipelines, options, orders, order: ownOrder } = shown;
    if (tab === 'pipelines' && pipelines.length < 2) tab = 'policies';
    for (const other of tab === 'pipelines' ? pipelines : [plan]) {
      const { name, note } =
        tab === 'pipelines'
          ? { name: other.name, note: other.schedule.name }
          : noteOf(other.schedule.name, shown.tried);
      const found = orders?.[other.name];
      const entry = { index: 0, name, plan: other, options, adoptable: false };
      const known = other === plan ? ownOrder : undefined;
      const id = race.add(found === undefined ? entry : { ...entry, order: found }, note, true, known);
      if (other === plan) [own, baseline] = [id, id];
    }
    adopting = undefined;
    if (tab === 'policies') ask('policies');
    else if (tab === 'versions') ask('saved');
  }

  /** The name of the file's schedule, with a note. */
  function noteOf(name: string, tried: boolean): { readonly name: string; readonly note: string } {
    if (tried) return { name, note: 'as tried' };
    return { name, note: adopting === name ? `In the file now. Undo: ${undoKey} in the text` : 'as in the file' };
  }

  function ask(against: RaceAgainst): void {
    const shown = host.shown();
    if (shown === undefined) return;
    request = host.nextRequest();
    host.post({ type: 'race', request, pipeline: shown.plan.name, against });
  }

  function close(): void {
    if (!open) return;
    open = false;
    if (request >= 0) host.post({ type: 'endRace', request });
    request = -1;
    race.reset();
    host.close();
  }

  return {
    open(wanted?: RaceTab): void {
      if (host.shown() === undefined) {
        // Asked for before the first plan has come.
        due = true;
        return;
      }
      due = false;
      open = true;
      tab = wanted ?? tab;
      host.show(view.element);
      begin();
      view.focus();
    },
    close,
    isOpen: () => open,
    /** An entry of the extension's answer. */
    entry(entry: Entry): void {
      if (open && entry.request === request) race.add(entry, '', true);
    },
    /** The file has another plan: the comparison starts again. */
    changed(): void {
      const shown = host.shown();
      if (due) return this.open();
      if (open && shown !== undefined && keyOf(shown) !== compared) begin();
    },
    recolour(): void {
      race.recolour();
      update();
    },
  };
}
