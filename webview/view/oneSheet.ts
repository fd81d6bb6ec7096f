/** In a page this narrow the side panel is a sheet under the timeline, as the style sheets have it. */
const narrow = '(max-width: 859.98px)';
/** In a page this narrow the timeline keeps 60 % of the height, and the shape of a schedule is such a sheet, too. */
const narrowest = '(max-width: 519.98px)';

interface Sheet {
  isOpen(): boolean;
  setOpen(open: boolean): void;
}

export interface SheetsHost {
  closeSide(): void;
  card(): Sheet;
  /** The shape of a schedule that is shown without a pipeline, over the timeline. */
  bench(): Sheet;
}

/** In a narrow page, what is opened takes the room of what was open: the card, the side panel, the shape of a schedule. */
export function oneSheet(host: SheetsHost) {
  /** Sheets that gave way to the side panel, or to the card. */
  const gaveWay: Record<'side' | 'card', Sheet[]> = { side: [], card: [] };

  function take(
    room: 'side' | 'card',
    open: boolean,
    others: readonly (readonly [sheet: Sheet, width: string])[],
  ): void {
    if (!open) {
      for (const sheet of gaveWay[room].splice(0)) sheet.setOpen(true);
      return;
    }
    for (const [sheet, width] of others) {
      if (!sheet.isOpen() || !matchMedia(width).matches) continue;
      gaveWay[room].push(sheet);
      sheet.setOpen(false);
    }
  }

  return {
    sideTurned(open: boolean): void {
      take('side', open, [
        [host.card(), narrow],
        [host.bench(), narrowest],
      ]);
    },
    cardTurned(open: boolean): void {
      gaveWay.side = gaveWay.side.filter((sheet) => sheet !== host.card());
      if (open && matchMedia(narrow).matches) host.closeSide();
      take('card', open, [[host.bench(), narrowest]]);
    },
    benchTurned(open: boolean): void {
      for (const room of ['side', 'card'] as const)
        gaveWay[room] = gaveWay[room].filter((sheet) => sheet !== host.bench());
      if (!open || !matchMedia(narrowest).matches) return;
      host.closeSide();
      if (host.card().isOpen()) host.card().setOpen(false);
    },
  };
}
