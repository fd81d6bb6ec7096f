/**
 * Constants of NCCL v2.30.7-1, src/graph/tuning.cc. Latencies are in microseconds there (lines 149 to 176). The correction of trees
 * has a factor for each power of two from 64 bytes on (lines 623 to 627).
 */

export type Algorithm = 'tree' | 'ring';
export type Protocol = 'LL' | 'LL128' | 'Simple';
export type Hardware = 'nvlink' | 'pci' | 'net';

export const protocols: readonly Protocol[] = ['LL', 'LL128', 'Simple'];

type ByProtocol = Readonly<Record<Protocol, number>>;

/** Lines 150 and 151. */
export const baseMicroseconds: Readonly<Record<Algorithm, ByProtocol>> = {
  tree: { LL: 6.8, LL128: 14, Simple: 8.4 },
  ring: { LL: 6.6, LL128: 14, Simple: 8.4 },
};

/** Of a step; lines 157 to 176. */
export const stepMicroseconds: Readonly<Record<Hardware, Readonly<Record<Algorithm, ByProtocol>>>> = {
  nvlink: { tree: { LL: 0.6, LL128: 1.25, Simple: 4 }, ring: { LL: 0.6, LL128: 1.9, Simple: 3.4 } },
  pci: { tree: { LL: 1, LL128: 1.9, Simple: 4 }, ring: { LL: 1, LL128: 2.5, Simple: 5.7 } },
  net: { tree: { LL: 5, LL128: 8.5, Simple: 14 }, ring: { LL: 2.7, LL128: 4, Simple: 14 } },
};

/** Share of a link's bandwidth that is data; lines 327 to 335. Of a tree, times `treeShare`. */
export const ringShares: ByProtocol = { LL: 0.5, LL128: 0.92, Simple: 1 };
export const treeShares = (nodes: number): ByProtocol => ({
  LL: 1 / 3.8,
  LL128: nodes === 1 ? 7 / 9 : 120 / 128,
  Simple: 1,
});
export const treeShare = 0.92;

/** Of a tree's bandwidth for messages from 64 · 2^i bytes on; above the last one there is none (lines 624 to 626 and 639 to 642). */
export const treeCorrections: Readonly<Record<Protocol, readonly number[]>> = {
  LL: [1, 1, 1, 1, 0.9, 0.8, 0.7, 0.7, 0.7, 0.7, 0.6, 0.5, 0.4, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1, 1, 1],
  LL128: [1, 1, 1, 1, 1, 0.9, 0.8, 0.8, 0.8, 0.7, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.8, 0.9, 0.9, 0.9, 0.9, 1, 1],
  Simple: [
    0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8, 0.7, 0.6, 0.6, 0.5, 0.5, 0.5, 0.5, 0.6, 0.7, 0.8, 0.7, 0.7, 0.8, 0.9, 0.9,
  ],
};
