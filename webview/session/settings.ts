import type { ColourBy, PreviewState } from '../protocol/messages.ts';

/** What the reader has chosen to see. */
export interface Settings {
  readonly colourBy: ColourBy;
  readonly criticalPath: boolean;
  readonly bubbles: boolean;
  readonly memory: boolean;
}

/** Colours and the critical path come back after a reload; bubbles and memory always start visible. */
export const initialSettings = (saved: PreviewState | undefined): Settings => ({
  colourBy: saved?.colours ?? 'operation',
  criticalPath: saved?.criticalPath ?? false,
  bubbles: true,
  memory: true,
});
