import { type Gap, deviceOf, gapAt, gapBefore } from '../picture/blocks.ts';
import { nextBubble } from '../picture/bubbles.ts';
import { worstDevice } from '../picture/memoryLevel.ts';
import type { FromPage, ToPage } from '../protocol/messages.ts';
import { carryGap, type Selection, selectedDevice } from '../session/selection.ts';
import type { ShownTimeline } from '../session/shownTimeline.ts';
import type { pageView } from '../view/page.ts';
import type { Fixes } from '../view/panels/why/fixSection.ts';
import { whyPanel } from '../view/panels/why/whyPanel.ts';
import type { presenter } from '../view/presenter.ts';
import { rowOf } from '../view/scene/rowMap.ts';
import type { Scene } from '../view/scene/scene.ts';
import type { Theme } from '../view/scene/theme.ts';
import { reveal } from '../view/scene/viewport.ts';
import { explained } from './explained.ts';
import { offeredFixes } from './offeredFixes.ts';

export interface ExplainingHost {
  readonly timelines: Pick<
    ReturnType<typeof presenter>,
    'timeline' | 'ask' | 'dropQuestion' | 'measure' | 'setView' | 'view' | 'layout' | 'bounds'
  >;
  readonly page: Pick<ReturnType<typeof pageView>, 'side' | 'focusTimeline' | 'say'>;
  post(message: FromPage): void;
  theme(): Theme;
  selection(): Selection | undefined;
  select(selection: Selection | undefined): void;
}

const name = 'why';

