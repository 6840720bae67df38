/** What a client asks for of the answers that an agent keeps: `Cache-Control`, in seconds. */
export interface WantedFreshness {
  readonly mustRevalidate: boolean
  readonly maxAgeS: number | undefined
  readonly staleIfErrorS: number | undefined
}

/** An answer of an agent about a service. */
export interface TimelyAnswer {
  readonly service: string
  readonly agent: string
  readonly how: 'default' | 'consistent' | 'cached'
  /** The node that the nearest come first to; undefined: they come in any order. */
  readonly near: string | undefined
  /** Instances in the words of `instanceWord`; `nodes`: their nodes, in the order of the answer. */
  readonly instances: string
  readonly nodes: readonly string[]
  readonly calledUs: number
  /** Of one that may be kept: `X-Cache` and `Age` as the answer has them, and the age that its client accepts. */
  readonly kept:
    | { readonly wanted: WantedFreshness; readonly hit: string; readonly age: string | undefined }
    | undefined
}
