import type { MemoryStack } from '../../engine/simulate/memoryStack.ts';
import { type Gap, deviceOf } from '../picture/blocks.ts';
import type { Why } from '../picture/why.ts';
import type { presenter } from '../view/presenter.ts';

export interface ExplainedHost {
  readonly timelines: Pick<ReturnType<typeof presenter>, 'timeline' | 'ask' | 'dropQuestion'>;
  /** An answer is here. */
  answered(): void;
  say(words: string): void;
}

/** What is explained: a gap by its chain of causes, the peak of a device by what fills it, or both. */
export function explained({ timelines, answered, say }: ExplainedHost) {
  let gap: Gap | undefined;
  let why: Why | undefined;
  let peak: number | undefined;
  let stack: MemoryStack | undefined;
  let devices: ReadonlySet<number> | undefined;

  return {
    gap: () => gap,
    why: () => why,
    /** The device whose memory is explained. */
    peak: () => peak,
    stack: () => stack,
    /** Devices of the chain. They stay while the chain is found again for another text, so that no row moves meanwhile. */
    devices: () => devices,
    askWhy(of: Gap): void {
      const timeline = timelines.timeline();
      if (timeline === undefined) return;
      gap = of;
      timelines.ask(timeline.picture.generation, { kind: 'why', gap: of }, (answer) => {
        why = answer.why;
        const { picture } = timeline;
        devices = new Set([
          why.device,
          ...why.steps.map(({ block, device }) => (block < 0 ? device : deviceOf(picture, block))),
        ]);
        answered();
        say(`${why.title}. ${why.sentences.map((part) => part.before + part.strong + part.after).join(' ')}`);
      });
    },
    askPeak(device: number): void {
      const timeline = timelines.timeline();
      if (timeline === undefined) return;
      peak = device;
      timelines.ask(timeline.picture.generation, { kind: 'stack', device }, (answer) => {
        stack = answer.stack;
        answered();
      });
    },
    /** `rows`: the rows of the chain, too. */
    forget(rows: boolean): void {
      gap = undefined;
      why = undefined;
      peak = undefined;
      stack = undefined;
      if (rows) devices = undefined;
      timelines.dropQuestion('why');
      timelines.dropQuestion('stack');
    },
  };
}
