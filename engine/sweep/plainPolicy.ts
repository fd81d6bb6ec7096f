/** Policies whose devices do all of the work of their stages, one operation after the other, for every microbatch alike. */
import type { Policy } from '../policies/policy.ts';

export const isPlain = ({ overlap, forwardOnly, loading, recompute, weights, parts }: Policy): boolean =>
  overlap === undefined &&
  forwardOnly !== true &&
  loading === undefined &&
  recompute === undefined &&
  weights === undefined &&
  parts === undefined;
