/** Reads a PipeDream profile; DAPPLE's and HPGO's files have the same form. */
import { orderByNeed } from '../../basics/ordering.ts';
import { cycleFault } from '../cycle.ts';
import { mostTextFaults, type TextFault } from '../fault.ts';
import { type Line, linesOf } from '../lines.ts';
import type { ProfileGraph, ProfileNode } from './graph.ts';
import { readNode, separator } from './node.ts';

/** Whether a text looks like a profile: its first line is a node with a time. */
export const isProfile = (text: string): boolean =>
  linesOf(text).next().value?.text.includes(`forward_compute_time=`) === true;

/** The graph, or what is wrong with the text, in order of position. */
export function readProfileGraph(text: string): ProfileGraph | { readonly faults: readonly TextFault[] } {
  const faults: TextFault[] = [];
  const fault = (textFault: TextFault): void => void (faults.length < mostTextFaults && faults.push(textFault));
  const nodes: ProfileNode[] = [];
  const numbers = new Map<string, number>();
  const edgeLines: Line[] = [];
  for (const line of linesOf(text)) {
    if (line.text.startsWith('\t')) {
      edgeLines.push(line);
      continue;
    }
    const node = readNode(line);
    if ('message' in node) fault(node);
    else if (numbers.has(node.id))
      fault({
        start: node.start,
        end: node.end,
        message: 'This node is defined a second time here.',
      });
    else {
      numbers.set(node.id, nodes.length);
      nodes.push(node);
    }
  }
  if (nodes.length === 0 && faults.length === 0) fault({ start: 0, end: 0, message: 'The profile has no nodes.' });
  // After a fault in a node, edges to it are no second mistake.
  if (faults.length > 0) return { faults };
  const needs = readEdges(edgeLines, numbers, nodes.length, fault);
  if (faults.length > 0) return { faults };
  const { circles } = orderByNeed(nodes.length, (node) => needs[node]);
  for (const circle of circles.slice(0, mostTextFaults))
    fault(
      cycleFault(
        text,
        circle.map((member) => nodes[member]),
      ),
    );
  return faults.length > 0 ? { faults } : { nodes, needs, edges: edgeLines.length };
}

function readEdges(
  lines: readonly Line[],
  numbers: ReadonlyMap<string, number>,
  nodes: number,
  fault: (problem: TextFault) => void,
): readonly (readonly number[])[] {
  const needs = Array.from({ length: nodes }, (): number[] => []);
  const seen = new Set<number>();
  for (const { text, start } of lines) {
    const end = start + text.length;
    const ends = text.trim().split(separator);
    if (ends.length !== 2) {
      fault({ start, end, message: 'This is not an edge of a profile: expected `SOURCE -- TARGET` after a tab.' });
      continue;
    }
    const [from, to] = ends.map((name) => numbers.get(name.trim()));
    if (from === undefined || to === undefined) {
      const name = ends[from === undefined ? 0 : 1].trim();
      const at = start + (from === undefined ? text.indexOf(name) : text.lastIndexOf(name));
      fault({ start: at, end: at + name.length, message: 'The profile does not define this node.' });
      continue;
    }
    const key = from * nodes + to;
    if (seen.has(key)) fault({ start, end, message: 'This edge appears a second time.' });
    else {
      seen.add(key);
      needs[to].push(from);
    }
  }
  return needs;
}
