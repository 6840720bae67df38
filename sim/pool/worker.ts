/** A process that runs seeds, in the view of the requesting process. `sim/platform/worker-process.ts` implements it. */
export interface Worker {
  /** Sends one line. A worker that has ended accepts none, which `next` reports. */
  send(line: string): void
  /** Its next line; once it has ended, always its end. */
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
  /** Requests, one per line, until the requesting process ends the worker. */
  requests(): AsyncIterable<string>
  say(line: string): void
  /**
   * Watches a run that begins now: if it uses CPU time without end while `virtualUs` stands still, the worker reports
   * that with the stack, and ends. The returned function ends the watch. `cpuMaxMs`: maximum CPU time of the whole run.
   */
  watch(virtualUs: () => number, cpuMaxMs: number | undefined): () => void
}

/** The mutants of an instrumented program, in the view of its worker. `sim/platform/mutation.ts` implements it. */
export interface MutationSwitch {
  /** Activates a mutant for the next run; 0: none. */
  turn(mutant: number): void
  /** Activates it, or with 0 deactivates it, within a run. */
  set(mutant: number): void
  /** Calls back with each site that was reached since the last `turn` or `take`. */
  take(onSite?: (site: number) => void): void
  /** The same for places that returned nothing; `order` grows with time. */
  takeReturns(onReturn?: (place: number, order: number) => void): void
  /** Sites that were reached since the last `turn`, as ranges: `3-7,12`. */
  reached(): string
  /** Places that returned nothing since the last `turn` or `takeReturns`, as ranges. */
  returned(): string
  /** Sites that were reached while the modules were loaded. */
  readonly loaded: string
}

/** Reports which code of the agent runs. `sim/platform/code-watch.ts` implements it. */
export interface CodeWatch {
  /** Starts counting. */
  begin(): void
  /** By built module, the lines that ran since, as ranges: `3-7,12`. */
  ran(): Readonly<Record<string, string>>
}

/**
 * A longer line is refused on both sides: a request contains a page of up to 1 MiB, escaped; a record is far smaller.
 */
export const lineBytesMax = 8 << 20
