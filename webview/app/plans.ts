import type { FromPage, ToPage } from '../protocol/messages.ts';
import { bestOf } from '../../engine/sweep/best.ts';
import { batched } from './batched.ts';
import type { ComparedPlan } from './races.ts';
import { planFound } from '../session/planFound.ts';
import { settingWords } from '../view/plan/words.ts';
import { planView } from '../view/plan/planView.ts';
import type { Sliders } from '../view/plan/sliders.ts';
import type { Theme } from '../view/scene/theme.ts';

export interface PlansHost {
  post(message: FromPage): void;
  theme(): Theme;
  show(content: HTMLElement): void;
  close(): void;
  /** Compares the pipeline of the search with a row of it. */
  compare(pipeline: string | undefined, plan: ComparedPlan): void;
  /** A row is on show that the file does not have; undefined: it is not any more. */
  trial(actions: { apply(): void; back(): void } | undefined): void;
  say(text: string): void;
  /** Values that the reader tries instead of the file's values. */
  sliders(): Sliders;
  /** A number that no other request of this page has. */
  nextRequest(): number;
}

type PlanMessage = Extract<ToPage, { readonly type: 'planFound' | 'planEnd' | 'planEdited' | 'planNote' }>;
type Kept = Extract<ToPage, { readonly type: 'planKept' }>;

/** The search for the fastest plan: begins and ends it, and writes or shows a row of it. */
export function plans(host: PlansHost) {
  const found = planFound();
  let open = false;
  let pipeline: string | undefined;
  /** The row that the reader has chosen; until then, the best so far. */
  let chosen: number | undefined;
  /** The row whose timeline was asked for. */
  let tried: number | undefined;

  const view = planView({
    stop: () => host.post({ type: 'stopPlan', request: found.request() }),
    longer: () => search('more'),
    // As before: with the sliders as they are now, if the last search had them.
    again: () => search(found.state().head?.overrides === undefined ? 'file' : 'sliders'),
    withSliders: () => search('sliders'),
    select: (row) => {
      chosen = row;
      update();
    },
    save: (format) => host.post({ type: 'savePlan', request: found.request(), format }),
    write,
    show: (row) => {
      tried = row;
      turn(false);
      host.close();
      host.post({ type: 'showPlan', request: found.request(), row });
    },
    compare: (row) => {
      const point = found.state().points.find((each) => each.row === row);
      if (point === undefined) return;
      turn(false);
      const plan = { search: found.request(), row, settings: settingWords(point), back: show };
      host.compare(found.state().head?.pipeline, plan);
    },
    goto: () => {
      const { start } = found.state().range ?? {};
      if (start !== undefined) host.post({ type: 'goto', ...start });
    },
    close,
  });

  /** No row is on show any more. */
  function untry(): void {
    tried = undefined;
    host.trial(undefined);
  }

  function write(row: number): void {
    untry();
    host.post({ type: 'writePlan', request: found.request(), row });
  }

  function search(how: 'file' | 'sliders' | 'more'): void {
    found.begin(host.nextRequest(), how === 'more');
    if (how !== 'more') chosen = undefined;
    const { tried: values } = host.sliders();
    const isTried = how === 'sliders' && Object.keys(values).length > 0;
    const what = { ...(pipeline === undefined ? {} : { pipeline }), ...(isTried ? { overrides: values } : {}) };
    host.post({ type: 'findPlan', request: found.request(), ...what, ...(how === 'more' ? { more: true } : {}) });
    update();
  }

  /** Opens or closes the view; the editor remembers which, for a page that is hidden. */
  function turn(next: boolean): void {
    open = next;
    host.post({ type: 'planView', request: found.request(), open });
  }

  /** Several messages in one frame make one drawing. */
  const schedule = batched(() => update(), requestAnimationFrame);

  function update(): void {
    if (!open) return;
    const state = found.state();
    const ahead = bestOf(state.front, state.head?.minimise ?? 'iteration');
    // If no row fits, the one that is nearest to it.
    const best = state.figures?.best ?? (ahead ?? state.smallest)?.row;
    view.update({ search: state, theme: host.theme(), selected: chosen ?? best, sliders: host.sliders() });
  }

  function show(): void {
    turn(true);
    host.show(view.element);
    update();
    view.focus();
  }

  function close(): void {
    if (!open) return;
    host.post({ type: 'stopPlan', request: found.request() });
    turn(false);
    host.close();
  }

  function back(): void {
    untry();
    host.post({ type: 'showPlan', request: found.request(), row: -1 });
    show();
  }

  return {
    /** Opens the view, and searches what is not known. Default: the pipeline that the file has a search for. */
    open(wanted?: string): void {
      if (isKnown(found.state(), pipeline, wanted)) {
        if (tried !== undefined) back();
        else show();
        return;
      }
      pipeline = wanted;
      untry();
      open = true;
      host.show(view.element);
      search('file');
      view.focus();
    },
    /** Goes on with a search that an earlier page began, or this one before it showed another file. */
    resume(kept: Kept): void {
      ({ pipeline, tried } = kept);
      chosen = undefined;
      found.resume(kept);
      if (!kept.open) return;
      open = true;
      host.show(view.element);
      update();
    },
    receive(message: PlanMessage): void {
      const before = found.state();
      if (!found.receive(message)) return;
      const news = newsOf(found.state(), before);
      if (news !== '') host.say(news);
      schedule();
    },
    /** A plan has come; `trying`: one that the file does not have. */
    planned(trying: boolean): void {
      const row = tried;
      if (row === undefined) return;
      if (trying) host.trial({ apply: () => write(row), back });
      else untry();
    },
    /** The page shows another file. The search goes on, and is there when its file is shown again. */
    leave(): void {
      if (open) host.close();
      open = false;
      untry();
      found.forget();
    },
    /** Colours, or sliders, have changed. */
    changed: schedule,
  };
}

type Found = ReturnType<ReturnType<typeof planFound>['state']>;

/** What a reader hears of a message; empty for nothing. */
function newsOf({ figures, problem, note, outdated }: Found, before: Found): string {
  if (note !== before.note) return note;
  if (figures !== before.figures) return figures?.certificate ?? '';
  if (problem !== before.problem) return problem ?? '';
  if (outdated === before.outdated) return '';
  return outdated ? 'The file has been edited since this search.' : 'The file is again what was searched.';
}

/** What is found is of the pipeline that is asked for, and of the text as it is: it need not be searched again. */
function isKnown({ status, head, outdated }: Found, pipeline: string | undefined, wanted: string | undefined): boolean {
  if (outdated || (status !== 'running' && status !== 'ended')) return false;
  return wanted === pipeline || (wanted !== undefined && wanted === head?.pipeline);
}
