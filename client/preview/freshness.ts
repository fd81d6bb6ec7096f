/** Whether a preview shows the newest text. A planner may take seconds: until it ends the page has to say that its picture is older. */
import type { PlannedAnswer } from '../../webview/protocol/requests.ts';

export interface FreshnessHost {
  /** What the server knows of the newest text, once its plan is there; undefined if there is no answer. */
  planned(): Promise<PlannedAnswer | undefined>;
  /** Key of the plan that the page has. */
  shown(): string | undefined;
  /** Gives the page the newest plan. */
  refresh(): Promise<void>;
  /** The page shows an earlier text from now on, or no longer. */
  tell(late: boolean): void;
  /** Calls back after some time without a confirmation; returns what cancels it. */
  later(act: () => void): () => void;
}

/** Milliseconds after an edit without a plan of the newest text, before the page says so. */
const patience = 400;
/** `later` of a running editor. */
export function waiting(act: () => void): () => void {
  const timer = setTimeout(act, patience);
  return () => clearTimeout(timer);
}

export interface Freshness {
  /** The text has this version now. */
  edited(version: number): void;
  /** Another file is shown, or the page is gone. */
  forget(): void;
}

export function createFreshness({ planned, shown, refresh, tell, later }: FreshnessHost): Freshness {
  let newest = -1;
  /** Of the file on show: answers for another one are dropped. */
  let round = 0;
  let asking = false;
  let told = false;
  let cancel = (): void => {};

  function say(late: boolean): void {
    cancel();
    if (told === late) return;
    told = late;
    tell(late);
  }

  /** One question at a time: the server answers when it has planned what is the newest text then. */
  async function ask(): Promise<void> {
    asking = true;
    const mine = round;
    let before = -1;
    for (;;) {
      if (!told) {
        cancel();
        cancel = later(() => say(true));
      }
      const answer = await planned();
      if (mine !== round) return;
      if (answer === undefined) break;
      if (answer.key !== shown()) await refresh();
      if (mine !== round) return;
      // The same answer again would come for ever.
      if (answer.version >= newest || answer.version === before) break;
      before = answer.version;
    }
    asking = false;
    say(false);
  }

  return {
    edited(version) {
      newest = version;
      if (!asking) void ask();
    },
    forget() {
      round += 1;
      asking = false;
      newest = -1;
      say(false);
    },
  };
}
