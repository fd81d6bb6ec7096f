import { type SensitivityTarget, targetName } from '../../engine/analyze/sensitivity.ts';
import { slowdownWords } from '../../engine/analyze/slowdownWords.ts';
import { type TornadoRow, tornadoTargets } from '../../engine/analyze/tornado.ts';
import { type PipelinePlan, paths } from '../../engine/values/plan.ts';
import { cutStages, stageNumber } from '../../engine/costs/stages.ts';
import { stageOf } from '../picture/blocks.ts';
import type { FromPage } from '../protocol/messages.ts';
import type { Selection } from '../session/selection.ts';
import { type sensitivities, type Slowdown, unaskedOperations } from '../session/sensitivities.ts';
import type { ShownTimeline } from '../session/shownTimeline.ts';
import { tornadoBars } from '../session/tornadoBars.ts';
import type { pageView } from '../view/page.ts';
import { tornado, type TornadoProgress, type TornadoState } from '../view/panels/tornado.ts';
import type { Theme } from '../view/scene/theme.ts';

export interface SensitiveHost {
  readonly page: Pick<ReturnType<typeof pageView>, 'side' | 'focusTimeline' | 'say'>;
  readonly simulated: ReturnType<typeof sensitivities>;
  timeline(): ShownTimeline | undefined;
  post(message: FromPage): void;
  theme(): Theme;
  select(selection: Selection | undefined): void;
}

const name = 'sensitivity';
const heading = 'What the iteration is sensitive to';

/** The side panel with what slower and faster stages, devices and links do to the iteration. Simulated only while it is open. */
export function sensitive({ page, simulated, timeline, post, theme, select }: SensitiveHost) {
  /** The plan that was asked for; a large one is simulated only then. */
  let asked: PipelinePlan | undefined;
  /** The plan whose simulation the reader has stopped. */
  let stopped: PipelinePlan | undefined;
  let drawn: { readonly plan: PipelinePlan; readonly state: TornadoState } | undefined;
  let listed:
    | { readonly plan: PipelinePlan; readonly targets: readonly SensitivityTarget[]; readonly longest: number }
    | undefined;
  /** The first row takes the focus once it is there. */
  let wantsFocus = false;

  const panel = tornado({
    choose,
    start: () => {
      asked = timeline()?.plan;
      stopped = undefined;
      run();
    },
    stop: () => {
      stopped = timeline()?.plan;
      simulated.dropAll();
      show();
    },
  });
  const isOpen = (): boolean => page.side.shown() === name;

  /** They are looked at after each answer of the worker. */
  function targetsOf(plan: PipelinePlan): NonNullable<typeof listed> {
    if (listed?.plan === plan) return listed;
    const targets = tornadoTargets(plan);
    const longest = targets.reduce((most, target) => Math.max(most, targetName(plan, target).length), 0);
    listed = { plan, targets, longest };
    return listed;
  }

  function stateOf({ plan, picture: { report } }: ShownTimeline): TornadoState {
    // What is known of one plan is drawn once.
    if (drawn?.plan === plan && drawn.state.kind === 'rows' && drawn.state.progress === undefined) return drawn.state;
    const { targets, longest } = targetsOf(plan);
    if (asked !== plan && report.operations > unaskedOperations)
      return { kind: 'waiting', of: targets.length, operations: report.operations };
    const found = targets.map((target) => simulated.of(plan, target));
    const done = found.filter((row) => row !== undefined).length;
    const rows = found.flatMap((row, at): readonly TornadoRow[] =>
      row === undefined || row === 'none' ? [] : [{ ...row, target: targets[at] }],
    );
    if (done === found.length && rows.length === 0) return { kind: 'none' };
    const slowdown = simulated.slowdown(plan);
    const progress = progressOf({ done, of: found.length }, slowdown);
    return {
      kind: 'rows',
      bars: tornadoBars(rows, report.iteration),
      longest,
      slowdown: typeof slowdown === 'object' && 'ideal' in slowdown ? slowdownWords(slowdown) : [],
      ...(progress === undefined ? {} : { progress: { ...progress, stopped: stopped === plan } }),
    };
  }

  function show(): void {
    const now = timeline();
    if (!isOpen() || now === undefined) return;
    const before = drawn;
    drawn = { plan: now.plan, state: stateOf(now) };
    panel.update(drawn.state, {
      plan: now.plan,
      period: now.picture.report.asynchronous !== undefined,
      theme: theme(),
    });
    const isRunning = drawn.state.kind === 'rows' && drawn.state.progress !== undefined;
    if (wantsFocus && !isRunning) {
      wantsFocus = false;
      panel.focus(true);
    }
    if (drawn.state.kind !== 'rows' || isRunning) return;
    if (before?.plan === now.plan && before.state.kind === 'rows' && before.state.progress === undefined) return;
    const [first] = drawn.state.bars.bars;
    if (first !== undefined) page.say(`Most sensitive to ${first.words}`);
  }

  function run(): void {
    const now = timeline();
    if (now === undefined) return;
    const { operations } = now.picture.report;
    if (stopped !== now.plan && (asked === now.plan || operations <= unaskedOperations))
      simulated.wantAll(now.plan, operations, targetsOf(now.plan).targets);
    show();
  }

  /** Goes to the stage, the device or the link in the text, and selects what the timeline has of it. */
  function choose({ target }: TornadoRow): void {
    const now = timeline();
    if (now === undefined) return;
    const { plan, picture } = now;
    if (target.kind === 'link') {
      const route = plan.routes.find(({ from, to }) => target.between.includes(from) && target.between.includes(to));
      if (route !== undefined) reveal(paths.route(plan.name, route.from, route.to));
      return;
    }
    if (target.kind === 'device') {
      select({ kind: 'device', device: target.index });
      reveal(paths.device(plan.name, target.index));
      return;
    }
    const { word } = picture.columns;
    const block = word.findIndex((code, at) => code >= 0 && stageNumber(plan, stageOf(picture, at)) === target.index);
    if (block >= 0) select({ kind: 'block', block });
    reveal(paths.stage(plan.name, cutStages(plan)[target.index].index));
  }

  const reveal = (path: string): void => post({ type: 'reveal', path, preserveFocus: true });

  function closed(): void {
    simulated.dropAll();
    asked = undefined;
    stopped = undefined;
    page.focusTimeline();
  }

  return {
    /** Opens the panel, or closes it. Opening it asks for the plan on show. */
    toggle(): void {
      const now = timeline();
      if (isOpen()) return page.side.close(name);
      if (now === undefined) return;
      asked = now.plan;
      page.side.show(name, heading, panel.element, closed);
      run();
      panel.focus(false);
      wantsFocus = true;
    },
    /** More is known. */
    found: show,
    /** Another timeline is on show. */
    shown(): void {
      if (isOpen()) run();
    },
    /** Another file is on show. */
    clear: (): void => page.side.close(name),
  };
}

/** What is simulated now, and how far; undefined once all is known. */
function progressOf(
  parts: { readonly done: number; readonly of: number },
  slowdown: Slowdown | undefined,
): Omit<TornadoProgress, 'stopped'> | undefined {
  if (parts.done < parts.of) return { what: 'parts', ...parts };
  if (slowdown === undefined) return { what: 'slowdown', done: 0, of: 1 };
  return slowdown === 'none' || 'ideal' in slowdown ? undefined : { what: 'slowdown', ...slowdown };
}
