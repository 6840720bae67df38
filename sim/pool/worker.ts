/** A process that runs seeds, as the process that asks it sees it. `sim/platform/worker-process.ts` implements it. */
export interface Worker {
  /** Sends one line. A worker that has ended takes none, and says so by `next`. */
  send(line: string): void
  /** What it says next; once it has ended, always its end. */
  next(): Promise<WorkerSaid>
  /** Ends it at once. */
  kill(): void
}

export type WorkerSaid = { readonly line: string } | { readonly end: WorkerEnd }

/** How a worker ended. */
export interface WorkerEnd {
  /** Undefined: a signal ended it. */
  readonly code: number | undefined
  readonly signal: string | undefined
  /** The end of its standard error. */
  readonly errors: string
}

/** The other end, within the worker. `sim/platform/worker-port.ts` implements it. */
export interface WorkerPort {
  /** Requests, one a line, until the asking process ends the worker. */
  requests(): AsyncIterable<string>
  say(line: string): void
  /**
   * Watches a run that begins now: if it uses CPU time without an end while `virtualUs` stands still, the worker says so,
   * with the stack, and ends. The returned function ends the watch.
   */
  watch(virtualUs: () => number): () => void
}

/** A longer line is refused on both sides: a request has a page of 1 MiB, escaped; a record is far below that. */
export const lineBytesMax = 8 << 20