/** Explains a gap and the peak of a device, in the side panel and over the timeline. */
export function explaining({ timelines, page, post, theme, selection, select }: ExplainingHost) {
  const explanation = explained({
    timelines,
    answered() {
      show();
      bringIntoSight();
    },
    say: page.say,
  });
  const fixes = offeredFixes(post);
  let wantsFocus = false;
  let heading = '';
  /** The gap that the result of a fix does not have: it is explained again when the file is back. */
  let missed: Gap | undefined;

  const panel = whyPanel({
    select: (block) => select({ kind: 'block', block }),
    tryFix(index) {
      fixes.show(index);
      show();
    },
    applyFix: fixes.apply,
  });

  function show(): void {
    const timeline = timelines.timeline();
    const [why, peak] = [explanation.why(), explanation.peak()];
    if (timeline === undefined || (why === undefined && peak === undefined && !fixes.isTrying())) return;
    panel.update(timeline, theme(), { why, peak, fixes: fixes.shown() });
    const device = peak === undefined ? '' : (timeline.plan.devices.at(peak)?.name ?? '');
    if (why !== undefined) heading = `Why ${why.title}`;
    else if (peak !== undefined) heading = `Memory of ${device}`;
    if (page.side.shown() !== name || !panel.element.isConnected) page.side.show(name, heading, panel.element, closed);
    page.side.rename(name, heading);
    if (wantsFocus) panel.focus();
    wantsFocus = false;
    // The rows of the chain have room of their own.
    timelines.measure();
  }

  /** Rows of a chain may be more than fit: the device that waits is among those in sight. */
  function bringIntoSight(): void {
    const [why, view] = [explanation.why(), timelines.view()];
    if (why === undefined || view === undefined) return;
    timelines.setView({
      ...view,
      scroll: reveal(view, timelines.bounds(), rowOf(timelines.layout().map, why.device), why.from, why.to).scroll,
    });
  }

  function ask(topic: Fixes['about']): void {
    const plan = timelines.timeline()?.plan;
    if (plan !== undefined) fixes.ask(topic, plan.name, explanation.peak());
  }

  function closed(): void {
    fixes.forget(true);
    explanation.forget(true);
    timelines.measure();
    page.focusTimeline();
  }

  /** The gap that is selected, or the one before the selected block; otherwise the longest. */
  function meant({ picture }: ShownTimeline): Gap | undefined {
    const now = selection();
    if (now?.kind === 'gap') return now.gap;
    const before = now?.kind === 'block' ? gapBefore(picture, now.block) : undefined;
    return before ?? nextBubble(picture, undefined, 1);
  }

  /** Draws the chain of the gap that is meant. */
  function explain(): void {
    const timeline = timelines.timeline();
    const of = timeline === undefined ? undefined : meant(timeline);
    if (of === undefined) return;
    if (selection()?.kind !== 'gap') select({ kind: 'gap', gap: of });
    wantsFocus = true;
    ask('bubble');
    explanation.askWhy(of);
  }

  /** Shows what fills a device at its peak; default: the selected device, or the fullest. */
  function explainPeak(device?: number): void {
    const timeline = timelines.timeline();
    if (timeline === undefined || timeline.picture.report.devices.length === 0) return;
    const chosen = selectedDevice(selection(), (block) => deviceOf(timeline.picture, block));
    const of = device ?? (chosen >= 0 ? chosen : worstDevice(timeline.picture.report));
    wantsFocus = true;
    explanation.askPeak(of);
    ask('memory');
  }

  /** Selects the next shorter (1) or longer (−1) bubble. */
  function bubble(direction: 1 | -1): void {
    const timeline = timelines.timeline();
    const now = selection();
    if (timeline === undefined) return;
    const next = nextBubble(timeline.picture, now?.kind === 'gap' ? now.gap : undefined, direction);
    if (next !== undefined) select({ kind: 'gap', gap: next });
  }

  timelineKeys(panel.element, { y: explain, k: () => explainPeak(), '[': () => bubble(-1), ']': () => bubble(1) });

  return {
    why: explain,
    peak: explainPeak,
    bubble,
    fixes(message: Extract<ToPage, { type: 'fixes' }>): void {
      if (fixes.received(message)) show();
    },
    /** Another timeline is on show: the same gap and the same device in it. */
    carry(next: ShownTimeline, before: ShownTimeline | undefined): void {
      const [gap, peak] = [explanation.gap(), explanation.peak()];
      const kept = gap === undefined || before === undefined ? undefined : carryGap(gap, before.picture, next.picture);
      const device = peak !== undefined && peak < next.plan.devices.length ? peak : undefined;
      const trying = fixes.isTrying();
      const again =
        !trying && missed !== undefined ? gapAt(next.picture, missed.device, (missed.from + missed.to) / 2) : undefined;
      missed = trying ? (missed ?? (kept === undefined ? gap : undefined)) : undefined;
      const wanted = kept ?? again;
      explanation.forget(wanted === undefined && !trying);
      if (page.side.shown() !== name) return fixes.forget(false);
      if (wanted === undefined && device === undefined && !trying) return page.side.close(name);
      if (kept === undefined && device === undefined && again === undefined) show();
      if (wanted !== undefined) explanation.askWhy(wanted);
      if (device !== undefined) explanation.askPeak(device);
      // What a fix gives is on show: its list stays, so that it can be applied.
      const about = fixes.shown()?.about;
      if (about !== undefined && !trying) ask(about);
    },
    /** Another file is on show. */
    clear(): void {
      fixes.forget(false);
      explanation.forget(true);
      page.side.close(name);
    },
    recolour: show,
    seen: (): Pick<Scene, 'why' | 'stack'> => ({ why: explanation.why(), stack: explanation.stack() }),
    /** Devices that need a row each, and whether the chart of memory may make room for them. */
    chain: () => {
      const devices = explanation.devices();
      return devices === undefined ? undefined : { devices, overMemory: explanation.peak() === undefined };
    },
  };
}

/** The same keys as in the timeline, where the focus comes from. */
function timelineKeys(panel: HTMLElement, keys: Readonly<Record<string, () => void>>): void {
  panel.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    keys[event.key]();
    event.preventDefault();
    event.stopPropagation();
  });
}
