/**
 * The content of a run's page: an overview that it draws at once, and the events in pieces that it opens when their
 * time is shown. All times are microseconds of true time since the run began, and machines are positions in the list of
 * machines. `sim/picture` makes it, `sim/page` shows it.
 */
export interface FilmOverview {
  readonly scenario: string
  readonly seed: number
  readonly build: string
  /** Time of the last event. */
  readonly endUs: number
  readonly events: number
  readonly machines: readonly MachineLane[]
  /** Names of agents by the IDs that events have for them. */
  readonly agents: Readonly<Record<string, string>>
  readonly story: readonly StoryMoment[]
  readonly violations: readonly FilmViolation[]
  readonly faults: readonly FaultSpan[]
  readonly bars: readonly Bar[]
  readonly operations: Operations
  readonly pieces: readonly PieceSpan[]
  /** What a long run had more of than a page holds; empty: the page has all of the run. */
  readonly leftOut: readonly LeftOut[]
}

/** `count` things of this kind, all from before a time, are not in the page. */
export interface LeftOut {
  readonly what: 'events' | 'lines of the story' | 'beliefs' | 'steps' | 'faults' | 'bars' | 'requests' | 'violations'
  readonly count: number
  readonly beforeUs: number
}

export type MachineKind = 'server' | 'client' | 'other'

/** The states of one machine, in steps: each holds from its time until that of the next. */
export interface MachineLane {
  readonly name: string
  readonly kind: MachineKind
  /** Of an agent. */
  readonly datacenter?: string
  readonly lives: readonly Life[]
  readonly roles: readonly RoleStep[]
  readonly progress: readonly ProgressStep[]
  /** Its beliefs about the members of its pool. */
  readonly beliefs: readonly Belief[]
  /** Milliseconds by which its wall clock was ahead of true time, for each step of the clock. */
  readonly clock: readonly (readonly [atUs: number, aheadMs: number])[]
  readonly releases: readonly (readonly [atUs: number, release: string])[]
  /** Number of events in each of `densitySteps` equal parts of the run. */
  readonly density: readonly number[]
}

export const densitySteps = 1200

export type Life = readonly [atUs: number, is: 'up' | 'paused' | 'down']
export type RoleStep = readonly [atUs: number, role: string, term: number]
export type ProgressStep = readonly [atUs: number, committed: number, applied: number]
export type Belief = readonly [atUs: number, member: string, status: string]
export type StoryMoment = readonly [atUs: number, kind: 'step' | 'fault' | 'note' | 'failure', text: string]

export interface FilmViolation {
  readonly n: number
  readonly atUs: number
  readonly code: string
  readonly text: string
  /** What the invariant demands; absent: it is an expectation of the page. */
  readonly demands?: string
  /** The events that explain it, in order of time; the violation is the last. */
  readonly chain: readonly ChainLink[]
  /** What was found by running it again without some of its faults and requests; absent: nothing was run again. */
  readonly blame?: readonly FilmBlame[]
}

/** A fault or a request of a client, and how often the run fails with it and without it. */
export interface FilmBlame {
  readonly atUs: number
  readonly what: string
  /** `needed`: the failure needs it. */
  readonly judgement: 'needed' | 'not needed' | 'hinders' | 'cannot tell' | 'unclear'
  readonly withIt: Tries
  readonly withoutIt: Tries
  /** The events in which it happened. */
  readonly events: readonly BlamedEvent[]
}

export interface Tries {
  readonly fails: number
  readonly tries: number
}

export interface BlamedEvent {
  readonly n: number
  readonly atUs: number
  readonly node: string
}

export interface ChainLink {
  readonly n: number
  readonly atUs: number
  readonly node: string
  readonly what: string
  readonly why: string
}

export interface FaultSpan {
  /** `link`: messages over a link are late, lost or damaged more than usual. */
  readonly kind: 'cut' | 'link' | 'refusal' | 'disk' | 'clock'
  readonly fromUs: number
  readonly toUs: number
  /** The two ends of a link, otherwise one machine. */
  readonly machines: readonly number[]
  readonly text: string
}

/** Something that lasts for a while: a session, a lock, a root, a mode. */
export interface Bar {
  readonly row: string
  readonly text: string
  readonly fromUs: number
  readonly toUs: number
}

/** Requests of clients with their answers, in columns of equal length, in the order of their answers. */
export interface Operations {
  readonly atUs: readonly number[]
  readonly tookUs: readonly number[]
  /** HTTP status; `noAnswer`: the connection broke before an answer came; `stillWaiting`: the film ends before. */
  readonly status: readonly number[]
  /** Position of the machine that asked. */
  readonly machine: readonly number[]
  /** Number of the request's event. */
  readonly n: readonly number[]
}

export const noAnswer = 0
export const stillWaiting = -1

export interface PieceSpan {
  readonly fromUs: number
  readonly toUs: number
  readonly first: number
  readonly last: number
  /** There was no room for its events. */
  readonly isGone?: true
}

/** A piece: every machine's state at its beginning, by name, and its events as in the trace. */
export interface Piece {
  readonly states: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly events: readonly unknown[]
}
