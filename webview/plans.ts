import type { FromPage, ToPage } from './protocol/messages.ts';
import { planFound } from './session/planFound.ts';
import { planView } from './view/plan/planView.ts';
import type { Theme } from './view/scene/theme.ts';

export interface PlansHost {
  post(message: FromPage): void;
  theme(): Theme;
  show(content: HTMLElement): void;
  close(): void;
  /** A row is on show that the file does not have; undefined: it is not any more. */
  trial(actions: { apply(): void; back(): void } | undefined): void;
  say(text: string): void;
  /** A number that no other request of this page has. */
  nextRequest(): number;
}

type PlanMessage = Extract<ToPage, { readonly type: 'planFound' | 'planEnd' | 'planOutdated' | 'planNote' }>;

/** The search for the fastest plan: begins and ends it, and writes or shows a row of it. */
export function plans(host: PlansHost) {
  const found = planFound();
  let open = false;
  let pipeline: string | undefined;
  /** The row that the reader has chosen; until then, the best so far. */
  let chosen: number | undefined;
  /** The row whose timeline was asked for. */
  let tried: number | undefined;
  let queued = false;

  const view = planView({
    stop: () => host.post({ type: 'stopPlan', request: found.request() }),
    longer: () => search(true),
    again: () => search(false),
    select: (row) => {
      chosen = row;
      update();
    },
    save: (format) => host.post({ type: 'savePlan', request: found.request(), format }),
    write,
    show: (row) => {
      tried = row;
      open = false;
      host.close();
      host.post({ type: 'showPlan', request: found.request(), row });
    },
    goto: () => {
      const { start } = found.state().range ?? {};
      if (start !== undefined) host.post({ type: 'goto', ...start });
    },
    close,
  });

  function write(row: number): void {
    tried = undefined;
    host.trial(undefined);
    host.post({ type: 'writePlan', request: found.request(), row });
  }

  function search(more: boolean): void {
    found.begin(host.nextRequest(), more);
    if (!more) chosen = undefined;
    const asked = pipeline === undefined ? {} : { pipeline };
    host.post({ type: 'findPlan', request: found.request(), ...asked, ...(more ? { more: true } : {}) });
    update();
  }

  /** Several messages in one frame make one drawing. */
  function schedule(): void {
    if (queued) return;
    queued = true;
    requestAnimationFrame(() => {
      queued = false;
      update();
    });
  }

  function update(): void {
    if (!open) return;
    const state = found.state();
    const ahead = state.front.at(state.head?.minimise === 'peak_memory' ? -1 : 0);
    // If no row fits, the one that is nearest to it.
    const best = state.figures?.best ?? (ahead ?? state.smallest)?.row;
    view.update({ search: state, theme: host.theme(), selected: chosen ?? best });
  }

  function show(): void {
    open = true;
    host.show(view.element);
    update();
    view.focus();
  }

  function close(): void {
    if (!open) return;
    open = false;
    host.post({ type: 'stopPlan', request: found.request() });
    host.close();
  }

  function back(): void {
    tried = undefined;
    host.trial(undefined);
    host.post({ type: 'showPlan', request: found.request(), row: -1 });
    show();
  }

  return {
    /** Opens the view and searches. Default: the pipeline that the file has a search for. */
    open(wanted?: string): void {
      pipeline = wanted;
      tried = undefined;
      host.trial(undefined);
      open = true;
      host.show(view.element);
      search(false);
      view.focus();
    },
    receive(message: PlanMessage): void {
      const before = found.state();
      if (!found.receive(message)) return;
      const { figures, problem, note, outdated } = found.state();
      const news =
        note !== before.note
          ? note
          : figures !== before.figures
            ? (figures?.certificate ?? '')
            : problem !== before.problem
              ? (problem ?? '')
              : outdated !== before.outdated
                ? 'The file has changed since this search.'
                : '';
      if (news !== '') host.say(news);
      schedule();
    },
    /** A plan has come; `trying`: one that the file does not have. */
    planned(trying: boolean): void {
      const row = tried;
      if (row === undefined) return;
      if (trying) host.trial({ apply: () => write(row), back });
      else {
        tried = undefined;
        host.trial(undefined);
      }
    },
    /** The page shows another file. */
    leave(): void {
      close();
      tried = undefined;
      found.forget();
    },
    recolour: update,
  };
}
