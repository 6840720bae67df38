/** Seeds from the first to the last, both included. */
export interface SeedsOfTask {
  readonly first: number
  readonly last: number
}

/** Reads `1..5`; undefined: it is no range, or one of more than `most` seeds. */
export function seedRangeOf(text: string, most: number): SeedsOfTask | undefined {
  const match = /^(\d{1,15})\.\.(\d{1,15})$/.exec(text)
  const first = Number(match?.[1])
  const last = Number(match?.[2])
  return match === null || first > last || last - first >= most ? undefined : { first, last }
}
