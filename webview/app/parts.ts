import type { blockOrigin } from '../input/blockOrigin.ts';
import type { fasterStage } from '../input/fasterStage.ts';
import type { beside } from './beside.ts';
import type { inputs } from '../input/inputs.ts';
import type { sensitive } from '../input/sensitive.ts';
import type { stalledSearch } from '../input/stalledSearch.ts';
import type { PreviewState } from '../protocol/messages.ts';
import type { Editor } from '../session/editor.ts';
import type { highlights } from '../session/highlight.ts';
import type { shownFile } from '../session/shownFile.ts';
import type { jobView } from '../view/jobView.ts';
import type { pageView } from '../view/page.ts';
import type { playing } from '../view/playing.ts';
import type { presenter } from '../view/presenter.ts';
import type { orders } from './orders.ts';
import type { plans } from './plans.ts';
import type { races } from './races.ts';
import type { states } from './states.ts';
import type { sweeps } from './sweeps.ts';
import type { updates } from './updates.ts';

/** What the page remembers between messages. */
export interface Remembered {
  /** The file that the page shows; undefined before the first message. */
  uri: string | undefined;
  /** The view to return to after a reload; undefined once a timeline is on show. */
  restore: PreviewState | undefined;
  /** The newest error of the text. */
  trouble: string;
  /** The file is gone, or the server has stopped: why what is shown is older. */
  gone: string | undefined;
  /** What the search field has. */
  sought: string;
}

/**
 * The parts of the page. Each is made with a host that reaches the others through this value. A host may name parts that are made
 * later, since it asks for them only when it is called.
 */
export interface Parts {
  readonly editor: Editor;
  readonly remembered: Remembered;
  readonly highlighted: ReturnType<typeof highlights>;
  readonly update: ReturnType<typeof updates>;
  readonly file: ReturnType<typeof shownFile>;
  readonly page: ReturnType<typeof pageView>;
  readonly timelines: ReturnType<typeof presenter>;
  readonly state: ReturnType<typeof states>;
  readonly stalls: ReturnType<typeof stalledSearch>;
  readonly charts: ReturnType<typeof sweeps>;
  readonly comparing: ReturnType<typeof races>;
  readonly besides: ReturnType<typeof beside>;
  readonly planning: ReturnType<typeof plans>;
  readonly searching: ReturnType<typeof orders>;
  readonly workers: ReturnType<typeof jobView>;
  readonly player: ReturnType<typeof playing>;
  readonly input: ReturnType<typeof inputs>;
  readonly faster: ReturnType<typeof fasterStage>;
  readonly sensing: ReturnType<typeof sensitive>;
  readonly written: ReturnType<typeof blockOrigin>;
}
