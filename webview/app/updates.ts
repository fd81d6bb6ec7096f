import type { inputs } from '../input/inputs.ts';
import type { Editor } from '../session/editor.ts';
import type { shownFile } from '../session/shownFile.ts';
import type { pageView } from '../view/page.ts';
import type { presenter } from '../view/presenter.ts';
import type { PreviewModes, PreviewState } from '../protocol/messages.ts';
import { readOpenGroups } from '../protocol/state.ts';
import { type Settings, initialSettings } from '../session/settings.ts';
import type { ShownTimeline } from '../session/shownTimeline.ts';
import { currentTheme } from '../view/scene/theme.ts';
import { keptViewport } from '../view/scene/viewport.ts';

/** The parts that follow what is shown. */
export interface UpdatedParts {
  readonly editor: Editor;
  readonly file: ReturnType<typeof shownFile>;
  readonly page: ReturnType<typeof pageView>;
  readonly timelines: ReturnType<typeof presenter>;
  readonly input: ReturnType<typeof inputs>;
  readonly remembered: { readonly uri: string | undefined };
}

/** Keeps the parts of the page in step with what is shown, with the settings and with the theme. */
export function updates(saved: PreviewState | undefined, parts: UpdatedParts) {
  let theme = currentTheme();
  let settings = initialSettings(saved);
  let modes: PreviewModes | undefined;
  /** The timeline of the values that the file has. */
  let inFile: ShownTimeline | undefined;

  /** `current`: the timeline on show is what the newest plan makes. */
  function figures(current = false): void {
    const { file, page, timelines } = parts;
    const timeline = timelines.timeline();
    if (timeline === undefined) return;
    if (current && !file.isTrying()) inFile = timeline;
    const compared = file.isTrying() && inFile?.plan.name === timeline.plan.name ? inFile : undefined;
    page.updateFigures(timeline, theme, settings, compared);
  }

  function controls(): void {
    const { file, page, timelines } = parts;
    const message = file.message();
    const wanted = file.pipeline();
    const shown = timelines.timeline()?.plan;
    const stalled = page.cover.shown() === 'stall';
    const shownControls = {
      title: message?.title ?? '',
      // The header describes the picture, also while a newer plan is simulated.
      pipeline: !stalled && shown !== undefined && shown.name === wanted?.name ? shown : wanted,
      names: file.names(),
      chosen: file.shownName() ?? '',
      comparable: file.comparable().length,
      schedule: file.schedule(),
      params: file.params(),
      overrides: file.overrides(),
    };
    page.updateControls(shownControls, settings);
    save();
  }

  function selection(): void {
    const { page, timelines, input } = parts;
    const scene = timelines.scene();
    if (scene === undefined) return;
    page.updateSelection(scene, input.selection.focus());
    timelines.paintOver();
  }

  function recolour(): void {
    figures();
    parts.timelines.repaint();
    controls();
    selection();
  }

  function change(next: Partial<Settings>): void {
    settings = { ...settings, ...next };
    if (next.colourBy !== undefined) {
      recolour();
      return;
    }
    figures();
    controls();
    const { page, timelines } = parts;
    if (next.memory === undefined) return timelines.paintOver();
    page.arrange();
    timelines.measure();
  }

  /** What a reload needs; undefined while nothing is shown. */
  function state(): PreviewState | undefined {
    const { file, remembered, timelines } = parts;
    const shownUri = remembered.uri;
    const view = timelines.view();
    if (shownUri === undefined || view === undefined) return undefined;
    return {
      uri: shownUri,
      pipeline: file.pipeline()?.name,
      following: modes?.following,
      ...keptViewport(view, timelines.bounds()),
      colours: settings.colourBy,
      criticalPath: settings.criticalPath,
      overrides: file.overrides(),
      openGroups: readOpenGroups(timelines.openGroups()),
    };
  }

  function save(): void {
    if (state() !== undefined) parts.editor.save(state);
  }

  return {
    settings: () => settings,
    state,
    theme: () => theme,
    modes: (): PreviewModes | undefined => modes,
    docked: (): boolean => modes?.docked === true,
    /** The reader has chosen something else to see. */
    change,
    /** The reader, or a setting, has changed how preview and text follow each other. */
    modesChanged(next: PreviewModes): void {
      modes = next;
      save();
    },
    figures,
    /** The timeline of what the file has, if that was on show. */
    inFile: () => inFile,
    controls,
    selection,
    save,
    /** The editor has another theme. */
    themeChanged(): void {
      theme = currentTheme();
      recolour();
    },
    recolour,
  };
}
