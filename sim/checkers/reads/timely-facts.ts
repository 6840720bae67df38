/** How fresh a cached answer a client wants: `Cache-Control`, in seconds. */
export interface WantedFreshness {
  readonly mustRevalidate: boolean
  readonly maxAgeS: number | undefined
  readonly staleIfErrorS: number | undefined
}

/** What is listed: instances, instances with their checks, what a prepared query finds of them, or all nodes. */
export type TimelyList = 'instances' | 'health' | 'found' | 'nodes'

/** An answer of an agent about a service, or about all nodes. */
export interface TimelyAnswer {
  readonly service: string
  readonly of: TimelyList
  readonly agent: string
  readonly how: 'default' | 'consistent' | 'cached' | 'stale'
  /** The node by whose distance the answer is sorted; undefined: any order. */
  readonly near: string | undefined
  /** In the form of `ServiceVersion`, as `of` says; for `nodes`, the nodes in the order of the answer. */
  readonly told: string
  readonly nodes: readonly string[]
  readonly calledUs: number
  /** Its index; undefined: it has none, as an execution of a query. */
  readonly index?: number | undefined
  /** For a stale read, the server's last contact with a leader as the answer reports it; undefined: it reports none. */
  readonly lastContactMs: number | undefined
  /** For a read that may be cached: `X-Cache` and `Age` of the answer, and the age that its client accepts. */
  readonly kept:
    | { readonly wanted: WantedFreshness; readonly hit: string; readonly age: string | undefined }
    | undefined
}

/** An agent has answered a question for a list that it may have cached with an error. */
export interface RefusedTimely extends Pick<TimelyAnswer, 'service' | 'of' | 'agent' | 'calledUs'> {
  readonly wanted: WantedFreshness
  readonly status: number
}

/** An answer over DNS to a question for all instances of a service, over TCP. */
export interface ToldName {
  readonly service: string
  readonly agent: string
  readonly calledUs: number
  /**
   * Places of instances, in the form of `ServiceVersion.offered`; undefined: the agent refuses to answer (SERVFAIL).
   */
  readonly offered: string | undefined
}
