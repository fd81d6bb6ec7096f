import type { RoomWanted } from './scene/room.ts';

/** In a page this narrow the side panel is a sheet under the timeline, as the style sheets have it. */
const narrow = '(max-width: 859.98px)';
/** In a page this narrow the timeline keeps most of the height. */
const narrowest = '(max-width: 519.98px)';
/** Share of the height that it keeps then. */
const leastShare = 0.6;

interface Sheet {
  isOpen(): boolean;
  setOpen(open: boolean): void;
}

export interface SheetsHost {
  side(): { shown(): string | undefined; back(): boolean };
  card(): Sheet;
  /** The shape of a schedule that is shown without a pipeline, over the timeline. */
  bench(): Sheet & { readonly element: HTMLElement };
  /** Something was opened or closed. */
  turned(): void;
}

/** In a narrow page, what is opened takes the room of what was open: the card, the side panel, the shape of a schedule. */
export function oneSheet(host: SheetsHost) {
  /** Sheets that gave way to the side panel, or to the card. */
  const gaveWay: Record<'side' | 'card', Sheet[]> = { side: [], card: [] };

  function take(room: 'side' | 'card', open: boolean, others: readonly Sheet[]): void {
    if (!open) for (const sheet of gaveWay[room].splice(0)) sheet.setOpen(true);
    else if (matchMedia(narrow).matches)
      for (const sheet of others) {
        if (!sheet.isOpen()) continue;
        gaveWay[room].push(sheet);
        sheet.setOpen(false);
      }
    host.turned();
  }

  return {
    sideTurned: (open: boolean): void => take('side', open, [host.card(), host.bench()]),
    cardTurned(open: boolean): void {
      gaveWay.side = gaveWay.side.filter((sheet) => sheet !== host.card());
      if (open && matchMedia(narrow).matches) host.side().back();
      take('card', open, [host.bench()]);
    },
    benchTurned(open: boolean): void {
      for (const room of ['side', 'card'] as const)
        gaveWay[room] = gaveWay[room].filter((sheet) => sheet !== host.bench());
      if (open && matchMedia(narrow).matches) {
        host.side().back();
        if (host.card().isOpen()) host.card().setOpen(false);
      }
      host.turned();
    },
    /** What is open over or under the timeline, and what else is over it. `bench`: the shape of a schedule is what is open. */
    open(): Pick<RoomWanted, 'above' | 'sheet'> & { readonly bench: boolean } {
      const keepsDetail = host.card().isOpen();
      const isUnder = keepsDetail || (host.side().shown() !== undefined && matchMedia(narrow).matches);
      const bench = !isUnder && host.bench().isOpen();
      const above = bench ? 0 : host.bench().element.offsetHeight;
      if (!isUnder && !bench) return { above, bench };
      const share = matchMedia(narrowest).matches ? leastShare : 0;
      return { above, bench, sheet: { share, keepsDetail } };
    },
  };
}
