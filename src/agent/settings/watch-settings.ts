import type { WatchSubject } from '../../features/watch/model.ts'

/** A watch of the configuration. Reference: configuration.md#key-watches. */
export interface WatchDefinition {
  readonly subject: WatchSubject
  readonly datacenter: string | undefined
  readonly token: string | undefined
  readonly stale: boolean
  readonly handler: WatchHandler
}

export type WatchHandler =
  /** The program reads the JSON on its standard input. */
  | { readonly kind: 'script'; readonly argv: readonly [string, ...string[]] }
  /** The JSON is the body of a request. */
  | {
      readonly kind: 'http'
      readonly url: string
      readonly method: string
      readonly headers: readonly (readonly [name: string, value: string])[]
      readonly timeoutMs: number
      readonly tlsSkipVerify: boolean
    }
