import type { SensitivityTarget } from '../../engine/analyze/sensitivity.ts';
import { type TornadoRow, tornadoTargets } from '../../engine/analyze/tornado.ts';
import { type PipelinePlan, paths } from '../../engine/plan.ts';
import { cutStages, stageNumber } from '../../engine/stages.ts';
import { stageOf } from '../picture/blocks.ts';
import type { FromPage } from '../protocol/messages.ts';
import type { Selection } from '../session/selection.ts';
import { type sensitivities, unaskedOperations } from '../session/sensitivities.ts';
import type { ShownTimeline } from '../session/shownTimeline.ts';
import { tornadoBars } from '../session/tornadoBars.ts';
import type { pageView } from '../view/page.ts';
import { tornado, type TornadoState } from '../view/panels/tornado.ts';
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
  let drawn: { readonly plan: PipelinePlan; readonly state: TornadoState } | undefined;
  let listed: { readonly plan: PipelinePlan; readonly targets: readonly SensitivityTarget[] } | undefined;
  /** The first row takes the focus once it is there. */
  let wantsFocus = false;

  const panel = tornado({
    choose,
    start: () => {
      asked = timeline()?.plan;
      run();
    },
  });
  const isOpen = (): boolean => page.side.shown() === name;

  /** They are looked at after each answer of the worker. */
  function targetsOf(plan: PipelinePlan): readonly SensitivityTarget[] {
    if (listed?.plan !== plan) listed = { plan, targets: tornadoTargets(plan) };
    return listed.targets;
  }

  function stateOf({ plan, picture: { report } }: ShownTimeline): TornadoState {
    // Bars of one plan are made once.
    if (drawn?.plan === plan && drawn.state.kind === 'bars') return drawn.state;
    const targets = targetsOf(plan);
    if (asked !== plan && report.operations > unaskedOperations)
      return { kind: 'waiting', of: targets.length, operations: report.operations };
    const found = targets.map((target) => simulated.of(plan, target));
    const done = found.filter((row) => row !== undefined).length;
    if (done < found.length) return { kind: 'running', done, of: found.length };
    const rows = found.flatMap((row, at): readonly TornadoRow[] =>
      row === undefined || row === 'none' ? [] : [{ ...row, target: targets[at] }],
    );
    return rows.length === 0 ? { kind: 'none' } : { kind: 'bars', bars: tornadoBars(rows, report.iteration) };
  }

  function show(): void {
    const now = timeline();
    if (!isOpen() || now === undefined) return;
    const before = drawn;
    drawn = { plan: now.plan, state: stateOf(now) };
    panel.update(drawn.state, now.picture.report.asynchronous !== undefined, theme());
    if (wantsFocus && drawn.state.kind !== 'running') {
      wantsFocus = false;
      panel.focus(true);
    }
    if (drawn.state.kind !== 'bars' || (before?.plan === now.plan && before.state.kind === 'bars')) return;
    const [first] = drawn.state.bars.bars;
    if (first !== undefined) page.say(`Most sensitive to ${first.words}`);
  }

  function run(): void {
    const now = timeline();
    if (now === undefined) return;
    const { operations } = now.picture.report;
    if (asked === now.plan || operations <= unaskedOperations)
      simulated.wantAll(now.plan, operations, targetsOf(now.plan));
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
