/** Causes of waits for gradients that a rule can remove: seconds of each, and rules that are tried against it. A cause is a row. */
import type { ExchangePlan, ExchangeRule } from '../values/exchangePlan.ts';
import type { ExposedReport } from '../values/exchangeReport.ts';

export interface ExchangeCause {
  readonly code:
    | 'comm/fifo-blocks-front-layer'
    | 'comm/barrier'
    | 'comm/bucket-too-small'
    | 'comm/bucket-too-large'
    | 'comm/credit-too-large'
    | 'comm/credit-too-small';
  /** Of all that a device waits. 0 where the rule gives the cause no reason. */
  seconds(exposed: ExposedReport, plan: ExchangePlan): number;
  /** One of these must make the iteration shorter. */
  remedies(rule: ExchangeRule, sizes: Sizes): readonly ExchangeRule[];
}

/** Bytes of the largest tensor, and of all tensors of the largest lane. */
export interface Sizes {
  readonly tensor: number;
  readonly lane: number;
}

export const exchangeCauses: readonly ExchangeCause[] = [
  {
    code: 'comm/fifo-blocks-front-layer',
    seconds: ({ blocked }, { rule: { order, halves }, clip }) =>
      order === 'ready' && halves === 'together' && clip !== true ? blocked : 0,
    remedies: (rule, { tensor }) => {
      const forward = { ...rule, order: 'forward', barrier: false, credit: 'piece' } as const;
      const { first: _first, ...byLayer } = { ...forward, bucket: 'layer' as const };
      return [forward, ...[4, 16].map((parts) => ({ ...forward, partition: tensor / parts })), byLayer];
    },
  },
  {
    code: 'comm/barrier',
    // In any order, all gradients have arrived at the same time.
    seconds: ({ barrier, blocked }, { rule, clip }) =>
      !rule.barrier || clip === true ? 0 : rule.order === 'ready' ? barrier : barrier + blocked,
    remedies: (rule) => [{ ...rule, barrier: false }],
  },
  {
    code: 'comm/bucket-too-small',
    seconds: ({ overhead }) => overhead,
    remedies: (rule, { lane }) => {
      const { first: _first, ...others } = rule;
      const buckets = [1, 2, 4].map((parts) => ({ ...others, bucket: lane / parts }));
      return typeof rule.partition === 'number'
        ? [{ ...rule, partition: 4 * rule.partition, credit: 'piece' }, { ...rule, partition: 'whole' }, ...buckets]
        : buckets;
    },
  },
  {
    code: 'comm/bucket-too-large',
    seconds: ({ fused }, { rule: { bucket, fuse }, lanes }) =>
      bucket !== 'layer' || fuse !== undefined || lanes.some(({ whole = [] }) => whole.length > 0) ? fused : 0,
    remedies: (rule, { lane }) => {
      const { first: _first, fuse: _fuse, cycle: _cycle, ...others } = rule;
      return [{ ...others, bucket: 'layer' }, ...[4, 16].map((parts) => ({ ...others, bucket: lane / parts }))];
    },
  },
  {
    code: 'comm/credit-too-large',
    seconds: ({ blocked }, { rule: { order, barrier } }) =>
      !barrier && (order === 'forward' || order === 'tail') ? blocked : 0,
    remedies: (rule, { tensor }) => [
      { ...rule, credit: 'piece' },
      ...[4, 16].map((parts) => ({ ...rule, credit: 'piece', partition: tensor / parts }) as const),
    ],
  },
  {
    code: 'comm/credit-too-small',
    seconds: ({ credit }) => credit,
    remedies: (rule, { tensor }) => [
      { ...rule, credit: 'unlimited' },
      ...[1, 4].map((parts) => ({ ...rule, credit: tensor / parts })),
    ],
  },
];
