/**
 * What a page of `svc-sim build-web` and its worker say to each other: types only. The requests and answers of a session
 * are those of `play-api.ts`, each as one message. Before them comes `POST /begin`, once.
 *
 * | request | body | answer |
 * |---|---|---|
 * | `POST /begin` | `TabBegin` | nothing, or why it cannot begin |
 * | `GET /run?from=N` | | `TabRun`: of a run, its story from line N on |
 *
 * A run has `GET /overview` and `GET /piece?at=K`, too, and no other request of a session.
 */
export interface TabQuestion {
  readonly id: number
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** JSON; empty for `GET`. */
  readonly body: string
}

export interface TabAnswer {
  readonly id: number
  /** As of HTTP. */
  readonly status: number
  readonly text: string
}

/** The worker cannot go on: an error of the program. */
export interface TabEnd {
  readonly ended: string
}

/** What the tab shows: a run of a scenario to its end, or a cluster to play with. */
export interface TabBegin {
  readonly does: 'run' | 'play'
  /** Undefined: the cluster of a session without a scenario. */
  readonly scenario?: { readonly file: string; readonly text: string }
  readonly servers?: number
  readonly clients?: number
  /** Undefined: that of the scenario, or 1. */
  readonly seed?: number
  /** Number of events after which time stands still; undefined: it passes. */
  readonly steps?: number
}

/** A run of a scenario so far. */
export interface TabRun {
  readonly title: string
  readonly seed: number
  readonly nowUs: number
  readonly events: number
  readonly lines: readonly string[]
  readonly nextLine: number
  /** Undefined: it has not ended. */
  readonly end?: TabRunEnd
}

export interface TabRunEnd {
  readonly passed: boolean
  /** The verdict as `svc-sim run` prints it. */
  readonly lines: readonly string[]
  /** The hash of its trace. */
  readonly trace: string
}
