/** Findings from after a check: better policies, shorter orders. */
import type { Finding } from '../../engine/findings/finding.ts';
import type { View } from '../view.ts';
import type { OpenDocument } from './openDocument.ts';

export type Extend = (document: OpenDocument | undefined, view: View, findings: readonly Finding[]) => View | undefined;

/** Replaces the findings of the newest view; undefined where it is not the newest, where nothing is new, or where there is no room. */
export function createExtend(): Extend {
  /** Of views with findings from after their check: the view of the check. */
  const extended = new WeakMap<View, View>();
  return (document, view, findings) => {
    const isNewest = document?.view === view || (document?.view !== undefined && extended.get(document.view) === view);
    if (document === undefined || !isNewest || document.done !== document.revision) return undefined;
    const { analysis, options } = view;
    const before = analysis.findings;
    const isFull = findings.length > before.length && findings.length >= options.limits.findings;
    const isSame = findings.length === before.length && findings.every((found, index) => found === before[index]);
    if (isFull || isSame) return undefined;
    const all = findings.toSorted((a, b) => a.place.start - b.place.start || a.place.end - b.place.end);
    document.view = { ...view, analysis: { ...analysis, findings: all } };
    extended.set(document.view, view);
    return document.view;
  };
}
