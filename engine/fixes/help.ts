import type { Analysis } from '../flow/check.ts';
import { bubbleFixes } from './bubble.ts';
import { subjectOf } from './candidates.ts';
import { fixSteps } from './fix.ts';
import { roomFixes } from './memory.ts';
import type { Again, FixSteps, Proposal } from './proposal.ts';

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
      return yield* bubbleFixes(analysis, pipeline, again);
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

const isOf = (hint: object, pipeline: string): boolean => 'pipeline' in hint && hint.pipeline === pipeline;
