/** What a client asks for of the answers that an agent keeps: `Cache-Control`, in seconds. */
export interface WantedFreshness {
  readonly mustRevalidate: boolean
  readonly maxAgeS: number | undefined
  readonly staleIfErrorS: number | undefined
}

/** What is listed: instances, instances with their checks, or all nodes. */
export type TimelyList = 'instances' | 'health' | 'nodes'

/** An answer of an agent about a service, or about all nodes. */
export interface TimelyAnswer {
  readonly service: string
  readonly of: TimelyList
  readonly agent: string
  readonly how: 'default' | 'consistent' | 'cached' | 'stale'
  /** The node that the nearest come first to; undefined: they come in any order. */
  readonly near: string | undefined
  /** In the words of `ServiceVersion`, as `of` says; `nodes`: their nodes, in the order of the answer. */
  readonly told: string
  readonly nodes: readonly string[]
  readonly calledUs: number
  /** Of a stale read what the answer says of the server's last contact with a leader; undefined: it knows of none. */
  readonly lastContactMs: number | undefined
  /** Of one that may be kept: `X-Cache` and `Age` as the answer has them, and the age that its client accepts. */
  readonly kept:
    | { readonly wanted: WantedFreshness; readonly hit: string; readonly age: string | undefined }
    | undefined
}

/** An answer over DNS to a question for all instances of a service, over TCP. */
export interface ToldName {
  readonly service: string
  readonly agent: string
  readonly calledUs: number
  /** Where instances are, in the words of `ServiceVersion.offered`; undefined: the agent refuses to say (SERVFAIL). */
  readonly offered: string | undefined
}
