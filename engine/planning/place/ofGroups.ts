/** Figures of groups of devices, kept: plans of one cluster ask for the same groups again and again. */
import type { ClusterDefinition } from '../../definitions/cluster.ts';
import type { Groups } from './rankGroups.ts';

/** Finds figures of groups once. */
export interface FiguresOfGroups<Figures> {
  (cluster: ClusterDefinition, groups: Groups, word: string, make: () => Figures): Figures;
  /** Of several groups together, in their order. */
  ofAll(cluster: ClusterDefinition, all: readonly Groups[], word: string, make: () => Figures): Figures;
  /** Finds them in steps. */
  ahead(
    cluster: ClusterDefinition,
    all: readonly Groups[],
    word: string,
    steps: () => Generator<void, Figures, void>,
  ): Generator<void, Figures, void>;
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
  const ofAll: FiguresOfGroups<Figures>['ofAll'] = (cluster, all, word, make) => {
    const [ofCluster, key] = [keptOf(cluster), keyOf(all, word)];
    return ofCluster.get(key) ?? keep(ofCluster, key, make());
  };
  const of = (cluster: ClusterDefinition, groups: Groups, word: string, make: () => Figures): Figures =>
    ofAll(cluster, [groups], word, make);
  const ahead: FiguresOfGroups<Figures>['ahead'] = function* (cluster, all, word, steps) {
    const [ofCluster, key] = [keptOf(cluster), keyOf(all, word)];
    return ofCluster.get(key) ?? keep(ofCluster, key, yield* steps());
  };
  return Object.assign(of, { ofAll, ahead });
}

const keyOf = (all: readonly Groups[], word: string): string => `${word} ${all.map(numberOf).join()}`;

/** Equal groups have the same number. Their words are long, so each is written once. */
function numberOf(groups: Groups): number {
  const known = numbers.get(groups);
  if (known !== undefined) return known;
  const word = groups.map(groupWord).join(';');
  if (ofWords.size >= mostWords) ofWords.clear();
  const number = ofWords.get(word) ?? next++;
  ofWords.set(word, number);
  numbers.set(groups, number);
  return number;
}

const numbers = new WeakMap<Groups, number>();
const ofWords = new Map<string, number>();
let next = 0;
/** A number that is forgotten is never given again: equal groups are then worked out once more. */
const mostWords = 10_000;

/** `0+8*16`: sixteen devices from 0, each eight after the one before. */
function groupWord(group: readonly number[]): string {
  const [first, second = first] = group;
  const step = second - first;
  for (let at = 2; at < group.length; at += 1) if (group[at] - group[at - 1] !== step) return group.join();
  return `${first}+${step}*${group.length}`;
}
