/** What needs no simulation is shown of documents of which nothing was shown, while others take the time for their figures. */
import type { View } from '../view.ts';
import type { Check, OpenDocument } from './openDocument.ts';

export interface Firsts {
  /** The first plan of a document is known. */
  add(document: OpenDocument, check: Check, view: View): void;
  /** A document has a slice. */
  pass(current: OpenDocument): void;
}

/** Slices of other documents that a first plan waits for its figures. */
const patience = 16;

export function createFirsts(show: (view: View) => void): Firsts {
  const firsts = new Map<OpenDocument, { readonly check: Check; readonly view: View; slices: number }>();
  return {
    add: (document, check, view) => void firsts.set(document, { check, view, slices: 0 }),
    pass(current) {
      for (const [document, first] of firsts) {
        const isNewest = document.check === first.check && document.revision === first.check.revision;
        if (document !== current) first.slices += 1;
        if (isNewest && document.earlier === undefined && first.slices < patience) continue;
        firsts.delete(document);
        if (isNewest && document.earlier === undefined) show(first.view);
      }
    },
  };
}
