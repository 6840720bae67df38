/** Files of the program itself that are not code: the parts of the web interface, compressed with gzip by the build. */
export const shippedNames = ['ui.js.gz', 'ui.css.gz'] as const

export type ShippedName = (typeof shippedNames)[number]

/** What was delivered with the program. Equal answers for as long as the process lives. */
export interface Shipped {
  /** The bytes of a file; undefined if the program was built without it. */
  file(name: ShippedName): Uint8Array | undefined
}
