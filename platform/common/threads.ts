/** Threads: a worker of Node or of a browser, seen from the server and from inside. */

/** A thread that runs, or is about to. */
export interface StartedThread {
  post(message: unknown): void;
  /** Nobody wants this task any more. */
  giveUp(task: number): void;
  /** Ends it, whatever it does. */
  end(): void;
}

/** Undefined where no thread can be had. `lost` is called for each way in which it ends. */
export type StartThread = (on: {
  message(message: unknown): void;
  lost(error: Error): void;
}) => StartedThread | undefined;

/** What a thread has of the server. */
export interface ThreadChannel {
  listen(receive: (message: unknown) => void): void;
  /** `handed`: memory that the message takes along. */
  send(message: unknown, handed: readonly ArrayBuffer[]): void;
  /** Whether nobody wants this task any more. */
  isUnwanted(task: number): boolean;
  /** Absent: `isUnwanted` knows at once. Otherwise it knows after this, which is to be called now and then. */
  readonly hear?: () => Promise<void>;
}
