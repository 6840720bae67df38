import type { FilmOverview, Piece } from '../picture/film-format.ts'

/**
 * What the HTTP face of `svc-sim play` and the page in a browser agree on: types only. Times are microseconds of true
 * time since the run began.
 *
 * `lessons-api.ts` has the requests about lessons. Everything but `GET /` needs `Authorization: Bearer TOKEN`; the page finds the token in its address, `#token=…`.
 * Bodies and answers are JSON, but for `GET /saved`, which is the text of a scenario. An error is `PlayError` with status
 * 400 (the body or a value in it is wrong, or the session has as many acts as it may), 401 (no token), 403 (`Host` is not
 * this machine), 404 (no such route, piece or node), 409 (not now: the world is being built again, or time stands still
 * for good) or 413 (the body is too large).
 *
 * | request | body | answer |
 * |---|---|---|
 * | `GET /` | | the page |
 * | `GET /status` | | `PlayStatus` |
 * | `GET /overview` | | `PlayOverview`: of the run so far |
 * | `GET /piece?at=K` | | `PlayPiece`: the K-th of the overview's list; the last one still grows |
 * | `POST /act` | `PlayDeed` | `PlayActed` |
 * | `POST /command` | `PlayCommand` | `PlayCommandResult`, when the command has ended |
 * | `POST /request` | `PlayRequest` | `PlayAnswer`, when the answer is there |
 * | `POST /pace` | `PlayPace` | `PlayStatus` |
 * | `POST /step` | `PlayStep` | `PlayStatus`, when it is done; the world stands still then |
 * | `GET /configuration?node=s1` | | `PlayConfiguration` |
 * | `POST /undo` | `PlayUndo` | `PlayStatus`, when the world is there again; progress is in `GET /status` |
 * | `GET /story` | | text: what happened so far, one line each |
 * | `GET /saved` | | text: the scenario that repeats the session |
 */
export interface PlayStatus {
  readonly scenario: string
  readonly seed: number
  readonly build: string
  readonly nowUs: number
  /** Delivered since the run began. */
  readonly events: number
  /** Grows with everything that happens or is done, and whenever the world is built again: for polling. */
  readonly version: number
  /** Grows when the world is built again: films of another world are to be thrown away. */
  readonly world: number
  readonly paused: boolean
  /** Virtual seconds in a second when time passes, `rateMin` to `rateMax`. */
  readonly rate: number
  /** Time is being let pass up to here, as fast as the machine can. */
  readonly advancingToUs: number | null
  readonly busy: PlayBusy | null
  readonly agents: readonly PlayAgent[]
  /** Links that are cut now, in at least one direction: each pair once. */
  readonly cuts: readonly (readonly [one: string, other: string])[]
  readonly acts: readonly PlayAct[]
  /** What is broken; time stands still then, and only `POST /undo` goes on. */
  readonly failure: { readonly atUs: number; readonly text: string } | null
  /** Of the bridge: requests that came in by real sockets, and those that wait for their answer. */
  readonly requests: { readonly taken: number; readonly waiting: number }
  /** The lesson whose cluster this is, by name. */
  readonly lesson: string | null
  /** Lessons can be asked for: there is a folder for the student's work. */
  readonly hasLessons: boolean
  /** Releases that an agent can be started as, the newest first. */
  readonly releases: readonly string[]
}

export const rateMin = 0.01
export const rateMax = 100

/** The world is being built again. */
export interface PlayBusy {
  readonly what: 'replay'
  readonly acts: number
  readonly actsTotal: number
  readonly nowUs: number
  readonly toUs: number
}

export interface PlayAgent {
  readonly name: string
  readonly kind: 'server' | 'client'
  readonly datacenter: string
  readonly is: 'up' | 'paused' | 'down'
  /** `leader`, `follower`, `candidate`; of clients, and of servers that do not run, null. */
  readonly role: string | null
  readonly term: number | null
  readonly release: string
  /** Of 127.0.0.1; null: the agent can be asked only through the session, because the session runs in a browser. */
  readonly httpPort: number | null
  readonly dnsPort: number | null
  /** It serves its web interface, at `/ui/` of its HTTP port. */
  readonly hasUi: boolean
  /** Why its process ended by itself or did not start. */
  readonly lastError: string | null
  /** Milliseconds by which its wall clock is ahead of true time. */
  readonly clockAheadMs: number
  /** What is wrong with its machine, in words: `full disk`, `stalled disk`, `slow network`, `clock rate`, `refuses`, … */
  readonly troubles: readonly string[]
}

