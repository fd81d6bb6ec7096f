/**
 * A profile as PipeDream's profiler writes it (`graph.txt` of github.com/msr-fiddle/pipedream, graph/graph.py): a node for each
 * operator with what it took on one device for one minibatch, and the edges between them.
 */
export interface ProfileNode {
  /** As in the file: `node11`. */
  readonly id: string;
  /** `Conv2d(128, 256, kernel_size=(3, 3))`. */
  readonly description: string;
  /** Milliseconds of a minibatch. */
  readonly forward: number;
  readonly backward: number;
  /** Bytes of what it puts out for a minibatch: kept for the backward, and sent. A list in the file is summed. */
  readonly activation: number;
  /** Bytes. */
  readonly parameters: number;
  /** Stage that a planner has given it. */
  readonly stage?: number;
  /** Its line in the text. */
  readonly start: number;
  readonly end: number;
}

export interface ProfileGraph {
  /** In the order of the file, which says nothing about who needs whom. */
  readonly nodes: readonly ProfileNode[];
  /** For each node, by number, the nodes whose output it needs. */
  readonly needs: readonly (readonly number[])[];
  /** Edges of the file. */
  readonly edges: number;
}
