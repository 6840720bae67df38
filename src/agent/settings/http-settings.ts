import type { Naming } from '../../model/naming/naming.ts'

export interface HttpConfig {
  readonly naming: Naming
  /** Names besides the product's own under which headers are sent and accepted. */
  readonly aliases: readonly string[]
  /** Sent with every `/v1` response. */
  readonly responseHeaders: Readonly<Record<string, string>>
  /** Path prefixes that are refused with 403. */
  readonly blockEndpoints: readonly string[]
  readonly allowUnprintableCharacters: boolean
  /** JSON is indented unless the request says otherwise, as with `-dev`. */
  readonly pretty: boolean
  readonly ui: UiConfig
}

/** The web interface: off, the built-in one, or files of a directory. */
export type UiConfig =
  | { readonly kind: 'off' }
  | ({ readonly kind: 'built-in' } & UiPlace)
  | ({ readonly kind: 'directory'; readonly path: string } & UiPlace)

export interface UiPlace {
  /** The path of URLs below which it is served. It begins and ends with a slash. */
  readonly contentPath: string
}

export const defaultContentPath = '/ui/'

export const defaultHttp: Omit<HttpConfig, 'naming' | 'aliases'> = {
  responseHeaders: {},
  blockEndpoints: [],
  allowUnprintableCharacters: false,
  pretty: false,
  ui: { kind: 'off' },
}
