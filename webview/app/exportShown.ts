import type { Parts } from './parts.ts';

/** Asks for a picture of the pipeline on show, as it is seen. */
export function exportShown({ editor, file, player, update }: Parts): void {
  const shown = file.pipeline();
  if (shown !== undefined)
    editor.post({ type: 'export', pipeline: shown.name, state: update.state(), seconds: player.seconds() });
}
