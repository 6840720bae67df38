/** A range of seeds, including the first and the last. */
export interface SeedsOfTask {
  readonly first: number
  readonly last: number
}

/** Parses `1..5`; undefined if the text is not a range, or the range has more than `most` seeds. */
export function seedRangeOf(text: string, most: number): SeedsOfTask | undefined {
  const match = /^(\d{1,15})\.\.(\d{1,15})$/.exec(text)
  const first = Number(match?.[1])
  const last = Number(match?.[2])
  return match === null || first > last || last - first >= most ? undefined : { first, last }
}
