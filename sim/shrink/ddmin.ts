/**
 * Judges lists that a search proposes, in their order. Returns the units of the first list that still fails; undefined:
 * none fails. A run may show fewer units than were proposed, because a dropped one had caused others.
 */
export type TryLists<Unit> = (lists: readonly (readonly Unit[])[]) => Promise<readonly Unit[] | undefined>

/**
 * Delta debugging (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002): finds fewer of
 * these units with which the run still fails. If the search comes to its end, no single unit can be dropped. The empty
 * list is proposed first, because many failures need none of them. `mayGoOn`: false ends the search where it is.
 */
export async function ddmin<Unit>(
  units: readonly Unit[],
  tryLists: TryLists<Unit>,
  mayGoOn: (stuckFor: number) => boolean = () => true,
): Promise<readonly Unit[]> {
  if (units.length === 0) return units
  const none = await tryLists([[]])
  if (none !== undefined) return none
  let kept = units
  let parts = 2
  let stuckFor = 0
  while (kept.length > 1 && mayGoOn(stuckFor)) {
    const lists = proposals(kept, Math.min(parts, kept.length))
    const less = await tryLists(lists)
    if (less !== undefined && less.length < kept.length) {
      stuckFor = 0
      kept = less
      // The parts stay as small as they were, because usually the dropped units are one of them.
      parts = Math.max(2, Math.min(parts - 1, kept.length))
    } else if (parts >= kept.length) {
      return kept
    } else {
      stuckFor += lists.length
      parts = Math.min(2 * parts, kept.length)
    }
  }
  return kept
}

/** With more parts than this, one alone is hardly ever enough. */
const aloneMax = 4

/** Each part alone, then everything but each part. For two parts these are the same. */
function proposals<Unit>(units: readonly Unit[], parts: number): readonly (readonly Unit[])[] {
  const bounds = Array.from({ length: parts + 1 }, (_, at) => Math.floor((at * units.length) / parts))
  const ranges = bounds.slice(1).map((end, at) => [bounds[at] as number, end] as const)
  const alone = ranges.map(([from, to]) => units.slice(from, to))
  if (parts === 2) return alone
  const others = ranges.map(([from, to]) => [...units.slice(0, from), ...units.slice(to)])
  return parts > aloneMax ? others : [...alone, ...others]
}
