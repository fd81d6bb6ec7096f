/** Trees of ranks that reach each other over a port each. */

export interface PortPacking {
  /** Bytes per second. */
  readonly rate: number;
  /** Hops from the middle of a star: 1, or 0 for one rank. */
  readonly depth: number;
}

/**
 * Σ y_T · deg_T(v) ≤ b_v for each of n ranks, and for servers, which have no gradients and which a tree may leave out. Stars are
 * enough: a tree has n − 1 edges, 2(n − 1) ends, and one end at least at each rank; the others are cheapest at one rank. A star
 * takes n − 1 of the port in its middle, and n of a server's. So
 * Y = min(min b_v, (Σ b_v + (n − 2)/n · Σ b_s) / (2(n − 1))). With k servers and equal ports it is the optimum of BytePS (Jiang et al.,
 * OSDI'20, theorem 1): b(n² + kn − 2k)/(2n(n − 1)).
 */
export function packPorts(ports: readonly number[], servers: readonly number[] = []): PortPacking {
  const ranks = ports.length;
  if (ranks <= 1) return { rate: Infinity, depth: 0 };
  const least = ports.reduce((found, port) => Math.min(found, port), Infinity);
  const all = sum(ports) + ((ranks - 2) / ranks) * sum(servers);
  return { rate: Math.min(least, all / (2 * (ranks - 1))), depth: 1 };
}

const sum = (list: readonly number[]): number => list.reduce((total, each) => total + each, 0);
