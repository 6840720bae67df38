/** One token in one state, with the policies that it was linked to when the state was read. */
export interface TokenState {
  /** Empty: the token has no accessor yet. */
  readonly accessor: string
  /** The token may do everything. */
  readonly management: boolean
  /** Rules of the old system; undefined: it has policies. */
  readonly legacyRules: string | undefined
  /** The IDs of its policies. */
  readonly policies: readonly string[]
  /** The token exists in one datacenter only. */
  readonly isLocal: boolean
}

/** The replicated access control right after a command that changed it. */
export interface AccessState {
  /** True time at which the first server applied the command, in microseconds. */
  readonly atUs: number
  /** By secret. */
  readonly tokens: ReadonlyMap<string, TokenState>
  /** Rules by ID. */
  readonly policies: ReadonlyMap<string, string>
}

/** One right on one resource; `tree`: the right to write every present and future key below a prefix. */
export interface Need {
  readonly resource: string
  readonly name: string
  readonly right: 'read' | 'list' | 'write' | 'tree'
  /** Rights that together suffice in its place. */
  readonly or?: readonly Need[]
}

/** A request with a token, and its answer. */
export interface Visit {
  /** The agent that answered. */
  readonly agent: string
  /** Its datacenter, as agents call it. */
  readonly datacenter: string
  readonly secret: string
  /** What was requested: `write shop-1/door`. */
  readonly what: string
  /** The rights that the allowed or shown parts needed; for a refusal, those that the refused part needed. */
  readonly needs: readonly Need[]
  readonly said: 'allowed' | 'denied' | 'not found'
  /** The answer, if it refuses without speaking of rights. */
  readonly words?: string
  readonly callUs: number
  readonly returnUs: number
  /** Event of the request in the trace; absent or 0: the trace is not recorded. */
  readonly calledIn?: number
}

/** A list that a visitor asks for. `of`: a prefix, the name of a service or of a node; empty for all. */
export interface View {
  readonly kind: ViewKind
  readonly of: string
}

export type ViewKind =
  | 'keys'
  | 'nodes'
  | 'services'
  | 'services of a node'
  | 'instances'
  | 'ways'
  | 'checks'
  | 'checks of a node'
  | 'checks of a service'
  | 'sessions'
  | 'sessions of a node'
  | 'intentions'
  | 'queries'
  | 'found by a query'

/** A part of a list that was there, unchanged, while a visitor asked for the list. */
export interface DuePart {
  /** As answers name it: `key a`, `instance web-1 at n1`. */
  readonly name: string
  /** The rights that the caller needs to see it. */
  readonly needs: readonly Need[]
  readonly isShown: boolean
}

/** The settings of the agents, as of the agent that started last. */
export interface AccessSettings {
  /** How long an agent may use a cached token or policy. */
  readonly ttlUs: number
  readonly defaultPolicy: 'allow' | 'deny'
}

/** What a run knows about how agents resolve tokens. */
export interface ResolutionFacts {
  /** True time since which the agent has reached a server without a break; undefined: it reaches none. */
  readonly reachingSinceUs: (agent: string) => number | undefined
  /**
   * True time since which each server of the datacenter has reached one of the first datacenter; undefined: one does
   * not.
   */
  readonly reachingFirstSinceUs: (datacenter: string) => number | undefined
}

/** A server as the leader's gossip pools see it. */
export interface ServerSeen {
  /** Its node ID. */
  readonly id: string | undefined
  readonly name: string
  readonly datacenter: string
  readonly status: 'alive' | 'failed' | 'leaving' | 'left'
  /**
   * Its tag: 0 is off, 1 the new system, 2 ready for the new system; undefined: a release that does not know the new
   * system.
   */
  readonly acls: string | undefined
}
