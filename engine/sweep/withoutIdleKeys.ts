/** A written plan without keys of which its own check says that they have no effect. */
import { parse } from '../../grammar/index.ts';
import { apply } from '../fixes/proposal.ts';
import { withoutIdle } from '../fixes/repairs/withoutIdle.ts';
import { pipelineBody } from '../fixes/source.ts';
import { resolve } from '../flow/resolve.ts';
import type { SweepFile } from './base.ts';

/** More keys than that are without effect in no row. */
const mostKeys = 16;

/** A finding with a hint has a better repair than to remove the key. */
export function withoutIdleKeys({ uri, text, host, options, overrides }: SweepFile, pipeline: string): string {
  let written = text;
  for (let round = 0; round < mostKeys; round += 1) {
    const syntax = parse(written, { size: options.limits.fileSize, faults: options.limits.findings });
    const body = pipelineBody(syntax, pipeline);
    if (body === undefined) break;
    const { findings } = resolve({ uri, syntax, host, options, overrides });
    const idle = findings.find(
      ({ code, hint, place }) =>
        code === 'key/not-applicable' &&
        hint === undefined &&
        place.uri === uri &&
        place.start >= body.start &&
        place.end <= body.end,
    );
    const edit = idle === undefined ? undefined : withoutIdle(syntax, idle.place);
    if (edit === undefined) break;
    written = apply(written, [edit]);
  }
  return written;
}
