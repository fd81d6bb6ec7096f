/** Collectives that `collective = …` names: what each takes. Their costs are in `network/collectives/`, a file each. */

export type CollectiveName =
  'ring' | 'tree' | 'halving' | 'blueconnect' | 'plink' | 'trees' | 'nccl' | 'ps' | 'table' | 'best';

export interface CollectiveParameter {
  readonly name: 'servers' | 'link' | 'colocated' | 'push' | 'file' | 'channels' | 'algorithm' | 'call';
  readonly doc: string;
  readonly default?: string;
  readonly words?: readonly string[];
}

export interface CollectiveSchema {
  readonly name: CollectiveName;
  readonly doc: string;
  readonly source: string;
  readonly parameters: readonly CollectiveParameter[];
}

const call: CollectiveParameter = {
  name: 'call',
  doc: 'time that each call takes before it moves anything',
  default: '0',
};

const channels: CollectiveParameter = {
  name: 'channels',
  doc: 'rings that run at once, each through other network cards of a node',
  default: '1, or as many as the ranks of a node if that is faster',
};

/** As `NCCL_ALGO` names them. */
export const ncclAlgorithms = ['ring', 'tree', 'nvls', 'nvls_tree', 'collnet_direct', 'collnet_chain'] as const;
export type NcclAlgorithm = (typeof ncclAlgorithms)[number];

export const collectives: readonly CollectiveSchema[] = [
  {
    name: 'ring',
    doc: 'Reduce-scatter and all-gather around a ring, or around several at once that go through all network cards of a node.',
    source: 'Patarasuk and Yuan, J. Parallel Distrib. Comput. 69 (2009)',
    parameters: [channels, call],
  },
  {
    name: 'tree',
    doc: 'Double binary tree: each of two trees reduces and broadcasts half of the bytes.',
    source: 'Sanders, Speck and Träff, Parallel Computing 35 (2009)',
    parameters: [channels, call],
  },
  {
    name: 'halving',
    doc: 'Recursive halving and doubling, for a power of two of ranks.',
    source: 'Thakur, Rabenseifner and Gropp, IJHPCA 19 (2005)',
    parameters: [channels, call],
  },
  {
    name: 'blueconnect',
    doc: 'Reduce-scatter on each level of nested nodes from the inside out, then all-gather from the outside in.',
    source: 'Cho et al., BlueConnect, MLSys 2019',
    parameters: [call],
  },
  {
    name: 'plink',
    doc: 'As `blueconnect`, over groups that the bandwidths between devices show.',
    source: 'Luo et al., PLink, MLSys 2020',
    parameters: [call],
  },
  {
    name: 'trees',
    doc: 'Several spanning trees at once, with shares that fill the links as well as any trees can.',
    source: 'Wang et al., Blink, MLSys 2020',
    parameters: [{ name: 'servers', doc: 'further ports without gradients that sum up', default: '0' }, call],
  },
  {
    name: 'nccl',
    doc: 'What NCCL chooses by its tables: ring or tree, with the protocols LL, LL128 and Simple.',
    source: 'NCCL: src/graph/tuning.cc',
    parameters: [
      {
        name: 'algorithm',
        doc: 'what NCCL is made to use; `nvls` and `nvls_tree` need NVLink SHARP, `collnet_direct` and `collnet_chain` SHARP in the network',
        default: 'the faster of ring and tree',
        words: ncclAlgorithms,
      },
      channels,
      call,
    ],
  },
  {
    name: 'ps',
    doc: 'Parameter servers: each worker pushes its gradients and pulls the sum. The servers are further hosts, as many as ranks, in addition to the cluster.',
    source: 'Li et al., Parameter Server, OSDI 2014',
    parameters: [
      { name: 'servers', doc: 'number of servers', default: 'as many as ranks' },
      { name: 'link', doc: 'link of each server', default: 'as the ranks' },
      { name: 'colocated', doc: 'whether the servers are on the workers', default: 'false', words: ['true', 'false'] },
      {
        name: 'push',
        doc: '`factors`: fully connected layers push the two factors of their gradient (Project Adam)',
        default: 'gradients',
        words: ['gradients', 'factors'],
      },
      call,
    ],
  },
  {
    name: 'table',
    doc: 'Measured: a file with bytes and seconds in each line, linear in between.',
    source: '',
    parameters: [{ name: 'file', doc: 'path of the file, from this file' }, call],
  },
  { name: 'best', doc: 'The fastest of all that fit these ranks, for each size.', source: '', parameters: [call] },
];

export const findCollective = (name: string): CollectiveSchema | undefined =>
  collectives.find((collective) => collective.name === name);

/** What a pipeline says. Seconds, bytes per second. */
export interface CollectiveUse {
  readonly name: CollectiveName | 'hybrid';
  readonly call: number;
  readonly servers?: number;
  readonly link?: { readonly bandwidth: number; readonly latency: number; readonly half?: true };
  readonly colocated?: true;
  readonly factors?: true;
  /** Rings at once; if absent, the links decide. */
  readonly channels?: number;
  readonly algorithm?: NcclAlgorithm;
  /** Measured sizes and seconds, ascending. */
  readonly table?: { readonly bytes: readonly number[]; readonly seconds: readonly number[] };
}
