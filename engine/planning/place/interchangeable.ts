import { type ClusterDefinition, sameLink } from '../../definitions/cluster.ts';
import { alikeNodes } from '../../network/index.ts';

/**
 * Whether sets of devices can change places with each other, and every route stays as it was. Each has whole nodes or parts of nodes
 * that no other set has, nodes of one position are linked alike, and so is everything inside them. False also where that is not known.
 */
export function interchangeable(cluster: ClusterDefinition, sets: readonly (readonly number[])[]): boolean {
  const { role, nodeOf } = alikeNodes(cluster);
  const owner = new Map<number, number>();
  const [model] = sets;
  return sets.every((devices, set) => {
    if (devices.length !== model.length) return false;
    const partner = new Map<number, number>();
    return devices.every((device, at) => {
      const [node, other] = [nodeOf[device], nodeOf[model[at]]];
      if (node < 0 || role[device] !== role[model[at]] || !insideAlike(cluster, device, model[at])) return false;
      if ((owner.get(node) ?? set) !== set || (partner.get(node) ?? other) !== other) return false;
      owner.set(node, set);
      partner.set(node, other);
      return true;
    });
  });
}

/** Groups around two devices have the same sizes and links, from the innermost to the outermost node. */
function insideAlike({ devices, groups }: ClusterDefinition, one: number, other: number): boolean {
  let [a, b] = [devices[one].group, devices[other].group];
  while (a > 0 && b > 0) {
    const [left, right] = [groups[a], groups[b]];
    if (left.end - left.first !== right.end - right.first || !sameLink(left.link, right.link)) return false;
    [a, b] = [left.parent, right.parent];
  }
  return a === b;
}
