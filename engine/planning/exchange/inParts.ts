/** What `sync` and `collective` do where ranks hold gradients in parts: these are scattered after each backward, in the time of the layers. */
import { type ExchangeUse, onlyBuckets } from '../../definitions/exchange.ts';
import type { SettledPipeline } from '../../definitions/pipeline.ts';
import type { Notes } from '../notes.ts';

const scattered = 'gradients in parts are scattered in rings after each backward, in the time of the layers';

/** `idle`: nothing is left to exchange, so no rule has an effect. Otherwise weights are gathered as with `overlap`. */
export function noteInParts(
  { report }: Notes,
  { at }: Pick<SettledPipeline, 'at'>,
  { sync, collective }: ExchangeUse,
  idle: boolean,
): void {
  if (sync === undefined || (onlyBuckets(sync) && !idle)) {
    const key = 'collective';
    report.report('key/not-applicable', at(key), { key, reason: `${scattered}. Remove \`collective\`` });
    return;
  }
  const key = 'sync';
  const more = collective === undefined ? '' : ' and `collective`';
  if (idle) {
    const reason = `${scattered}, and nothing is left to exchange. Remove \`sync\`${more}`;
    report.report('key/not-applicable', at(key), { key, reason });
    return;
  }
  const after = collective === undefined ? '' : ', and remove `collective`';
  report.report(
    'key/not-applicable',
    at(key),
    { key, reason: `${scattered}, and weights are gathered as with \`overlap\`. Write \`sync = overlap\`${after}` },
    { hint: { kind: 'spelling', suggestions: ['overlap'] } },
  );
}
