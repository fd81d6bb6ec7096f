/** Whether a rule suits the collectives of a lane, and a lane of that size. */
import type { SyncUse } from '../../definitions/exchange.ts';
import type { SettledPipeline } from '../../definitions/pipeline.ts';
import { sizeText } from '../../exchange/rule.ts';
import type { ExchangeRule, LaneCall } from '../../values/exchangePlan.ts';
import type { Notes } from '../notes.ts';

export interface RuleUse extends Pick<SettledPipeline, 'at'> {
  readonly sync: SyncUse;
}

/** Most tensors of a lane for which orders of pulls, and sizes of buckets, are searched. Both take time with their square. */
const mostSearched = 2_000;
/** What the message proposes where sizes are not searched: as in PyTorch's DDP. */
const usualBucket = '25MiB';

/** False where it does not, which has been reported. */
export function ruleFits(
  notes: Notes,
  use: RuleUse,
  rule: ExchangeRule,
  lane: { readonly calls: readonly LaneCall[]; readonly tensors: number },
): boolean {
  const { calls, tensors } = lane;
  const refuse = (argument: string, value: string, allowed: string, instead: readonly string[] = []): false => {
    const written = use.sync.at.get(argument);
    notes.report.report(
      'value/range',
      written ?? use.at('sync'),
      { what: written === undefined ? `"${argument}" of ${use.sync.preset.name}` : `"${argument}"`, value, allowed },
      instead.length === 0 ? {} : { hint: { kind: 'spelling', suggestions: instead } },
    );
    return false;
  };
  if (rule.partition === 'at_preemption' && calls.some(({ oneLane }) => oneLane === true))
    return refuse('partition', rule.partition, 'a size of pieces, because pushes and pulls share one lane here');
  const pulls = rule.order === 'tio' || rule.order === 'tao';
  if (pulls && calls.every(({ pull }) => pull === undefined))
    return refuse('order', rule.order, `\`ready\`, \`forward\` or \`tail\`, because ${namesOf(calls)} has no pulls`);
  const whole = calls.filter(({ halves, pull }) => halves === undefined && pull === undefined);
  if (rule.halves === 'apart' && whole.length > 0)
    return refuse('halves', rule.halves, `\`together\`, because ${namesOf(whole)} has no halves`);
  if (tensors <= mostSearched) return true;
  const many = `because the pipeline exchanges ${tensors.toLocaleString('en-US')} tensors on one lane, and at most ${mostSearched.toLocaleString('en-US')} are searched`;
  if (pulls) return refuse('order', rule.order, `\`ready\`, \`forward\` or \`tail\`, ${many}`);
  // With a barrier, buckets that go as they get ready have a short search.
  if (rule.bucket === 'best' && (!rule.barrier || rule.order !== 'ready'))
    return refuse('bucket', rule.bucket, `a size such as ${usualBucket}, ${many}`, [usualBucket]);
  return true;
}

const namesOf = (calls: readonly LaneCall[]): string => [...new Set(calls.map(({ name }) => name))].join(' and ');

/** Arguments that change nothing: no layer can start early, no piece fits into the credit. */
export function noteIdleArguments(notes: Notes, use: RuleUse, rule: ExchangeRule): void {
  const { partition, credit, strict, earlyStart, barrier } = rule;
  const note = (key: string, place: string, reason: string): void =>
    notes.report.report('key/not-applicable', use.sync.at.get(place) ?? use.at('sync'), { key, reason });
  if (earlyStart && barrier)
    note(
      'early_start',
      'early_start',
      'with a barrier no layer starts before all gradients have arrived. Write `barrier = false`, or remove `early_start`',
    );
  else if (earlyStart && partition === 'whole')
    note(
      'early_start',
      'early_start',
      'buckets are sent whole, so all their layers arrive at once. Say the size of pieces: `partition`',
    );
  if (strict && typeof partition === 'number' && typeof credit === 'number' && partition > credit)
    note(
      'strict',
      use.sync.at.has('strict') ? 'strict' : 'credit',
      `no piece of ${sizeText(partition)} fits into a credit of ${sizeText(credit)}, so one is sent at a time. Write \`credit = ${sizeText(partition)}\` or more, or a smaller \`partition\``,
    );
}
