import type { MemoryStack } from '../../engine/simulate/memoryStack.ts';
import { type Gap, deviceOf, gapAt, gapBefore } from '../picture/blocks.ts';
import { nextBubble } from '../picture/bubbles.ts';
import { worstDevice } from '../picture/memoryLevel.ts';
import type { Why } from '../picture/why.ts';
import type { FromPage, ToPage } from '../protocol/messages.ts';
import { carryGap, type Selection, selectedDevice } from '../session/selection.ts';
import type { ShownTimeline } from '../session/shownTimeline.ts';
import type { pageView } from '../view/page.ts';
import type { Fixes } from '../view/panels/why/fixSection.ts';
import { whyPanel } from '../view/panels/why/whyPanel.ts';
import type { presenter } from '../view/presenter.ts';
import type { Scene } from '../view/scene/scene.ts';
import type { Theme } from '../view/scene/theme.ts';

export interface ExplainingHost {
  readonly timelines: Pick<
    ReturnType<typeof presenter>,
    'timeline' | 'ask' | 'dropQuestion' | 'paintOver' | 'view' | 'bounds'
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
  let gap: Gap | undefined;
  let why: Why | undefined;
  let peak: number | undefined;
  let stack: MemoryStack | undefined;
  let about: Fixes['about'] | undefined;
  let fixes: Extract<ToPage, { type: 'fixes' }>['fixes'] | undefined;
  let tried = -1;
  let request = 0;
  let wantsFocus = false;
  let heading = '';
  /** The gap that the result of a fix does not have: it is explained again when the file is back. */
  let missed: Gap | undefined;

  const panel = whyPanel({
    select: (block) => select({ kind: 'block', block }),
    tryFix(index) {
      tried = index;
      post({ type: 'showFix', request, index });
      show();
    },
    applyFix(index) {
      post({ type: 'applyFix', request, index });
    },
  });

  function show(): void {
    const timeline = timelines.timeline();
    const trying = about !== undefined && tried >= 0;
    if (timeline === undefined || (why === undefined && peak === undefined && !trying)) return;
    const content = {
      why,
      peak,
      fixes: about === undefined ? undefined : { about, list: fixes, tried },
    };
    panel.update(timeline, theme(), content);
    const device = peak === undefined ? '' : (timeline.plan.devices.at(peak)?.name ?? '');
    if (why !== undefined) heading = `Why ${why.title}`;
    else if (peak !== undefined) heading = `Memory of ${device}`;
    if (page.side.shown() !== name || !panel.element.isConnected) page.side.show(name, heading, panel.element, closed);
    page.side.rename(name, heading);
    if (wantsFocus) panel.focus();
    wantsFocus = false;
    timelines.paintOver();
  }

  function ask(topic: Fixes['about']): void {
    const plan = timelines.timeline()?.plan;
    if (plan === undefined) return;
    about = topic;
    fixes = undefined;
    tried = -1;
    request += 1;
    const device = topic === 'memory' && peak !== undefined ? { device: peak } : {};
    post({ type: 'help', request, pipeline: plan.name, about: topic, ...device });
  }

  function forget(): void {
    gap = undefined;
    why = undefined;
    peak = undefined;
    stack = undefined;
    about = undefined;
    fixes = undefined;
    timelines.dropQuestion('why');
    timelines.dropQuestion('stack');
  }

  function closed(): void {
    if (tried >= 0) post({ type: 'showFix', request, index: -1 });
    tried = -1;
    forget();
    timelines.paintOver();
    page.focusTimeline();
  }

  function askWhy(of: Gap): void {
    const timeline = timelines.timeline();
    if (timeline === undefined) return;
    gap = of;
    timelines.ask(timeline.picture.generation, { kind: 'why', gap: of }, (answer) => {
      why = answer.why;
      show();
      page.say(`${why.title}. ${why.sentences.map((part) => part.before + part.strong + part.after).join(' ')}`);
    });
  }

  function askPeak(device: number): void {
    const timeline = timelines.timeline();
    if (timeline === undefined) return;
    peak = device;
    timelines.ask(timeline.picture.generation, { kind: 'stack', device }, (answer) => {
      stack = answer.stack;
      show();
    });
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
    askWhy(of);
  }

  /** Shows what fills a device at its peak; default: the selected device, or the fullest. */
  function explainPeak(device?: number): void {
    const timeline = timelines.timeline();
    if (timeline === undefined || timeline.picture.report.devices.length === 0) return;
    const chosen = selectedDevice(selection(), (block) => deviceOf(timeline.picture, block));
    const of = device ?? (chosen >= 0 ? chosen : worstDevice(timeline.picture.report));
    wantsFocus = true;
    askPeak(of);
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

  // The same keys as in the timeline, where the focus comes from.
  panel.element.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'y') explain();
    else if (event.key === 'k') explainPeak();
    else if (event.key === '[' || event.key === ']') bubble(event.key === ']' ? 1 : -1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  return {
    why: explain,
    peak: explainPeak,
    bubble,
    fixes(message: Extract<ToPage, { type: 'fixes' }>): void {
      if (message.request !== request || about === undefined) return;
      ({ fixes } = message);
      show();
    },
    /** Another timeline is on show: the same gap and the same device in it. */
    carry(next: ShownTimeline, before: ShownTimeline | undefined): void {
      const kept = gap === undefined || before === undefined ? undefined : carryGap(gap, before.picture, next.picture);
      const device = peak !== undefined && peak < next.plan.devices.length ? peak : undefined;
      const was = page.side.shown() === name;
      const { tried: index, list, topic } = { tried, list: fixes, topic: about };
      const again =
        index < 0 && missed !== undefined
          ? gapAt(next.picture, missed.device, (missed.from + missed.to) / 2)
          : undefined;
      missed = index < 0 ? undefined : (missed ?? (kept === undefined ? gap : undefined));
      forget();
      if (!was) return;
      if (kept === undefined && device === undefined && again === undefined && index < 0) {
        page.side.close(name);
        return;
      }
      [fixes, about, tried] = [list, topic, index];
      if (again !== undefined) askWhy(again);
      else if (kept === undefined && device === undefined) show();
      if (kept !== undefined) askWhy(kept);
      if (device !== undefined) askPeak(device);
      // What a fix gives is on show: its list stays, so that it can be applied.
      if (about !== undefined && tried < 0) ask(about);
    },
    /** Another file is on show. */
    clear(): void {
      tried = -1;
      forget();
      page.side.close(name);
    },
    recolour: show,
    seen: (): Pick<Scene, 'why' | 'stack'> => ({ why, stack }),
  };
}
