import type { Analysis } from '../flow/check.ts';
import type { Code } from '../findings/catalogue.ts';
import { bubbleFixes } from './bubble.ts';
import { subjectOf } from './candidates.ts';
import { sameBatch, samplePeriod } from './effect.ts';
import { fixSteps } from './fix.ts';
import { roomFixes } from './memory.ts';
import { type Again, type FixSteps, leavesLittle, type Proposal } from './proposal.ts';

/** What a reader of a timeline asks help for. `device`: number of the pipeline rank whose peak is meant. Default: the fullest. */
export type HelpTopic =
  | { readonly about: 'bubble' }
  | { readonly about: 'memory'; readonly device?: number }
  | { readonly about: 'deadlock' };

/** As many fixes as a small panel shows. */
const most = 3;

/** The best changes for a pipeline: that make it idle less, need less memory, or run at all. */
export function* helpSteps(analysis: Analysis, pipeline: string, topic: HelpTopic, again: Again): FixSteps {
  const found = yield* byTopic(analysis, pipeline, topic, again);
  return found.slice(0, most);
}

function* byTopic(analysis: Analysis, pipeline: string, topic: HelpTopic, again: Again): FixSteps {
  switch (topic.about) {
    case 'bubble':
      return yield* idleFixes(analysis, pipeline, again);
    case 'memory': {
      const devices = subjectOf(analysis, pipeline, again)?.before.run.report.devices ?? [];
      const used = devices.map(({ peak, capacity }) => (capacity > 0 ? peak / capacity : 0));
      const device = topic.device ?? used.indexOf(Math.max(...used));
      return devices[device] === undefined ? [] : yield* roomFixes(analysis, pipeline, device, again);
    }
    case 'deadlock': {
      const out: Proposal[] = [];
      for (const finding of analysis.findings)
        if (finding.code === 'schedule/deadlock' && (finding.hint === undefined || isOf(finding.hint, pipeline)))
          out.push(...(yield* fixSteps(analysis, finding, again)));
      return out;
    }
  }
}

/** What its findings say of communication, places and the cut helps idle devices, too: one list, as the text offers it. */
function* idleFixes(analysis: Analysis, pipeline: string, again: Again): FixSteps {
  let found = yield* bubbleFixes(analysis, pipeline, again);
  for (const finding of analysis.findings) {
    if (!isAboutIdling(finding.code) || finding.hint === undefined || !isOf(finding.hint, pipeline)) continue;
    const known = new Set(found.map(({ edits }) => JSON.stringify(edits)));
    const more = yield* fixSteps(analysis, finding, again);
    found = merged(
      found,
      more.filter(({ effect, edits }) => effect !== undefined && !known.has(JSON.stringify(edits))),
    );
  }
  return found;
}

/** Both lists in one, each in its order: the better of the two that are next comes first. */
function merged(some: readonly Proposal[], others: readonly Proposal[]): readonly Proposal[] {
  const out: Proposal[] = [];
  for (let [at, other] = [0, 0]; at < some.length || other < others.length;) {
    const isNext = other >= others.length || (at < some.length && compare(some[at], others[other]) <= 0);
    out.push(isNext ? some[at++] : others[other++]);
  }
  return out;
}

/** Fixes that leave enough memory, then those that break no expectation, then those with the same batch, then the faster. */
const compare = (a: Proposal, b: Proposal): number =>
  little(a) - little(b) || breaks(a) - breaks(b) || otherBatch(a) - otherBatch(b) || pace(a) - pace(b);

const isAboutIdling = (code: Code): boolean =>
  code.startsWith('comm/') || code === 'stage/imbalance' || code === 'place/slow-hop';

const little = (fix: Proposal): number => Number(leavesLittle(fix));

const breaks = (fix: Proposal): number => Math.min(1, fix.breaks?.length ?? 0);

const otherBatch = ({ effect }: Proposal): number =>
  effect?.before === undefined || sameBatch(effect.before, effect.after) ? 0 : 1;

const pace = ({ effect }: Proposal): number => (effect === undefined ? Infinity : samplePeriod(effect.after));

const isOf = (hint: object, pipeline: string): boolean => 'pipeline' in hint && hint.pipeline === pipeline;