/** As a page of scenarios names it: `do` is a fault. */
export type PlayActKind = 'do' | 'mend' | 'http' | 'dns' | 'svc' | 'upgrade' | 'configure'

/** Something that was done, for the list of what can be undone. */
export interface PlayAct {
  /** From 1 on. */
  readonly number: number
  readonly atUs: number
  /** In words: `crash s1`, `GET /v1/kv/a of s2`. */
  readonly text: string
  readonly kind: PlayActKind
}

/**
 * One thing to do now, with exactly one member. `fault` is an action in the words of scenarios (docs/scenarios.md):
 * `{ partition: { groups: [['s1'], ['s2', 's3']] } }`, `{ cut: { from: 's1', to: 's2' } }` (both ways; `'one way': true`),
 * `{ heal: 'everything' }`, `{ heal: { among: ['s1', 's2'] } }` (the link between the two), `{ crash: 's1' }`,
 * `{ kill: 's1' }`, `{ restart: 's1' }`, `{ pause: 's1' }`, `{ resume: 's1' }`,
 * `{ 'step clock': { nodes: 's1', by: '5m' } }`, `{ 'fill disk': 's1' }`, each with `for: '5s'` where it can be undone.
 */
export type PlayDeed =
  | { readonly fault: Readonly<Record<string, unknown>> }
  /** Ends every fault, and starts every stopped agent. */
  | { readonly mend: true }
  /** Stops the agent in order and starts it as this release. */
  | { readonly upgrade: { readonly node: string; readonly to: string } }
  /**
   * Stops the agent in order and starts it with these settings in place of those of the same name; null removes one.
   * `GET /configuration?node=s1` (`PlayConfiguration`) has the present ones.
   */
  | { readonly configure: { readonly node: string; readonly config: Readonly<Record<string, unknown>> } }

export interface PlayConfiguration {
  readonly node: string
  readonly config: Readonly<Record<string, unknown>>
}

export interface PlayActed {
  readonly act: PlayAct
  /** What was done, in words. */
  readonly text: string
}

/**
 * `svc ARGS` at a node: `{ node: 's1', args: ['kv', 'put', 'color', 'blue'] }`. If time stands still, it is let pass as
 * fast as the machine can until the command has ended, one virtual minute at most.
 */
export interface PlayCommand {
  readonly node: string
  readonly args: readonly string[]
  readonly input?: string
}

export interface PlayCommandResult {
  readonly act: PlayAct
  /** Exit code; null: it had not ended after a virtual minute, and goes on. */
  readonly code: number | null
  readonly out: string
  readonly error: string
  readonly tookUs: number
}

/** An HTTP request to a node; time passes as with a command. */
export interface PlayRequest {
  readonly node: string
  readonly method: string
  /** `/v1/kv/color?raw` */
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface PlayAnswer {
  readonly act: PlayAct
  /** 0: there was no answer; `body` says why. */
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  readonly tookUs: number
}

export interface PlayPace {
  readonly paused?: boolean
  readonly rate?: number
}

/** Lets this much happen, then stands still. Exactly one member. */
export type PlayStep = { readonly events: number } | { readonly ms: number } | { readonly toUs: number }

/** The world as it was: before the last act (or the act of that number), or at a time, with the acts up to it. */
export type PlayUndo = { readonly last: true } | { readonly act: number } | { readonly toUs: number }

export type PlayOverview = FilmOverview & { readonly world: number; readonly version: number }
/** One that is full is packed as those of a report's page are: base64 of gzip of JSON. The last one is open. */
export type PlayPiece = { readonly world: number } & ({ readonly packed: string } | { readonly open: Piece })

export interface PlayError {
  readonly error: string
}
