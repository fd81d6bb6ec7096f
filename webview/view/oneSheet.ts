/** In a page this narrow the side panel is a sheet under the timeline, as the style sheets have it. */
const narrow = '(max-width: 859.98px)';

export interface SheetsHost {
  closeSide(): void;
  card(): { isOpen(): boolean; setOpen(open: boolean): void };
}

/** In a narrow page the card and the side panel lie under the timeline: the one that is opened takes the room of the other. */
export function oneSheet(host: SheetsHost) {
  /** The card gave way to the side panel. */
  let gaveWay = false;
  return {
    sideTurned(open: boolean): void {
      const card = host.card();
      if (open && card.isOpen() && matchMedia(narrow).matches) {
        gaveWay = true;
        card.setOpen(false);
      } else if (!open && gaveWay) {
        gaveWay = false;
        card.setOpen(true);
      }
    },
    cardTurned(open: boolean): void {
      gaveWay = false;
      if (open && matchMedia(narrow).matches) host.closeSide();
    },
  };
}
