/**
 * Quick fixes of open documents. Finding them means simulating dozens of changed files, so each is found once for a text, whoever asks,
 * and ahead of any request while nobody types. A request gets what is found so far, or waits for the rest.
 */
import { CancellationToken, CancellationTokenSource } from 'vscode-languageserver';
import type { Analysis } from '../../engine/flow/check.ts';
import { evaluationSize } from '../../engine/schedule/evaluation.ts';
import type { Code, Severity } from '../../engine/findings/catalogue.ts';
import type { Finding } from '../../engine/findings/finding.ts';
import { fixAllSteps, hasSeveral } from '../../engine/fixes/all.ts';
import { fixSteps } from '../../engine/fixes/fix.ts';
import { quietTimer } from '../../platform/common/quietTimer.ts';
import type { Documents } from '../documents/documents.ts';
import { createTask, type Fixes, type Task } from './fixTask.ts';
import { neighboursOf } from '../neighbours.ts';
import type { View } from '../view.ts';

export interface QuickFixes {
  /** Fixes of one finding of a view. */
  of(view: View, finding: Finding): Fixes;
  /** All findings of a code as one change. */
  ofAll(view: View, code: Code): Fixes;
  /** The text is checked, and nobody waits: looks for the fixes of its findings. */
  ahead(view: View): void;
  /** The text has changed, or its document is closed. */
  stop(uri: string): void;
}

/** Milliseconds without a new text after which fixes are found ahead. */
const usualQuiet = 400;
/** Findings whose fixes are found ahead, the most severe first. */
const mostAhead = 12;
/** Larger pipelines are tried only for a request: elementary steps of one simulation, some 20 ns each. */
const largestAhead = 15_000_000;
const severities: readonly Severity[] = ['error', 'warning', 'information'];

/** The tasks of one text. */
interface Tasks {
  readonly view: View;
  readonly byFinding: Map<Finding, Task>;
  readonly byCode: Map<Code, Task>;
  /** Tasks that a request waits for. */
  readonly asked: Set<Promise<void>>;
  ahead?: CancellationTokenSource;
  timer?: ReturnType<typeof setTimeout>;
}

export function createQuickFixes(
  documents: Documents,
  failed: (error: unknown) => void,
  quiet = usualQuiet,
): QuickFixes {
  /** Findings and their places belong to one analysis. */
  const known = new WeakMap<Analysis, Tasks>();
  const current = new Map<string, Tasks>();

  function tasksOf(view: View): Tasks {
    const found = known.get(view.analysis);
    if (found !== undefined) return found;
    const byFinding = new Map(taken(current.get(view.uri), view));
    const tasks: Tasks = { view, byFinding, byCode: new Map(), asked: new Set() };
    known.set(view.analysis, tasks);
    return tasks;
  }

  function ofFinding({ view, byFinding }: Tasks, finding: Finding): Task {
    const neighbours = neighboursOf(view);
    const task =
      byFinding.get(finding) ??
      createTask({ documents, failed, view }, (searches, again) =>
        fixSteps(view.analysis, finding, again(searches), neighbours),
      );
    byFinding.set(finding, task);
    return task;
  }

  function ofCode(tasks: Tasks, code: Code): Task {
    const { view, byCode } = tasks;
    const title = (fixed: number, findings: number) =>
      fixed === findings ? `Fix all ${fixed} findings of ${code}` : `Fix ${fixed} of ${findings} findings of ${code}`;
    const knownOf = (finding: Finding) => {
      const task = tasks.byFinding.get(finding);
      return task?.isDone() === true ? task.found() : undefined;
    };
    const parts = view.analysis.findings.filter((finding) => finding.code === code);
    const task =
      byCode.get(code) ??
      createTask(
        { documents, failed, view },
        function* (searches, again) {
          const request = { codes: [code], title, known: knownOf };
          const steps = fixAllSteps(view.analysis, request, again(searches), neighboursOf(view));
          // What is found of the parts is no fix of the whole.
          for (let step = steps.next(); ; step = steps.next()) {
            if (step.done === true) return step.value === undefined ? [] : [step.value];
            yield undefined;
          }
        },
        async (token) => {
          for (const finding of parts) await ofFinding(tasks, finding).run(token);
        },
      );
    byCode.set(code, task);
    return task;
  }

  /** For a request: what is done ahead of requests pauses until then. */
  function wanted(tasks: Tasks, task: Task): Task {
    if (task.isDone()) return task;
    tasks.ahead?.cancel();
    const running = task.run(CancellationToken.None).finally(() => {
      tasks.asked.delete(running);
      if (tasks.asked.size === 0 && current.get(tasks.view.uri) === tasks) goOn(tasks);
    });
    tasks.asked.add(running);
    return task;
  }

  /** One task after the other, until a request comes or the text changes. */
  async function findAhead(tasks: Tasks, token: CancellationToken): Promise<void> {
    const { analysis } = tasks.view;
    const findings = severities
      .flatMap((severity) => analysis.findings.filter((finding) => finding.severity === severity))
      .slice(0, mostAhead);
    for (const finding of findings) {
      await ofFinding(tasks, finding).run(token);
      if (token.isCancellationRequested) return;
    }
    for (const code of new Set(findings.map((finding) => finding.code))) {
      if (!hasSeveral(analysis, code)) continue;
      await ofCode(tasks, code).run(token);
      if (token.isCancellationRequested) return;
    }
  }

  function goOn(tasks: Tasks): void {
    clearTimeout(tasks.timer);
    // Nobody waits for it.
    tasks.timer = quietTimer(() => {
      if (tasks.asked.size > 0) return;
      tasks.ahead = new CancellationTokenSource();
      void findAhead(tasks, tasks.ahead.token).catch(failed);
    }, quiet);
  }

  function stop(uri: string): void {
    const tasks = current.get(uri);
    current.delete(uri);
    clearTimeout(tasks?.timer);
    tasks?.ahead?.cancel();
  }

  return {
    of(view, finding) {
      const tasks = tasksOf(view);
      return wanted(tasks, ofFinding(tasks, finding));
    },
    ofAll(view, code) {
      const tasks = tasksOf(view);
      return wanted(tasks, ofCode(tasks, code));
    },
    ahead(view) {
      const tasks = tasksOf(view);
      stop(view.uri);
      if (view.analysis.findings.length === 0 || isLarge(view.analysis)) return;
      current.set(view.uri, tasks);
      if (tasks.asked.size === 0) goOn(tasks);
    },
    stop,
  };
}

/** What was looked for of findings that stay where others came after the check. Each check makes its findings anew. */
function* taken(before: Tasks | undefined, { analysis }: View): Generator<[Finding, Task]> {
  const stay = new Set(analysis.findings);
  for (const [finding, task] of before?.byFinding ?? []) if (stay.has(finding)) yield [finding, task];
}

const isLarge = ({ pipelines }: Analysis): boolean =>
  pipelines.reduce((sum, { plan }) => sum + evaluationSize(plan), 0) > largestAhead;
