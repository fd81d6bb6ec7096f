import { element } from '../../../controls/dom.ts';
import type { ShownTimeline } from '../../../session/shownTimeline.ts';
import type { Why } from '../../../picture/why.ts';
import type { Theme } from '../../scene/theme.ts';
import { chainSection } from './chainSection.ts';
import { type FixActions, type Fixes, fixSection } from './fixSection.ts';
import { peakSection } from './peakSection.ts';

export interface WhyContent {
  readonly why: Why | undefined;
  /** The device whose memory is explained. */
  readonly peak: number | undefined;
  readonly fixes: Fixes | undefined;
}

export interface WhyActions extends FixActions {
  select(block: number): void;
}

/** Explains a gap, the peak of a device, or both, and what would help. */
export function whyPanel(actions: WhyActions) {
  const box = element('div', { class: 'why' });
  const [chain, fixes, peak] = [element('div'), element('div'), element('div')];
  const put = (place: HTMLElement, made: HTMLElement | undefined) =>
    made === undefined ? place.replaceChildren() : place.replaceChildren(made);
  let shownWhy: Why | undefined;
  return {
    element: box,
    update({ plan, picture }: ShownTimeline, theme: Theme, content: WhyContent): void {
      const device = content.peak === undefined ? undefined : picture.report.devices.at(content.peak);
      // The list keeps the focus while fixes arrive.
      if (content.why !== shownWhy || content.why === undefined)
        put(chain, content.why === undefined ? undefined : chainSection(content.why, actions.select));
      shownWhy = content.why;
      // What would help follows what it is about.
      const order = content.fixes?.about === 'memory' ? [chain, peak, fixes] : [chain, fixes, peak];
      if (order.some((part, index) => box.children.item(index) !== part)) box.replaceChildren(...order);
      const focused = [...fixes.querySelectorAll('button')].findIndex((button) => button === document.activeElement);
      put(fixes, content.fixes === undefined ? undefined : fixSection(content.fixes, actions, device));
      if (focused >= 0) fixes.querySelectorAll('button').item(focused)?.focus();
      put(
        peak,
        device === undefined || plan.devices.length === 0
          ? undefined
          : peakSection(plan, device, theme, picture.columns.declared ?? []),
      );
    },
    /** Moves the focus to the first step, or to the panel. */
    focus(): void {
      const first = box.querySelector<HTMLElement>('button:not(:disabled)');
      if (first !== null) first.focus();
      else box.closest<HTMLElement>('.side')?.focus();
    },
  };
}
