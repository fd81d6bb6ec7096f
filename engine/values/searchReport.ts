/** The certificate of a searched order. */
export interface SearchReport {
  /** Seconds of the simulated order. */
  readonly makespan: number;
  /** A proven lower bound on the seconds of every order within the limit. */
  readonly bound: number;
  /** (makespan − bound) / bound. */
  readonly gap: number;
  /** How long the order took to find: 1 visits 20 million operations. */
  readonly effort: number;
  /** `optimal` only if the bound equals the makespan. */
  readonly status: 'optimal' | 'within';
  /** What a device may hold at every moment by the argument `limit`; absent for the memory of the devices. */
  readonly limit?: { readonly microbatches: number } | { readonly bytes: number };
  /** Of the random generator. */
  readonly seed: number;
  /** What made the order: a policy, `simple priorities`, or a step of the search (`rounds`, `windows`, `dives`, `beams`, `waves`, `repetition`, `priorities`, `moves`). */
  readonly by: string;
  /** What it minimises: the `end` of the last device, or the longest `span` of a device. */
  readonly objective: 'end' | 'span';
  /** Only if it minimises spans. The figures above are for the end all the same. */
  readonly span?: SpanReport;
  /** Only if the order is chosen for random times. */
  readonly p95?: RiskReport;
}

/** The longest span of a device in the simulated order, from its first start to its last end, in seconds; and its certificate. */
export interface SpanReport extends Pick<SearchReport, 'bound' | 'gap' | 'status'> {
  /** Seconds of the longest span. */
  readonly longest: number;
}

/** Orders under random times, by the model of the search: seconds that 95 of 100 draws do not exceed. */
export interface RiskReport {
  /** Of this order, which has the least of all orders that were compared. */
  readonly p95: number;
  /** The end of the shortest order. */
  readonly shortest: number;
  /** The p95 of the shortest order. */
  readonly shortest_p95: number;
  /** Orders that were compared. */
  readonly orders: number;
  /** Draws for each order. */
  readonly draws: number;
  /** The seconds are with slow devices. The orders were compared without them. */
  readonly slow?: true;
}
