/** What `collective = …` says: how replicas reduce their gradients. */

export type CollectiveRequest = CollectiveChoice & {
  /** Seconds that each call costs on top. */
  readonly call?: number;
};

type CollectiveChoice =
  | { readonly kind: 'ring' | 'halving' | 'tree' | 'blueconnect' | 'plink' | 'nccl' | 'best' }
  | { readonly kind: 'ps'; readonly servers: ServersRequest }
  /** `servers`: ports that have no gradients, each as fast as the ranks' slowest link. */
  | { readonly kind: 'trees'; readonly servers?: number }
  | { readonly kind: 'table'; readonly bytes: readonly number[]; readonly seconds: readonly number[] };

export interface ServersRequest {
  /** Default: as many as ranks. */
  readonly count?: number;
  /** Default: the link of the ranks. Bytes per second and seconds. */
  readonly link?: { readonly bandwidth: number; readonly latency: number };
  /** Each rank is a server too. */
  readonly colocated: boolean;
  readonly push: 'gradients' | 'factors';
}

/**
 * A layer whose gradient is the product of two factors: an M × N matrix from K samples of a rank. The factors have K(M + N)
 * elements.
 */
export interface FactorShape {
  readonly rows: number;
  readonly columns: number;
  readonly samples: number;
}
