/** A server that sequences are played against, whichever world it lives in. */
export interface GoldenTarget {
  /** Its ports by the names of the profiles: `http`, `server`, … */
  readonly ports: Readonly<Record<string, number>>
  /** Sends a request. Whoever wants the answer says so with `until`. */
  begin(request: GoldenRequest): Promise<GoldenAnswer>
  /** Sends a DNS message; nothing back within the time is an error. */
  beginDns(question: GoldenQuestion): Promise<GoldenDnsAnswer>
  /** Lets the server's world go on until the promise settles. On real sockets it does so by itself. */
  until<T>(promise: Promise<T>): Promise<T>
  /** Lets time pass, so that what was begun has arrived. */
  pause(ms: number): Promise<void>
  /** Monotonic. */
  nowMs(): number
}

export interface GoldenRequest {
  readonly method: string
  /** Sent as it is. */
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array | undefined
  readonly timeoutMs: number
  /** The answer does not end: take what comes first. */
  readonly stream: boolean
}

export interface GoldenQuestion {
  readonly packet: Uint8Array
  readonly transport: 'udp' | 'tcp'
  readonly timeoutMs: number
}

export type GoldenDnsAnswer =
  | { readonly kind: 'answer'; readonly packet: Uint8Array }
  | { readonly kind: 'error'; readonly error: string }

export type GoldenAnswer =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers: readonly (readonly [name: string, value: string])[]
      readonly body: Uint8Array
    }
  | { readonly kind: 'error'; readonly error: string }
