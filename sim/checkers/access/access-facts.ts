/** One token in one state, with the policies that it is linked to as they were when it was looked at. */
export interface TokenState {
  /** Empty: not given yet. */
  readonly accessor: string
  /** Everything is allowed. */
  readonly management: boolean
  /** Rules of the old system; undefined: it has policies. */
  readonly legacyRules: string | undefined
  /** IDs. */
  readonly policies: readonly string[]
  /** It exists in one datacenter alone. */
  readonly isLocal: boolean
}

/** Replicated access control right after a command that changed it. */
export interface AccessState {
  /** True time at which the first server carried the command out, in microseconds. */
  readonly atUs: number
  /** By secret. */
  readonly tokens: ReadonlyMap<string, TokenState>
  /** Rules by ID. */
  readonly policies: ReadonlyMap<string, string>
}

/** One right to one thing; `tree`: to write all that is below a prefix, or may come there. */
export interface Need {
  readonly resource: string
  readonly name: string
  readonly right: 'read' | 'list' | 'write' | 'tree'
}

/** A request that was made with a token, and what it was told. */
export interface Visit {
  /** The agent that answered. */
  readonly agent: string
  /** Its datacenter, as agents call it. */
  readonly datacenter: string
  readonly secret: string
  /** In words: `write shop-1/door`. */
  readonly what: string
  /** All that was needed for what was allowed and shown; of a refusal, for what was refused. */
  readonly needs: readonly Need[]
  readonly said: 'allowed' | 'denied' | 'not found'
  readonly callUs: number
  readonly returnUs: number
  /** Of the request, in the trace; absent or 0: nobody reads. */
  readonly calledIn?: number
}

/** What agents are set to, as of the last that has started. */
export interface AccessSettings {
  /** How long an agent may use a token or a policy that it has cached. */
  readonly ttlUs: number
  readonly defaultPolicy: 'allow' | 'deny'
}

/** What a run knows of how tokens are resolved. */
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
  /** Its tag: 0 off, 1 the new system, 2 ready for it; undefined: a release that knows nothing of it. */
  readonly acls: string | undefined
}
