import { count, share } from '../basics/quantities.ts';

/** A change under which devices idle less, as simulated. `bubble`: the share of the iteration that they then idle. */
export type BubbleHelp = { readonly bubble: number } & (
  | { readonly microbatches: number }
  | {
      /** As it is written: `interleaved_1f1b(chunks = 2)`. */
      readonly schedule: string;
      /** The layers of the pipeline and its stages, where this schedule needs another cut. */
      readonly cut?: { readonly layers: number; readonly stages: number };
      /** It keeps copies of stages on other devices, as chimera does: no bound of the file's stages holds for it. */
      readonly copied?: true;
      /** It cuts each sequence into segments, as seq1f1b does: no bound of the file's operations holds for it. */
      readonly segmented?: true;
      /** `without your limit of 4`: what the file limits, and this schedule does not. */
      readonly without?: string;
      /** Who runs it: `torchtitan · PyTorch`; absent where the file names its engine. */
      readonly runsOn?: string;
    }
);

/** Why other policies were not tried: each takes long to plan or to simulate, or the file and its imports are long. */
export type Untried = 'slow' | 'long';

export const untriedWords = (untried: Untried): string =>
  `Other policies were not tried: ${untried === 'slow' ? 'each takes long to plan or to simulate' : 'the file and its imports are long'}. \`pipewright compare --schedules\` tries them.`;

/** Changes that drop a limit of the file come last; of the others the best comes first. */
export const compareHelp = (a: BubbleHelp, b: BubbleHelp): number =>
  Number(dropsLimit(a)) - Number(dropsLimit(b)) || a.bubble - b.bubble;

export const dropsLimit = (help: BubbleHelp): boolean => 'schedule' in help && help.without !== undefined;

/** Whether a change is worth a sentence: it saves more than a point. */
export const gains = (before: number, after: number): boolean => after < before - 0.01;

/** Another batch is another training. */
const changesBatch = (help: BubbleHelp): boolean => 'microbatches' in help;

/** `Under zb_h1 it would reach 11.1 %.`, one sentence for each, another batch last. `isBounded`: a bound of all orders is said before. */
export const helpWords = (help: readonly BubbleHelp[], isBounded: boolean): string =>
  help
    .toSorted((a, b) => Number(changesBatch(a)) - Number(changesBatch(b)))
    .map((each) => {
      const isOutside = isBounded && 'schedule' in each && each.segmented === true;
      return `${changeWords(each)} it would reach ${share(each.bubble)}${isOutside ? ': the bound is for whole sequences' : ''}.`;
    })
    .join(' ');

function changeWords(help: BubbleHelp): string {
  if ('microbatches' in help) return `With ${help.microbatches} microbatches`;
  const { schedule, cut, copied, segmented, without, runsOn } = help;
  const more = [
    ...(cut === undefined ? [] : [`${count(cut.layers, 'layer', 'layers')} cut again into ${cut.stages} stages`]),
    ...(copied === true ? ['copies of stages on other devices'] : []),
    ...(segmented === true ? ['each sequence cut into segments'] : []),
  ];
  const all = [
    ...(more.length === 0 ? [] : [`with ${more.join(' and ')}`]),
    ...(without === undefined ? [] : [without]),
  ];
  const who = runsOn === undefined ? '' : ` (${runsOn})`;
  return `Under ${schedule}${who}${all.length === 0 ? '' : `, ${all.join(' and ')},`}`;
}
