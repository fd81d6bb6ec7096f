import { element, setText } from '../../controls/dom.ts';

export interface RowNoticeContent {
  readonly text: string;
  readonly wrong: boolean;
  write(): void;
  back(): void;
}

/** Under the timeline, over what is selected: what a moved operation would write. It is written, or left, here. */
export function rowNotice() {
  let shown: RowNoticeContent | undefined;
  const text = element('span', { class: 'row-text' });
  const write = element('button', { type: 'button', class: 'act primary' }, 'Write');
  const back = element('button', { type: 'button', class: 'act' }, 'Back');
  write.addEventListener('click', () => shown?.write());
  back.addEventListener('click', () => shown?.back());
  const box = element(
    'div',
    { class: 'row-notice', role: 'group', 'aria-label': 'Moved in its row', hidden: '' },
    text,
    write,
    back,
  );
  return {
    element: box,
    /** Without content there is none. */
    show(next: RowNoticeContent | undefined): void {
      shown = next;
      box.hidden = next === undefined;
      setText(text, next?.text ?? '');
      text.title = next?.text ?? '';
      box.classList.toggle('wrong', next?.wrong === true);
      write.hidden = next?.wrong === true;
    },
  };
}
