/** Figures of groups of devices, kept: plans of one cluster ask for the same groups again and again. */
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import type { Groups } from './rankGroups.ts';

/** Finds figures of groups once. */
export interface FiguresOfGroups<Figures> {
  (cluster: ClusterDefinition, groups: Groups, word: string, make: () => Figures): Figures;
  /** Finds them in steps, for whoever asks next. */
  ahead(
    cluster: ClusterDefinition,
    groups: Groups,
    word: string,
    steps: () => Generator<void, Figures, void>,
  ): Generator<void, void, void>;
}

/** Keeps figures that follow from a cluster, groups of its devices and a word alone; of each cluster the newest ones. */
export function figuresOfGroups<Figures>(mostKept: number): FiguresOfGroups<Figures> {
  const known = new WeakMap<ClusterDefinition, Map<string, Figures>>();
  function keptOf(cluster: ClusterDefinition): Map<string, Figures> {
    const ofCluster = known.get(cluster) ?? new Map<string, Figures>();
    known.set(cluster, ofCluster);
    return ofCluster;
  }
  function keep(ofCluster: Map<string, Figures>, key: string, figures: Figures): Figures {
    const [oldest] = ofCluster.size >= mostKept ? ofCluster.keys() : [];
    if (oldest !== undefined) ofCluster.delete(oldest);
    ofCluster.set(key, figures);
    return figures;
  }
  const of = (cluster: ClusterDefinition, groups: Groups, word: string, make: () => Figures): Figures => {
    const [ofCluster, key] = [keptOf(cluster), keyOf(groups, word)];
    return ofCluster.get(key) ?? keep(ofCluster, key, make());
  };
  return Object.assign(of, {
    *ahead(
      cluster: ClusterDefinition,
      groups: Groups,
      word: string,
      steps: () => Generator<void, Figures, void>,
    ): Generator<void, void, void> {
      const [ofCluster, key] = [keptOf(cluster), keyOf(groups, word)];
      if (!ofCluster.has(key)) keep(ofCluster, key, yield* steps());
    },
  });
}

const keyOf = (groups: Groups, word: string): string => `${word} ${groups.map(groupWord).join(';')}`;

/** `0+8*16`: sixteen devices from 0, each eight after the one before. */
function groupWord(group: readonly number[]): string {
  const [first, second = first] = group;
  const step = second - first;
  for (let at = 2; at < group.length; at += 1) if (group[at] - group[at - 1] !== step) return group.join();
  return `${first}+${step}*${group.length}`;
}
