import type { FromPage, ToPage } from '../protocol/messages.ts';
import type { Fixes } from '../view/panels/why/fixSection.ts';

/** What would help, as the editor answers, and the fix whose result is on show. */
export function offeredFixes(post: (message: FromPage) => void) {
  let about: Fixes['about'] | undefined;
  let list: Fixes['list'];
  let tried = -1;
  let request = 0;
  return {
    shown: (): Fixes | undefined => (about === undefined ? undefined : { about, list, tried }),
    isTrying: (): boolean => about !== undefined && tried >= 0,
    /** `device`: whose memory is explained. */
    ask(topic: Fixes['about'], pipeline: string, device: number | undefined): void {
      about = topic;
      list = undefined;
      tried = -1;
      request += 1;
      const of = topic === 'memory' && device !== undefined ? { device } : {};
      post({ type: 'help', request, pipeline, about: topic, ...of });
    },
    /** Shows what a fix gives; −1: the file as it is. */
    show(index: number): void {
      tried = index;
      post({ type: 'showFix', request, index });
    },
    apply: (index: number): void => post({ type: 'applyFix', request, index }),
    /** False if nobody waits for it. */
    received(message: Extract<ToPage, { type: 'fixes' }>): boolean {
      if (message.request !== request || about === undefined) return false;
      list = message.fixes;
      return true;
    },
    /** `file`: the editor is to show the file again. */
    forget(file: boolean): void {
      if (file && tried >= 0) post({ type: 'showFix', request, index: -1 });
      about = undefined;
      list = undefined;
      tried = -1;
    },
  };
}
