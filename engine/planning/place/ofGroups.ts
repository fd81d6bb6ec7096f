/** Figures of groups of devices, kept: plans of one cluster ask for the same groups again and again. */
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import type { Groups } from './rankGroups.ts';

/** Keeps figures that follow from a cluster, groups of its devices and a word alone; of each cluster the newest ones. */
export function figuresOfGroups<Figures>(
  mostKept: number,
): (cluster: ClusterDefinition, groups: Groups, word: string, make: () => Figures) => Figures {
  const known = new WeakMap<ClusterDefinition, Map<string, Figures>>();
  return (cluster, groups, word, make) => {
    const ofCluster = known.get(cluster) ?? new Map<string, Figures>();
    known.set(cluster, ofCluster);
    const key = `${word} ${groups.map(groupWord).join(';')}`;
    const found = ofCluster.get(key);
    if (found !== undefined) return found;
    const [oldest] = ofCluster.size >= mostKept ? ofCluster.keys() : [];
    if (oldest !== undefined) ofCluster.delete(oldest);
    const figures = make();
    ofCluster.set(key, figures);
    return figures;
  };
}

/** `0+8*16`: sixteen devices from 0, each eight after the one before. */
function groupWord(group: readonly number[]): string {
  const [first, second = first] = group;
  const step = second - first;
  for (let at = 2; at < group.length; at += 1) if (group[at] - group[at - 1] !== step) return group.join();
  return `${first}+${step}*${group.length}`;
}
